// What does not verify: types that do not go together, modifiers that an op or a type does not
// have, and control flow that goes nowhere.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Kernel.h"

#include <gtest/gtest.h>

using namespace tessera;
using namespace tessera::tile_eval;
using namespace tessera::tile_eval::test;
using tile_bytecode::RoundingMode;

namespace {

constexpr uint64_t of(RoundingMode mode) { return uint64_t(mode); }
constexpr auto none = std::nullopt;

struct Case {
  Op op;
  Types results;
  Attributes attributes;
  Types operands; // one in each column
  const char *problem;
};
const Case cases[] = {
    // Signatures.
    {Op::AddF,
     {"4xf32"},
     {none, 0},
     {"4xf32", "4xi32"},
     "expects a tile with elements of the type of the others as operand 'rhs', but got "
     "tile<4xi32>"},
    {Op::AddF,
     {"4xf32"},
     {none, 0},
     {"4xf32", "2xf32"},
     "expects a tile of the shape of the others as operand 'rhs', but got tile<2xf32>"},
    {Op::AddF,
     {"4xf16"},
     {none, 0},
     {"4xf32", "4xf32"},
     "expects a tile with elements of the type of the others as result 'result', but got "
     "tile<4xf16>"},
    {Op::AddF,
     {"4xi32"},
     {none, 0},
     {"4xi32", "4xi32"},
     "expects a tile of f16, bf16, f32 or f64 as operand 'lhs', but got tile<4xi32>"},
    {Op::AddF,
     {"tf32"},
     {none, 0},
     {"tf32", "tf32"},
     "expects a tile of f16, bf16, f32 or f64 as operand 'lhs', but got tile<tf32>"},
    {Op::AddI,
     {"i4"},
     {0},
     {"i4", "i4"},
     "expects a tile of integers of 1 to 64 bits as operand 'lhs', but got tile<i4>"},
    {Op::AddI, {"i32"}, {0}, {"token", "i32"}, "expects a tile as operand 'lhs', but got token"},
    {Op::IntToPtr,
     {"ptr<i8>"},
     {},
     {"i32"},
     "expects a tile of i64 as operand 'source', but got tile<i32>"},
    {Op::PtrToInt,
     {"i64"},
     {},
     {"i64"},
     "expects a tile of pointers as operand 'source', but got tile<i64>"},
    {Op::MmaI,
     {"1x1xi32"},
     {0, 0},
     {"1x1xi16", "1x1xi8", "1x1xi32"},
     "expects a tile of i8 as operand 'lhs', but got tile<1x1xi16>"},
    {Op::MmaI,
     {"1x1xi64"},
     {0, 0},
     {"1x1xi8", "1x1xi8", "1x1xi64"},
     "expects a tile of i32 as operand 'acc', but got tile<1x1xi64>"},
    {Op::Select,
     {"i32"},
     {},
     {"i8", "i32", "i32"},
     "expects a tile of i1 as operand 'cond', but got tile<i8>"},
    {Op::FToF,
     {"f32"},
     {0},
     {"i32"},
     "expects a tile of floating-point numbers as operand 'from_', but got tile<i32>"},
    {Op::ExtI,
     {"f32"},
     {0},
     {"i8"},
     "expects a tile of integers as result 'result', but got tile<f32>"},
    {Op::Bitcast,
     {"ptr<i8>"},
     {},
     {"i64"},
     "expects a tile of numbers as result 'result', but got tile<ptr<i8>>"},
    {Op::Extract,
     {"2xi32"},
     {},
     {"4xi32", "1xi32"},
     "expects a scalar as operand 'indices', but got tile<1xi32>"},
    {Op::Offset,
     {"2xptr<i8>"},
     {},
     {"2xptr<i16>", "2xi32"},
     "expects a tile with elements of the type of the others as result 'result', but got "
     "tile<2xptr<i8>>"},
    {Op::JoinTokens,
     {"token"},
     {},
     {"i32"},
     "expects a token as operand 'tokens', but got tile<i32>"},
    // Roundings and flush_to_zero.
    {Op::AddF,
     {"f32"},
     {none, of(RoundingMode::Approx)},
     {"f32", "f32"},
     "expects one of the roundings nearest_even, zero, negative_inf, positive_inf, but got approx"},
    {Op::MulF,
     {"f32"},
     {none, of(RoundingMode::NearestAway)},
     {"f32", "f32"},
     "expects one of the roundings nearest_even, zero, negative_inf, positive_inf, but got "
     "nearest_away"},
    {Op::DivF,
     {"f16"},
     {none, of(RoundingMode::Full)},
     {"f16", "f16"},
     "expects f32 for the rounding full"},
    {Op::Sqrt,
     {"f64"},
     {none, of(RoundingMode::Approx)},
     {"f64"},
     "expects f32 for the rounding approx"},
    {Op::Sqrt,
     {"f32"},
     {none, of(RoundingMode::Full)},
     {"f32"},
     "expects one of the roundings nearest_even, zero, negative_inf, positive_inf, approx, but got "
     "full"},
    {Op::SubF, {"f16"}, {1, 0}, {"f16", "f16"}, "expects f32 for flush_to_zero"},
    {Op::Fma, {"f64"}, {1, 0}, {"f64", "f64", "f64"}, "expects f32 for flush_to_zero"},
    {Op::Exp2, {"f16"}, {1}, {"f16"}, "expects f32 for flush_to_zero"},
    {Op::Rsqrt, {"bf16"}, {1}, {"bf16"}, "expects f32 for flush_to_zero"},
    {Op::MaxF, {"f64"}, {none, 1}, {"f64", "f64"}, "expects f32 for flush_to_zero"},
    {Op::Exp,
     {"f32"},
     {of(RoundingMode::NearestEven)},
     {"f32"},
     "expects the rounding full or approx, but got nearest_even"},
    {Op::TanH, {"f16"}, {of(RoundingMode::Approx)}, {"f16"}, "expects f32 for the rounding approx"},
    {Op::FPowI, {"f32"}, {}, {"f32", "i64"}, "expects an exponent of at most 32 bits"},
    // Integers.
    {Op::NegI, {"i32"}, {2}, {"i32"}, "expects the overflow none or no_signed_wrap"},
    {Op::DivI,
     {"i32"},
     {1, of(RoundingMode::NearestEven)},
     {"i32", "i32"},
     "expects the rounding zero, positive_inf or negative_inf, but got nearest_even"},
    // Conversions.
    {Op::ExtI, {"i8"}, {0}, {"i8"}, "expects a wider result than 8 bits, but got 8"},
    {Op::TruncI, {"i16"}, {0}, {"i8"}, "expects a narrower result than 8 bits, but got 16"},
    {Op::FToF, {"f32"}, {0}, {"f32"}, "expects two different types"},
    {Op::FToF,
     {"f32"},
     {of(RoundingMode::Full)},
     {"f64"},
     "expects a rounding to nearest or in a direction, but got full"},
    {Op::FToF,
     {"f8E8M0FNU"},
     {0},
     {"f32"},
     "expects the rounding zero or positive_inf to f8E8M0FNU, but got nearest_even"},
    {Op::FToI,
     {"i32"},
     {none, 1, of(RoundingMode::Zero)},
     {"f32"},
     "expects the rounding nearest_int_to_zero"},
    {Op::IToF, {"f32"}, {1, of(RoundingMode::Zero)}, {"i32"}, "expects the rounding nearest_even"},
    {Op::IToF, {"f8E8M0FNU"}, {1, 0}, {"i32"}, "expects a type other than f8E8M0FNU"},
};

} // namespace

TEST(Verify, RefusesTypesAndModifiers) {
  for (const Case &c : cases) {
    std::vector<std::vector<Tile>> operands;
    for (const std::string &type : c.operands)
      operands.push_back({{type, {0}}});
    EXPECT_EQ(One().outcome(c.op, c.results, c.attributes, operands),
              cat("Unverified: ", rowOf(c.op).name, ": ", c.problem));
  }
}

// Directed roundings of ftof came with 13.4.
TEST(Verify, KnowsTheVersionOfRoundings) {
  for (uint8_t minor : {3, 4}) {
    Kernel kernel({"f32"}, {13, minor});
    kernel.add(Op::FToF, {"f16"}, {of(RoundingMode::Zero)}, {{0}});
    Interpreter interpreter(kernel.finish());
    uint64_t one = 0x3f800000;
    EXPECT_EQ(textOf(interpreter.launch("k", {1, 1, 1}, {&one, 1})),
              minor == 4 ? "ok"
                         : "Unverified: ftof: expects the rounding nearest_even before 13.4, but "
                           "got zero");
  }
}

namespace {

using Numbers = std::vector<Index>;

/// What is wrong with a kernel whose arguments are i1 and i32.
std::string problem(const std::function<void(Kernel &)> &body) {
  Kernel kernel({"i1", "i32"});
  body(kernel);
  Interpreter interpreter(kernel.finish());
  uint64_t arguments[] = {1, 5};
  std::string text = textOf(interpreter.launch("k", {1, 1, 1}, arguments));
  return text.starts_with("Unverified: ") ? text.substr(12) : text;
}
Region ending(Kernel &kernel, Op op, const Numbers &values = {}, const Types &arguments = {}) {
  return kernel.region(arguments, [&](const Numbers &) { kernel.add(op, {}, {}, {values}); });
}

} // namespace

TEST(Verify, RefusesControlFlowThatGoesNowhere) {
  const char *nowhere = "expects to be in a block that it can end";
  EXPECT_EQ(problem([](Kernel &k) { k.add(Op::Yield, {}, {}, {{}}); }), cat("yield: ", nowhere));
  EXPECT_EQ(problem([](Kernel &k) { k.add(Op::Break, {}, {}, {{}}); }), cat("break: ", nowhere));
  EXPECT_EQ(problem([](Kernel &k) {
              k.add(Op::If, {}, {}, {{0}}, {ending(k, Op::Continue), ending(k, Op::Yield)});
            }),
            cat("continue: ", nowhere));
  // A `for` cannot be broken out of, and a `loop` around it does not help.
  EXPECT_EQ(problem([](Kernel &k) {
              Region body = k.region({}, [&](const Numbers &) {
                Region inner = ending(k, Op::Break, {}, {"i32"});
                k.add(Op::For, {}, {none}, {{1}, {1}, {1}, {}}, {inner});
                k.add(Op::Break, {}, {}, {{}});
              });
              k.add(Op::Loop, {}, {}, {{}}, {body});
            }),
            cat("break: ", nowhere));
  EXPECT_EQ(problem([](Kernel &k) { k.add(Op::Loop, {}, {}, {{}}, {ending(k, Op::Return)}); }),
            "return: expects no operands, and to be in no loop");
  EXPECT_EQ(problem([](Kernel &k) { k.add(Op::Return, {}, {}, {{1}}); }),
            "return: expects no operands, and to be in no loop");
  EXPECT_EQ(problem([](Kernel &k) {
              Region body = k.region({}, [&](const Numbers &) {
                k.add(Op::Break, {}, {}, {{}});
                k.add(Op::Break, {}, {}, {{}});
              });
              k.add(Op::Loop, {}, {}, {{}}, {body});
            }),
            "break: expects to be the last instruction of its block");
}

TEST(Verify, RefusesTypesOfRegions) {
  EXPECT_EQ(problem([](Kernel &k) {
              k.add(Op::If, {"i32"}, {}, {{0}},
                    {ending(k, Op::Yield, {0}), ending(k, Op::Yield, {1})});
            }),
            "yield: expects operands of (tile<i32>), but got (tile<i1>)");
  EXPECT_EQ(problem([](Kernel &k) {
              Region nothing = k.region({}, [](const Numbers &) {});
              k.add(Op::If, {"i32"}, {}, {{0}}, {nothing, ending(k, Op::Yield, {1})});
            }),
            "if: expects a block that ends with a terminator");
  EXPECT_EQ(problem([](Kernel &k) {
              Region body = ending(k, Op::Continue, {}, {"i64"});
              k.add(Op::For, {}, {none}, {{1}, {1}, {1}, {}}, {body});
            }),
            "for: expects a block with arguments of (tile<i32>), but got (tile<i64>)");
  EXPECT_EQ(problem([](Kernel &k) {
              Region body = ending(k, Op::Continue, {0}, {"i32", "i1"});
              k.add(Op::For, {"i32"}, {none}, {{1}, {1}, {1}, {0}}, {body});
            }),
            "for: expects results of the types of its initial values");
  // The reader sees to the number of regions; a program may come from elsewhere.
  EXPECT_EQ(problem([](Kernel &k) { k.add(Op::Loop, {}, {}, {{}}); }),
            "loop: expects 1 regions, but got 0");
  EXPECT_EQ(problem([](Kernel &k) { k.add(Op::AbsI, {"i32"}, {}, {{9}}); }),
            "absi: expects values that are defined before their use");
}

// Ops of tests of versions have no meaning here.
TEST(Verify, RefusesOpsWithoutAMeaning) {
  Kernel kernel;
  kernel.add(Op::TestingBytecodeTestNewAttribute, {}, {}, {});
  Interpreter interpreter(kernel.finish());
  EXPECT_EQ(textOf(interpreter.launch("k", {1, 1, 1}, {})),
            "Unsupported: testing$bytecode_test_new_attribute: the interpreter does not have this "
            "op");
}
