// A file made by hand is read as it was meant; what is wrong is refused with its offset.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Bytes.h"

#include "tessera/tile_bytecode/Reader.h"
#include "tessera/tile_bytecode/Writer.h"

#include <gtest/gtest.h>

using namespace tessera::tile_bytecode;
using tessera::cat;
using namespace tessera::tile_bytecode::test;

TEST(Reader, ReadsASmallFile) {
  std::string file = smallFile().make();
  auto program = read(spanOf(file));
  ASSERT_TRUE(program) << program.reason().text;
  EXPECT_EQ(program->version.str(), "13.1");
  const Function *k = program->find("k");
  ASSERT_TRUE(k);
  EXPECT_EQ(typeText(*program, k->type), "(tile<i32>) -> ()");
  ASSERT_EQ(k->body.size(), 3u);
  EXPECT_EQ(k->body[0].op, Op::Constant);
  EXPECT_EQ(k->attribute(k->body[0], 0), 0u);
  EXPECT_EQ(k->body[1].op, Op::AddI);
  EXPECT_EQ(k->operands(k->body[1])[0], 0u);
  EXPECT_EQ(k->operands(k->body[1])[1], 1u);
  EXPECT_EQ(k->body[2].op, Op::Return);
  EXPECT_EQ(*write(*program), file);
}

TEST(Reader, KnowsWhereAFileEnds) {
  std::string file = smallFile().make();
  EXPECT_EQ(*sizeOf(spanOf(file + "more")), file.size());
  auto more = read(spanOf(file + "more"));
  ASSERT_FALSE(more);
  EXPECT_EQ(more.reason().id, "TrailingBytes");
}

// Every byte of the file is needed, and the sentence says at which one it ends.
TEST(Reader, RefusesEveryCutFile) {
  std::string file = smallFile().make();
  for (size_t size = 0; size < file.size(); ++size)
    EXPECT_FALSE(read(spanOf(file.substr(0, size)))) << size;
}

namespace {

struct Refusal {
  const char *name;
  void (*change)(File &);
  const char *id;   // of the reason
  const char *says; // part of its text
};
std::string &content(File &file, int id) {
  for (File::Part &part : file.parts)
    if (part.id == id)
      return part.content;
  return file.head;
}
/// The body of the small file's function begins at byte 6 of the section Func, which is at 16.
constexpr size_t body = 6;

const Refusal refusals[] = {
    {"magic number", [](File &f) { f.head[2] = 'x'; }, "Magic",
     "invalid magic number at position 2, got 120 expected 105"},
    {"older version", [](File &f) { f.head[9] = 0; }, "VersionUnknown", "byte 8: "},
    {"newer version", [](File &f) { f.head[9] = 9; }, "VersionUnknown",
     "unsupported Tile version 13.9.0, this reader supports versions [13.1 - 13.4]"},
    {"unknown section", [](File &f) { f.parts.push_back({9, 1, ""}); }, "Expected",
     "byte 101: unknown section ID: 9; expects one from 1 to 7"},
    {"repeated section", [](File &f) { f.parts.push_back(f.parts[3]); }, "SectionRepeated",
     "String"},
    {"no strings", [](File &f) { f.parts.pop_back(); }, "SectionMissing",
     "string section is mandatory"},
    {"no functions", [](File &f) { f.parts.erase(f.parts.begin()); }, "SectionMissing",
     "function section is mandatory"},
    {"section without alignment", [](File &f) { f.parts[0].alignment = 1; }, "Expected",
     "byte 12: section 2 must have alignment that is a multiple of 8 bytes, but has no alignment "
     "flag set"},
    {"alignment that is too small", [](File &f) { f.parts[1].alignment = 4; }, "Expected",
     "a multiple of 8 bytes, but has alignment of 4"},
    {"string offset", [](File &f) { content(f, 1)[4] = 2; }, "Expected", "an offset from 0 to 1"},
    {"string table too long", [](File &f) { content(f, 1)[0] = 100; }, "Expected",
     "a number of entries"},
    {"type tag", [](File &f) { content(f, 5)[16] = 99; }, "Expected", "the tag of a type"},
    {"type of a newer version", [](File &f) { content(f, 5)[16] = 19; }, "TypeVersion",
     "type 'Float4E2M1FN' requires bytecode version 13.3+, file version is 13.1"},
    {"type index", [](File &f) { content(f, 5)[18] = 3; }, "Expected", "below 3"},
    {"type of itself", [](File &f) { content(f, 5)[18] = 1; }, "TypeRule", "tile expects"},
    {"function name", [](File &f) { content(f, 2)[1] = 1; }, "Expected", "the name of a function"},
    {"function type", [](File &f) { content(f, 2)[2] = 1; }, "Expected", "the type of a function"},
    {"no entry", [](File &f) { content(f, 2)[3] = 0; }, "Expected", "the flags of an entry"},
    {"flags of a function", [](File &f) { content(f, 2)[3] = 10; }, "Expected",
     "the flags of an entry"},
    {"body too long", [](File &f) { content(f, 2)[5] = 100; }, "Expected",
     "the length of a function's body"},
    {"body too short", [](File &f) { content(f, 2)[5] = 10; }, "Unfinished", "byte 33: "},
    {"opcode", [](File &f) { content(f, 2)[body] = 30; }, "Expected", "the opcode of an instr"},
    {"opcode of a newer version", [](File &f) { content(f, 2)[body] = 110; }, "OpVersion",
     "operation 'atan2' requires bytecode version 13.2+"},
    {"module as instruction", [](File &f) { content(f, 2)[body] = 75; }, "Expected", "but got 75"},
    {"result type", [](File &f) { content(f, 2)[body + 1] = 7; }, "Expected",
     "the type of a result below 3"},
    {"constant index", [](File &f) { content(f, 2)[body + 2] = 1; }, "Expected",
     "a constant below"},
    {"constant of another size", [](File &f) { f.parts[1].content = table(8, {bytes({1, 5})}); },
     "TypeRule", "expects a constant of 4 bytes"},
    {"keyword", [](File &f) { content(f, 2)[body + 5] = 4; }, "Expected", "keyword below 4"},
    {"value", [](File &f) { content(f, 2)[body + 7] = 2; }, "Expected", "a value that is defined"},
    {"padding of a table", [](File &f) { content(f, 1)[1] = 0; }, "Padding",
     "expects the padding byte 203, but got 0"},
    {"tile without a shape",
     [](File &f) {
       f.parts[2].content = table(4, {bytes({3}), bytes({13, 0}), bytes({16, 1, 1, 0})});
     },
     "Ended", "ends at byte"},
    {"odd number of nibbles",
     [](File &f) {
       f.head[9] = 3;
       f.parts[2].content = table(4, {bytes({19}), bytes({13, 0, 0}), bytes({16, 1, 1, 0})});
     },
     "TypeRule", "tile expects an even number of elements of 4 bits, but got 1"},
    {"results of return", [](File &f) { content(f, 2)[body + 9] = 1; }, "Expected", "0 results"},
};

} // namespace

TEST(Reader, RefusesWhatIsWrong) {
  for (const Refusal &refusal : refusals) {
    File file = smallFile();
    refusal.change(file);
    std::string changed = file.make();
    auto program = read(spanOf(changed));
    ASSERT_FALSE(program) << refusal.name;
    EXPECT_EQ(program.reason().id, refusal.id) << refusal.name << ": " << program.reason().text;
    EXPECT_NE(program.reason().text.find(refusal.says), std::string::npos)
        << refusal.name << ": " << program.reason().text;
  }
}

// Where the place of a string is wrong and something else is, NVIDIA's reader says the latter.
TEST(Reader, SaysLastThatThePlaceOfAStringIsWrong) {
  File file = smallFile();
  content(file, 1)[4] = 2;
  content(file, 5)[16] = 99;
  std::string changed = file.make();
  auto program = read(spanOf(changed));
  ASSERT_FALSE(program);
  EXPECT_NE(program.reason().text.find("the tag of a type"), std::string::npos)
      << program.reason().text;
}

namespace {

/// The small file in 13.3 with another body.
std::string withBody(const std::string &body, const std::vector<std::string> &strings = {"k"}) {
  File file = smallFile();
  file.head[9] = 3;
  content(file, 2) = bytes({1, 0, 2, 2, 0}) + varint(body.size()) + body;
  content(file, 1) = table(4, strings);
  return file.make();
}
std::string refused(const std::string &file) {
  auto program = read(spanOf(file));
  return program ? "nothing" : program.reason().text;
}

} // namespace

TEST(Reader, RefusesPartsOfInstructions) {
  // make_token 0: no type token here, but the result of a type is any index.
  EXPECT_EQ(refused(withBody(bytes({92, 0, 0}))), "nothing");
  // exp2 with a flag that it does not have.
  EXPECT_NE(refused(withBody(bytes({24, 1, 2, 0}))).find("flags of exp2 below 2"),
            std::string::npos);
  // extract counts its operands: at least the source.
  EXPECT_NE(refused(withBody(bytes({38, 1, 1, 0}))).find("a number of operands that extract has"),
            std::string::npos);
  // if with one region.
  EXPECT_NE(refused(withBody(bytes({50, 0, 0, 1, 1, 0, 0}))).find("2 regions of if"),
            std::string::npos);
  // permute with the least integer of 32 bits.
  EXPECT_EQ(
      refused(withBody(bytes({83, 1, 1, 0, 0, 0, 0x80, 0}))),
      "byte 25: array contains unsupported value -2147483648, the least or the largest of 32 bits");
  // and with the largest one.
  EXPECT_NE(refused(withBody(bytes({83, 1, 1, 0xff, 0xff, 0xff, 0x7f, 0})))
                .find("array contains unsupported value"),
            std::string::npos);
  // assume with a string instead of a predicate.
  EXPECT_NE(refused(withBody(bytes({6, 1, 5, 0, 0}))).find("a predicate of assume"),
            std::string::npos);
  // hints with the same key twice: load_ptr_tko weak, flags hints.
  std::string twice = bytes({61, 1, 1, 2, 0, 2, 1, 10, 0, 1, 10, 0, 0});
  EXPECT_NE(refused(withBody(twice, {"k", "a"})).find("keys that do not repeat"),
            std::string::npos);
  // and with an empty key.
  EXPECT_EQ(refused(withBody(bytes({61, 1, 1, 2, 0, 1, 1, 10, 0, 0}), {"k", ""})),
            "byte 28: invalid empty attribute name for DictionaryAttr element 0; expects the key "
            "to be a string that is not empty");
}

// ftof with the rounding nearest_away, which 13.4 has.
TEST(Reader, RefusesKeywordsOfANewerVersion) {
  File file = smallFile();
  file.head[9] = 3;
  std::string body = bytes({42, 1, 7, 0, 92, 0, 0});
  content(file, 2) = bytes({1, 0, 2, 2, 0}) + varint(body.size()) + body;
  auto older = read(spanOf(file.make()));
  ASSERT_FALSE(older);
  EXPECT_EQ(older.reason().id, "KeywordVersion") << older.reason().text;
  EXPECT_NE(older.reason().text.find("'nearest_away' of attribute 'rounding_mode' requires "
                                     "bytecode version 13.4+, file version is 13.3"),
            std::string::npos)
      << older.reason().text;
  file.head[9] = 4;
  EXPECT_TRUE(read(spanOf(file.make())));
}

// cuTile Python writes the bits of a float as a number without sign: of -inf in f64, which max
// begins with, twice 0xfff0000000000000 has 65 bits. NVIDIA's writer takes them as a signed number.
TEST(Reader, TakesTheBitsOfAFloatInBothForms) {
  auto hint = [](const std::string &bits) {
    File file = smallFile();
    content(file, 5) = table(4, {bytes({3}), bytes({13, 0, 0}), bytes({16, 1, 1, 0}), bytes({9})});
    // name 0, type 2, an entry with hints: one GPU's, of which one is a float of type 3
    content(file, 2) =
        bytes({1, 0, 2, 6, 0, 11, 1, 0, 10, 1, 0, 2, 3}) + bits + bytes({3, 92, 0, 0});
    auto program = read(spanOf(file.make()));
    return program ? cat(program->functions[0].hints->items[0].items[0].value)
                   : program.reason().text;
  };
  const std::string minusInfinity = cat(0xfff0000000000000), one = cat(0x3ff0000000000000);
  EXPECT_EQ(hint(varint(2 * (uint64_t(1) << 52) - 1)), minusInfinity);
  EXPECT_EQ(hint(bytes({0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0xf0, 0xff, 0x03})),
            minusInfinity);
  EXPECT_EQ(hint(varint(2 * uint64_t(0x3ff0000000000000))), one);
  EXPECT_EQ(hint(bytes({0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0xf0, 0xff, 0x05})),
            "byte 29: expects the bits of a float of at most 64 bits, but got more");
}

TEST(Reader, BoundsItsRecursion) {
  std::string body = bytes({92, 0, 0});
  // loop { loop { ... } }
  for (unsigned depth = 0; depth < mostRegions; ++depth)
    body.insert(0, bytes({65, 0, 0, 1, 1, 0, 1}));
  EXPECT_EQ(refused(withBody(body)), "nothing");
  EXPECT_NE(refused(withBody(bytes({65, 0, 0, 1, 1, 0, 1}) + body)).find("at most 128 deep"),
            std::string::npos);
  // reduce with identities [[[...]]].
  std::string array(40, '\6');
  for (size_t i = 1; i < 80; i += 2)
    array.insert(i, 1, '\1');
  EXPECT_NE(refused(withBody(bytes({88, 0, 0, 1}) + array)).find("at most 16 deep"),
            std::string::npos);
}

// A number that a varint of the file states takes no memory before its bytes are there.
TEST(Reader, TakesNoMemoryByAStatedSize) {
  std::string huge = bytes({0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f});
  for (int id : {1, 2, 4, 5}) {
    File file = smallFile();
    content(file, id) = huge + content(file, id);
    EXPECT_FALSE(read(spanOf(file.make()))) << id;
  }
  EXPECT_NE(refused(withBody(bytes({38}) + huge)), "nothing");
  EXPECT_NE(refused(withBody(bytes({60, 1, 1}) + huge)), "nothing");
}

TEST(Reader, RefusesScopesInACircle) {
  File file = smallFile();
  // One lexical block whose scope is itself.
  std::string entries = table(4, {bytes({3, 1, 0, 1, 1})});
  file.parts.push_back({3, 8, bytes({0, 0xcb, 0xcb, 0xcb, 0, 0xcb, 0xcb, 0xcb}) + entries});
  auto program = read(spanOf(file.make()));
  ASSERT_FALSE(program);
  EXPECT_EQ(program.reason().id, "DebugCycle") << program.reason().text;
}
