// Whether results state as much of their dynamic leaves as can be known: divisibility against the
// values that the operands allow, width against the widest operand.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The greatest common divisor of all values is what is true; what is stated must be that.
// docs/layout.md names the rules by which less is stated: the quotient of ceil_div (the IR's own),
// a leaf that an expression has twice, what is left of a number by a leaf, bits that follow from
// more than a divisor, and values that a precondition leaves out. `Derivation` says which a leaf
// comes under.
#include "test/layout/Property.h"
#include "test/layout/Sample.h"

#include <functional>
#include <numeric>
#include <set>

using namespace tessera;
using namespace tessera::layout;
using namespace tessera::layout::test;

namespace {

/// How a leaf was computed.
struct Derivation {
  std::string text;
  std::multiset<uint32_t> inputs;
  bool roundsUp = false, rest = false, shifted = false, bitLost = false;
  Width width = Width::I32; // of the widest operand on the way

  bool tight() const {
    return !roundsUp && !rest && !bitLost &&
           std::set(inputs.begin(), inputs.end()).size() == inputs.size();
  }
};

class Derive final : public Arith {
public:
  Int input(Int like) {
    const uint32_t id = uint32_t(all.size());
    all.push_back(
        {cat(char('a' + id - 1), str(like)), {id}, false, false, false, false, like.width});
    return Int::dynamic(id, like.width, like.div);
  }
  Derivation of(Int x) const {
    if (!x.isStatic())
      return all[x.id];
    return {
        cat(x.value), {}, false, false, false, false, fitsI32(x.value) ? Width::I32 : Width::I64};
  }

private:
  uint32_t emit(LeafOp op, Int a, Int b, Width) override {
    static const char *const names[] = {"+",   "-", "*", "/", "/",  "ceil_div", "mod", "min",
                                        "max", "&", "|", "^", ">>", "<",        "=="};
    Derivation out = of(a), right = of(b);
    out.text = cat("(", out.text, " ", names[size_t(op)], " ", right.text, ")");
    out.inputs.insert(right.inputs.begin(), right.inputs.end());
    out.roundsUp |= right.roundsUp || op == LeafOp::CeilDiv;
    out.rest |= right.rest || (op == LeafOp::Mod && a.isStatic());
    // A divisor says nothing of the bits above its own: neither which a mask leaves none of, nor
    // those of a * div + number.
    const bool none = b.isStatic() && (b.value & -(a.div & -a.div)) == 0;
    out.bitLost |= right.bitLost || (op == LeafOp::And && (none || out.shifted));
    out.shifted |= right.shifted || (op == LeafOp::Add && (a.isStatic() || b.isStatic()));
    out.width = std::max(out.width, right.width);
    all.push_back(std::move(out));
    return uint32_t(all.size() - 1);
  }

  std::vector<Derivation> all = {{}};
};

/// The dynamic leaves of arguments, as `f` makes them.
Values mapped(Values in, const std::function<Int(Int)> &f) {
  auto change = [&](Leaf &leaf) {
    if (!leaf.isStatic())
      leaf.value = f(leaf.value);
  };
  for (AnyLayout &l : in.layouts)
    forEachLeaf(l, change);
  for (Tree &t : in.trees)
    t.forEachLeaf(change);
  return in;
}
std::vector<Int> dynamicLeaves(Sliced out) {
  std::vector<Int> all;
  auto take = [&](Leaf &leaf) {
    if (!leaf.isStatic())
      all.push_back(leaf.value);
  };
  forEachLeaf(out.layout, take);
  out.offset.forEachLeaf(take);
  return all;
}

/// A multiple of `divisor`: often itself, often small, else with high bits. 128 of them have
/// nothing else in common.
int64_t multiple(Random &random, int64_t divisor) {
  static const int64_t most[] = {1, 1, 12, 12, 4096};
  return divisor * (1 + random.below(most[random.below(std::size(most))]));
}

class Tightness : public testing::TestWithParam<Property> {};

TEST_P(Tightness, IsThatOfTheValues) {
  const Property &property = GetParam();
  Random random(3);
  int judged = 0;
  bool dynamic = false; // some operations have static results, or refuse dynamic operands
  for (int i = 0; i < cases(100) && !HasFailure(); ++i) {
    Interp unused;
    const Values in = loosened(property.make(random), random, unused);
    Derive derive;
    const Result<Sliced> derived =
        property.run(derive, mapped(in, [&](Int x) { return derive.input(x); }));
    if (!derived)
      continue;
    const std::vector<Int> stated = dynamicLeaves(*derived);
    for (Int x : stated)
      EXPECT_EQ(x.width, derive.of(x).width)
          << show(in) << "-> " << show(derived) << ": " << derive.of(x).text;

    dynamic |= !stated.empty();
    std::vector<int64_t> common(stated.size());
    bool all = true; // no precondition excludes values
    for (int combination = 0; combination < 128 && all; ++combination) {
      Interp arith;
      const Result<Sliced> out = property.run(
          arith,
          mapped(in, [&](Int x) { return arith.input(multiple(random, x.div), x.width, x.div); }));
      all = out && !arith.violated();
      for (size_t k = 0; all && k < stated.size(); ++k) {
        const int64_t value = arith.valueOf(dynamicLeaves(*out)[k]);
        common[k] = std::gcd(common[k], value);
        all &= (uint64_t(value) & ~stated[k].mask) == 0; // else a coordinate was beyond its extent
      }
    }
    for (size_t k = 0; all && k < stated.size(); ++k)
      if (common[k] != 0 && derive.of(stated[k]).tight() && ++judged)
        EXPECT_EQ(stated[k].div, common[k])
            << show(in) << "-> " << show(derived) << ": " << derive.of(stated[k]).text;
  }
  EXPECT_EQ(judged > 0, dynamic) << "no result was judged";
}

INSTANTIATE_TEST_SUITE_P(Of, Tightness, testing::ValuesIn(allProperties()),
                         [](const auto &info) { return std::string(info.param.name); });

/// An operation on two leaves, and which values it takes.
struct OnLeaves {
  const char *name;
  Int (*run)(Arith &, Int, Int);
  int64_t (*value)(int64_t, int64_t);
  enum {
    Any,
    StaticRight,
    DynamicLeft,
    Bits
  } operands = Any;
};
const OnLeaves onLeaves[] = {
    {"add", [](Arith &m, Int a, Int b) { return m.add(a, b); },
     [](int64_t a, int64_t b) { return a + b; }},
    {"sub", [](Arith &m, Int a, Int b) { return m.sub(a, b); },
     [](int64_t a, int64_t b) { return a - b; }},
    {"mul", [](Arith &m, Int a, Int b) { return m.mul(a, b); },
     [](int64_t a, int64_t b) { return a * b; }},
    {"div", [](Arith &m, Int a, Int b) { return m.div(a, b); },
     [](int64_t a, int64_t b) { return a / b; }},
    {"mod", [](Arith &m, Int a, Int b) { return m.mod(a, b); },
     [](int64_t a, int64_t b) { return a % b; }, OnLeaves::DynamicLeft},
    {"min", [](Arith &m, Int a, Int b) { return m.min(a, b); },
     [](int64_t a, int64_t b) { return std::min(a, b); }},
    {"and", [](Arith &m, Int a, Int b) { return m.bitAnd(a, b); },
     [](int64_t a, int64_t b) { return a & b; }, OnLeaves::Bits},
    {"or", [](Arith &m, Int a, Int b) { return m.bitOr(a, b); },
     [](int64_t a, int64_t b) { return a | b; }, OnLeaves::Bits},
    {"xor", [](Arith &m, Int a, Int b) { return m.bitXor(a, b); },
     [](int64_t a, int64_t b) { return a ^ b; }, OnLeaves::Bits},
    {"shiftRight", [](Arith &m, Int a, Int b) { return m.shiftRight(a, int(b.value)); },
     [](int64_t a, int64_t b) { return a >> b; }, OnLeaves::StaticRight},
};

/// Of bits only the low zeros count: the powers of two in a divisor.
int64_t counted(const OnLeaves &op, int64_t divisor) {
  return op.operands == OnLeaves::Bits || op.operands == OnLeaves::StaticRight ? divisor & -divisor
                                                                               : divisor;
}

TEST(TightnessOfLeaves, IsThatOfTheValues) {
  const int64_t divisors[] = {1, 2, 3, 4, 6, 8, 12}, numbers[] = {1, 2, 3, 4, 5, 6, 8, 12, 16, 24};
  std::vector<Int> operands;
  for (int64_t divisor : divisors)
    operands.push_back(Int::dynamic(Symbolic::anonymous, Width::I32, divisor));
  operands.insert(operands.end(), std::begin(numbers), std::end(numbers));
  auto values = [](Int x) {
    std::vector<int64_t> all;
    for (int64_t k = 1; k <= (x.isStatic() ? 1 : 64); ++k)
      all.push_back(x.isStatic() ? x.value : k * x.div);
    return all;
  };
  for (const OnLeaves &op : onLeaves)
    for (Int a : operands)
      for (Int b : operands) {
        Symbolic types;
        if ((a.isStatic() && b.isStatic()) ||
            (op.operands == OnLeaves::StaticRight && !b.isStatic()) ||
            (op.operands == OnLeaves::DynamicLeft && a.isStatic()))
          continue;
        int64_t common = 0;
        for (int64_t x : values(a))
          for (int64_t y : values(b))
            common = std::gcd(common, op.value(x, y));
        const Int result = op.run(types, a, b);
        const std::string what = cat(op.name, " of ", str(a), " and ", str(b), " is ", str(result));
        if (result.isStatic())
          EXPECT_EQ(std::abs(result.value), common) << what;
        else if (common != 0)
          EXPECT_EQ(counted(op, result.div), counted(op, common)) << what;
      }
}

// -64 clears what a multiple of 64 has not got. (Found by a million cases of slices of swizzles.)
TEST(TightnessOfLeaves, AMaskThatClearsNothingKeepsTheDivisor) {
  Symbolic types;
  const Int multiple = Int::dynamic(Symbolic::anonymous, Width::I32, 192);
  EXPECT_EQ(str(types.bitAnd(multiple, -64)), "?{div=192}");
  EXPECT_EQ(str(types.bitAnd(-64, multiple)), "?{div=192}");
  EXPECT_EQ(str(types.bitAnd(multiple, -128)), "?{div=128}");
}

// Where less is stated than is true.
TEST(TightnessOfLeaves, IsLessByRule) {
  Symbolic types;
  const Int multiple = Int::dynamic(Symbolic::anonymous, Width::I32, 8192);
  EXPECT_EQ(str(types.ceilDiv(multiple, 256)),
            "?"); // the IR's, from a division of ?{div=8192} by a tile of 256
  EXPECT_EQ(str(types.mod(8, Int::dynamic(Symbolic::anonymous, Width::I32, 3))),
            "?"); // 2, 2, 8, 8, ...
  EXPECT_EQ(str(types.sub(types.mul(multiple, 2), multiple)), "?{div=8192}");
  EXPECT_EQ(str(types.add(types.mul(multiple, 3), multiple)),
            "?{div=8192}"); // 4 * ?{div=8192}: a leaf twice
}

} // namespace
