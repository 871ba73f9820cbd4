// What lines of a file define and use: places in the file, also where another text is parsed.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Session.h"

#include "tessera/import/Definitions.h"

#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

#include <gtest/gtest.h>

#include <set>

namespace tessera::import::test {

namespace {
/// `3:5 %name : type`, and `3:5 use of %name : type`.
struct Seen {
  std::set<std::string> lines;
  llvm::FailureOr<Definitions> how = llvm::failure();
};

Seen see(Session &session, const std::string &text) {
  Seen seen;
  llvm::SourceMgr source;
  source.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(text, "test.mlir"), {});
  seen.how = definitions(source, session.context, session.own(), {}, [&](const Definition &one) {
    std::string line;
    llvm::raw_string_ostream(line)
        << one.line << ":" << one.column << (one.isUse ? " use of " : " ") << one.name << " : "
        << one.type;
    seen.lines.insert(line);
  });
  return seen;
}

/// The column of the n-th `what` of a line, both from 1.
size_t column(const std::string &text, size_t line, const std::string &what) {
  size_t at = 0;
  for (; line > 1; --line)
    at = text.find('\n', at) + 1;
  return text.find(what, at) - at + 1;
}
} // namespace

// Two uses state less than the slice would have; the line of one goes on after it, and the
// definition of `%y` is where the file has it.
TEST(Definitions, AreWhereTheFileHasThem) {
  const std::string text =
      R"mlir(func.func @f(%l: !cute.layout<"(4,?{div=8}):(1,?{div=16})">, %c: !cute.coord<"(0,_)">) -> !cute.layout<"(?):(?)"> {
  %r = cute.slice(%l, %c) : !cute.layout<"(4,?{div=8}):(1,?{div=16})">, !cute.coord<"(0,_)"> // of %r
  %x = cute.size(%r) : (!cute.layout<"(?):(?)">) -> !cute.int_tuple<"?"> %y = cute.static : !cute.layout<"8:1">
  return %r : !cute.layout<"(?):(?)">
}
)mlir";
  Session session;
  Seen seen = see(session, text);
  ASSERT_TRUE(succeeded(seen.how));
  EXPECT_EQ(seen.how->version, nullptr);
  EXPECT_FALSE(seen.how->readsMlir);
  const std::string y = std::to_string(column(text, 3, "%y"));
  const std::set<std::string> expected = {
      R"_(1:14 %l : !cute.layout<"(4,?{div=8}):(1,?{div=16})">)_",
      "1:" + std::to_string(column(text, 1, "%c")) + R"_( %c : !cute.coord<"(0,_)">)_",
      R"_(2:3 %r : !cute.layout<"(?):(?)">)_",
      R"_(2:19 use of %l : !cute.layout<"(4,?{div=8}):(1,?{div=16})">)_",
      R"_(2:23 use of %c : !cute.coord<"(0,_)">)_",
      R"_(3:3 %x : !cute.int_tuple<"?">)_",
      R"_(3:18 use of %r : !cute.layout<"(?):(?)">)_",
      "3:" + y + R"_( %y : !cute.layout<"8:1">)_",
      R"_(4:10 use of %r : !cute.layout<"(?):(?)">)_",
  };
  EXPECT_EQ(seen.lines, expected);
}

// LLVM 22 prints a barrier with a location and does not read it.
TEST(Definitions, AreReadWhereMlirDoesNot) {
  Session session;
  Seen seen = see(session, "func.func @f(%n: i32) {\n"
                           "  nvvm.barrier loc(\"here\")\n"
                           "  %m = arith.addi %n, %n : i32\n"
                           "  return\n"
                           "}\n");
  ASSERT_TRUE(succeeded(seen.how));
  EXPECT_FALSE(seen.how->readsMlir);
  EXPECT_TRUE(seen.lines.contains("3:3 %m : i32"));
  Seen plain = see(session, "func.func @f(%n: i32) {\n  return\n}\n");
  ASSERT_TRUE(succeeded(plain.how));
  EXPECT_TRUE(plain.how->readsMlir);
}

} // namespace tessera::import::test
