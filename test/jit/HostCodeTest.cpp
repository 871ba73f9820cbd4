// Host functions compiled and called: parameters, results, what they may call, assertions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Session.h"

#include "tessera/jit/HostCode.h"
#include "tessera/jit/Packing.h"

#include "mlir/IR/Diagnostics.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>

namespace tessera::jit::test {
namespace {

class HostCodeTest : public testing::Test {
protected:
  Result<HostCode> compile(const std::string &text) {
    module = session.lower(text);
    if (!module)
      return Reason{"Test", "the module does not lower"};
    return HostCode::compile(*module);
  }
  HostCode must(const std::string &text) {
    Result<HostCode> code = compile(text);
    if (!code) {
      ADD_FAILURE() << refusal(code);
      std::abort();
    }
    return *std::move(code);
  }

  Session session;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

template <class... T> std::vector<void *> pointersTo(T &...values) { return {&values...}; }

int32_t called(HostCode &code, std::string_view name, std::vector<void *> arguments) {
  Result<int32_t> result = code.call(name, arguments);
  EXPECT_TRUE(result.ok()) << refusal(result);
  return result ? *result : -1;
}

/// The image as it comes back from a file.
HostImage kept(const HostCode &code) {
  std::optional<HostImage> image = HostImage::from(code.image().parts());
  EXPECT_TRUE(image);
  return image.value_or(HostImage());
}

/// What ends LLVM's back end for the host, or the process where nobody handles an error, is a
/// reason; and what comes after it works.
TEST_F(HostCodeTest, FatalErrorsOfLLVMAreReasons) {
  const std::pair<const char *, const char *> rows[] = {
      {"llvm.func @f() -> i32 {\n"
       "%x = llvm.call_intrinsic \"llvm.nvvm.read.ptx.sreg.tid.x\"() : () -> i32\n"
       "llvm.return %x : i32 }",
       "Cannot select: intrinsic %llvm.nvvm.read.ptx.sreg.tid.x"}};
  for (auto [text, words] : rows) {
    module = session.parse(text);
    ASSERT_TRUE(module);
    Result<HostCode> refused = HostCode::compile(*module);
    ASSERT_FALSE(refused) << words;
    EXPECT_NE(refused.reason().text.find(words), std::string::npos) << refused.reason().text;
    EXPECT_TRUE(refused.reason().text.starts_with("the host functions cannot be compiled: "));
    HostCode code = must("func.func @f() -> i32 { %x = arith.constant 7 : i32 return %x : i32 }");
    EXPECT_EQ(called(code, "f", {}), 7);
  }
}

TEST_F(HostCodeTest, RunsFromItsImage) {
  HostImage image;
  {
    HostCode compiled = must(R"mlir(
      func.func @power(%a: f64, %b: f64, %ok: i1) -> i32 {
        cf.assert %ok, "the exponent is small"
        %p = math.powf %a, %b : f64
        %r = arith.fptosi %p : f64 to i32
        return %r : i32
      }
      func.func @wide(%a: i64) -> i64 { return %a : i64 }
    )mlir");
    image = kept(compiled);
  }
  Result<HostCode> loaded = HostCode::load(image);
  ASSERT_TRUE(loaded.ok()) << refusal(loaded);
  EXPECT_EQ(loaded->functions(), (std::vector<std::string>{"power", "wide"}));
  double a = 3, b = 4;
  bool yes = true, no = false;
  EXPECT_EQ(called(*loaded, "power", pointersTo(a, b, yes)), 81);
  EXPECT_EQ(refusal(loaded->call("power", pointersTo(a, b, no))),
            "an assertion of the host function 'power' does not hold: the exponent is small");
  EXPECT_FALSE(loaded->call("power", pointersTo(a, b)));
  EXPECT_FALSE(loaded->call("wide", pointersTo(a)));
  EXPECT_FALSE(loaded->image().object.empty());
}

TEST_F(HostCodeTest, ImagesThatAreNone) {
  HostImage image = kept(must("func.func @f() { return }"));
  image.object = "no object file";
  EXPECT_FALSE(HostCode::load(image));
  image.object = "";
  EXPECT_FALSE(HostCode::load(image)); // f is not there
  EXPECT_TRUE(HostCode::load(kept(must("module {}"))));
  EXPECT_FALSE(HostImage::from({}));
  EXPECT_FALSE(HostImage::from(std::vector<std::string>{"object", "f", "1"}));
  EXPECT_FALSE(HostImage::from(std::vector<std::string>{"object", "f", "one", "i32"}));
  EXPECT_NE(hostMachine(), "");
}

TEST_F(HostCodeTest, CallsByName) {
  HostCode code = must(R"mlir(
    func.func @sub(%a: i32, %b: i32) -> i32 { %r = arith.subi %a, %b : i32  return %r : i32 }
    func.func @nothing() { return }
    func.func @wide(%a: i64) -> i64 { return %a : i64 }
  )mlir");
  EXPECT_EQ(code.functions(), (std::vector<std::string>{"sub", "nothing", "wide"}));
  int32_t a = 7, b = 9;
  EXPECT_EQ(called(code, "sub", pointersTo(a, b)), -2);
  EXPECT_EQ(called(code, "nothing", {}), 0);
  HostCode moved = std::move(code);
  EXPECT_EQ(called(moved, "sub", pointersTo(b, a)), 2);
}

TEST_F(HostCodeTest, BadCalls) {
  HostCode code = must(R"mlir(
    func.func @sub(%a: i32, %b: i32) -> i32 { %r = arith.subi %a, %b : i32  return %r : i32 }
    func.func @wide(%a: i64) -> i64 { return %a : i64 }
  )mlir");
  int32_t a = 7;
  int64_t w = 1;
  EXPECT_EQ(refusal(code.call("add", pointersTo(a))),
            "there is no host function 'add'; there are sub, wide");
  EXPECT_EQ(refusal(code.call("sub", pointersTo(a))),
            "the host function 'sub' takes 2 values, but got 1");
  EXPECT_EQ(refusal(code.call("wide", pointersTo(w))),
            "the host function 'wide' returns i64: expects i32 or nothing");
  std::vector<void *> withNull = {&a, nullptr};
  EXPECT_EQ(
      refusal(code.call("sub", withNull)),
      "argument 1 of the host function 'sub' is a null pointer: expects a pointer to its value");
}

TEST_F(HostCodeTest, AnEmptyModule) {
  HostCode code = must("");
  EXPECT_EQ(refusal(code.call("f", {})), "there is no host function 'f'; there is none");
}

TEST_F(HostCodeTest, NumbersOfAllKinds) {
  HostCode code = must(R"mlir(
    func.func @all(%a: i1, %b: i8, %c: i16, %d: i64, %e: f16, %f: bf16, %g: f32, %h: f64, %i: index) -> i32 {
      %a1 = arith.extui %a : i1 to i32
      %b1 = arith.extsi %b : i8 to i32
      %c1 = arith.extsi %c : i16 to i32
      %d1 = arith.trunci %d : i64 to i32
      %e1 = arith.fptosi %e : f16 to i32
      %f1 = arith.extf %f : bf16 to f32
      %f2 = arith.fptosi %f1 : f32 to i32
      %g1 = arith.fptosi %g : f32 to i32
      %h1 = arith.fptosi %h : f64 to i32
      %i1 = arith.index_cast %i : index to i32
      %s0 = arith.addi %a1, %b1 : i32
      %s1 = arith.addi %s0, %c1 : i32
      %s2 = arith.addi %s1, %d1 : i32
      %s3 = arith.addi %s2, %e1 : i32
      %s4 = arith.addi %s3, %f2 : i32
      %s5 = arith.addi %s4, %g1 : i32
      %s6 = arith.addi %s5, %h1 : i32
      %s7 = arith.addi %s6, %i1 : i32
      return %s7 : i32
    })mlir");
  uint8_t a = 1;
  int8_t b = 20;
  int16_t c = 300;
  int64_t d = 4000;
  uint16_t e = 0x5640 /* f16 100 */, f = 0x4348 /* bf16 200 */;
  float g = 50000;
  double h = 600000;
  int64_t i = 7000000;
  EXPECT_EQ(called(code, "all", pointersTo(a, b, c, d, e, f, g, h, i)),
            1 + 20 + 300 + 4000 + 100 + 200 + 50000 + 600000 + 7000000);
}

TEST_F(HostCodeTest, TruncationToNarrowFloats) {
  HostCode code = must(R"mlir(
    func.func @narrow(%x: f32, %y: f64) -> i32 {
      %h = arith.truncf %x : f32 to f16
      %b = arith.truncf %x : f32 to bf16
      %d = arith.truncf %y : f64 to f16
      %hi = arith.bitcast %h : f16 to i16
      %bi = arith.bitcast %b : bf16 to i16
      %di = arith.bitcast %d : f16 to i16
      %h32 = arith.extui %hi : i16 to i32
      %b32 = arith.extui %bi : i16 to i32
      %d32 = arith.extui %di : i16 to i32
      %c16 = arith.constant 16 : i32
      %up = arith.shli %b32, %c16 : i32
      %both = arith.ori %up, %h32 : i32
      %all = arith.xori %both, %d32 : i32
      return %all : i32
    })mlir");
  float x = 1.0f / 3;
  double y = 2;
  // 1/3 is 0x3555 in f16 and 0x3EAB in bf16; 2 is 0x4000 in f16.
  EXPECT_EQ(called(code, "narrow", pointersTo(x, y)), int32_t(0x3EAB3555 ^ 0x4000));
}

TEST_F(HostCodeTest, MathematicsOfTheHost) {
  HostCode code = must(R"mlir(
    func.func @scale(%x: f32) -> i32 {
      %e = math.exp2 %x : f32
      %l = math.log %e : f32
      %c = arith.constant 1.0e6 : f32
      %s = arith.mulf %l, %c : f32
      %r = arith.fptosi %s : f32 to i32
      return %r : i32
    })mlir");
  float x = 3;
  EXPECT_NEAR(called(code, "scale", pointersTo(x)), 3 * std::log(2.0) * 1e6, 2);
}

/// Structs with holes: what pack() lays out is what compiled code reads.
TEST_F(HostCodeTest, StructsAsPacked) {
  HostCode code = must(R"mlir(
    func.func @sum(%a: !cute.memref<f32, gmem, "(?,?,?):(1,?{i64},?)">) -> i32 {
      %l = cute.get_layout(%a) : !cute.memref<f32, gmem, "(?,?,?):(1,?{i64},?)">
      %s = cute.get_shape(%l) : (!cute.layout<"(?,?,?):(1,?{i64},?)">) -> !cute.shape<"(?,?,?)">
      %d = cute.get_stride(%l) : (!cute.layout<"(?,?,?):(1,?{i64},?)">) -> !cute.stride<"(1,?{i64},?)">
      %s0, %s1, %s2 = cute.get_leaves(%s) : !cute.shape<"(?,?,?)">
      %d0, %d1, %d2 = cute.get_leaves(%d) : !cute.stride<"(1,?{i64},?)">
      %ti0 = cute.to_int_tuple(%s0) : !cute.shape<"?"> to !cute.int_tuple<"?">
      %ti1 = cute.to_int_tuple(%s1) : !cute.shape<"?"> to !cute.int_tuple<"?">
      %ti2 = cute.to_int_tuple(%s2) : !cute.shape<"?"> to !cute.int_tuple<"?">
      %ti3 = cute.to_int_tuple(%d1) : !cute.stride<"?{i64}"> to !cute.int_tuple<"?{i64}">
      %ti4 = cute.to_int_tuple(%d2) : !cute.stride<"?"> to !cute.int_tuple<"?">
      %v0 = cute.get_scalars(%ti0) : !cute.int_tuple<"?">
      %v1 = cute.get_scalars(%ti1) : !cute.int_tuple<"?">
      %v2 = cute.get_scalars(%ti2) : !cute.int_tuple<"?">
      %v3 = cute.get_scalars(%ti3) : !cute.int_tuple<"?{i64}">
      %v4 = cute.get_scalars(%ti4) : !cute.int_tuple<"?">
      %v3n = arith.trunci %v3 : i64 to i32
      %r0 = arith.addi %v0, %v1 : i32
      %r1 = arith.addi %r0, %v2 : i32
      %r2 = arith.addi %r1, %v3n : i32
      %r3 = arith.addi %r2, %v4 : i32
      return %r3 : i32
    })mlir");
  mlir::Type lowered =
      session.type("!llvm.struct<(ptr<1>, struct<(struct<(i32, i32, i32)>, struct<(i64, i32)>)>)>");
  std::vector<std::byte> bytes =
      run::pack(*packingOf(lowered), std::array<uint64_t, 6>{0x1234, 1, 20, 300, 4000, 50000});
  // ptr at 0, i32 at 8, 12, 16, then i64 at 24 and i32 at 32, padded to 40.
  EXPECT_EQ(hexOf(bytes),
            "3412000000000000 0100000014000000 2c01000000000000 a00f000000000000 50c3000000000000");
  std::vector<void *> arguments = {bytes.data()};
  EXPECT_EQ(called(code, "sum", arguments), 54321);
}

TEST_F(HostCodeTest, PrintsToStandardOutput) {
  HostCode code = must(R"mlir(
    func.func @say(%n: i32) -> i32 {
      cute.print("n = {}\n", %n) : i32
      return %n : i32
    })mlir");
  int32_t n = 42;
  testing::internal::CaptureStdout();
  EXPECT_EQ(called(code, "say", pointersTo(n)), 42);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "n = 42\n");
}

TEST_F(HostCodeTest, HostMemoryThroughGenericPointers) {
  HostCode code = must(R"mlir(
    func.func @at(%a: !cute.memref<i32, generic, "(?,?):(?,1)">) -> i32 {
      %c = cute.make_coord() : () -> !cute.coord<"(1,2)">
      %v = cute.memref.load(%a, %c) : (!cute.memref<i32, generic, "(?,?):(?,1)">, !cute.coord<"(1,2)">) -> i32
      return %v : i32
    })mlir");
  int32_t data[2][4] = {{0, 1, 2, 3}, {10, 11, 12, 13}};
  struct {
    int32_t *pointer = nullptr;
    int32_t extents[2] = {2, 4}, stride = 4;
  } tensor;
  tensor.pointer = &data[0][0];
  EXPECT_EQ(called(code, "at", pointersTo(tensor)), 12);
}

TEST_F(HostCodeTest, AFailedAssertionIsAReason) {
  HostCode code = must(R"mlir(
    func.func @check(%n: i32) -> i32 {
      %c8 = arith.constant 8 : i32
      %ok = arith.cmpi slt, %n, %c8 : i32
      cf.assert %ok, "n must be below 8"
      return %n : i32
    })mlir");
  int32_t small = 3, large = 9;
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(called(code, "check", pointersTo(small)), 3);
    EXPECT_EQ(refusal(code.call("check", pointersTo(large))),
              "an assertion of the host function 'check' does not hold: n must be below 8");
  }
}

TEST_F(HostCodeTest, ADivisionWithoutAQuotientIsAReason) {
  HostCode code = must(R"mlir(
    func.func @quotient(%a: i32, %b: i32) -> i32 {
      %q = arith.divsi %a, %b : i32
      return %q : i32
    }
    func.func @rest(%a: i32, %b: i32) -> i32 {
      %q = arith.remui %a, %b : i32
      return %q : i32
    }
    func.func @tiles(%a: i32, %b: i32) -> i32 {
      %q = arith.ceildivsi %a, %b : i32
      return %q : i32
    }
    func.func @pairs(%a: i32, %b: i32) -> i32 {
      %c7 = arith.constant 7 : i32
      %x = vector.from_elements %a, %c7 : vector<2xi32>
      %y = vector.from_elements %b, %c7 : vector<2xi32>
      %q = arith.divui %x, %y : vector<2xi32>
      %r = vector.extract %q[0] : i32 from vector<2xi32>
      return %r : i32
    })mlir");
  int32_t seventeen = 17, five = 5, zero = 0, least = INT32_MIN, minusOne = -1;
  for (auto [name, result] : {std::pair("quotient", 3), {"rest", 2}, {"tiles", 4}, {"pairs", 3}}) {
    EXPECT_EQ(called(code, name, pointersTo(seventeen, five)), result);
    EXPECT_EQ(refusal(code.call(name, pointersTo(seventeen, zero))),
              std::string("an assertion of the host function '") + name +
                  "' does not hold: a number is divided by zero, or the smallest one by -1");
  }
  EXPECT_NE(refusal(code.call("quotient", pointersTo(least, minusOne))).find("smallest one by -1"),
            std::string::npos);
  EXPECT_EQ(called(code, "quotient", pointersTo(seventeen, minusOne)), -17);
}

TEST_F(HostCodeTest, AFunctionMayHaveTheNameOfOneOfC) {
  HostCode code = must("func.func @printf(%a: i32) -> i32 { return %a : i32 }");
  int32_t a = 4;
  EXPECT_EQ(called(code, "printf", pointersTo(a)), 4);
}

TEST_F(HostCodeTest, OnlyKnownFunctionsAreCalled) {
  Result<HostCode> code = compile(R"mlir(
    llvm.func @system(!llvm.ptr) -> i32
    llvm.func @f(%p: !llvm.ptr) -> i32 { %r = llvm.call @system(%p) : (!llvm.ptr) -> i32  llvm.return %r : i32 }
  )mlir");
  std::string sentence = refusal(code);
  EXPECT_EQ(sentence.substr(0, sentence.find(':')), "the host functions cannot be compiled");
  EXPECT_NE(sentence.find("Symbols not found: [ system ]"), std::string::npos) << sentence;
}

TEST_F(HostCodeTest, WhatDoesNotTranslate) {
  mlir::OwningOpRef<mlir::ModuleOp> unlowered =
      session.parse("func.func @f(%a: i32) -> i32 { return %a : i32 }");
  std::string diagnostic;
  mlir::ScopedDiagnosticHandler handler(&session.context,
                                        [&](mlir::Diagnostic &d) { diagnostic = d.str(); });
  EXPECT_EQ(refusal(HostCode::compile(*unlowered)),
            "the host functions cannot be translated to LLVM IR");
  EXPECT_NE(diagnostic.find("func.func"), std::string::npos) << diagnostic;
}

} // namespace
} // namespace tessera::jit::test
