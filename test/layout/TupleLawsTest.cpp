// Laws of coordinates, indices and leaf arithmetic for random values, static and dynamic.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/layout/Random.h"
#include "test/layout/Reference.h"
#include "test/layout/Sample.h"

using namespace tessera;
using namespace tessera::layout;
using namespace tessera::layout::test;

namespace {

/// A coordinate or index as numbers.
Tree valuesOf(const Interp &values, const Tree &t) {
  return t.map([&](const Leaf &leaf) { return Leaf(Int(values.valueOf(leaf.value)), leaf.basis); });
}

TEST(CoordinateLaws, IndexAndCoordinateAreInverse) {
  Random random(3);
  for (int i = 0; i < cases() && !testing::Test::HasFailure(); ++i) {
    Interp arith;
    Tree fixed = random.shape(5, 200), shape = random.loosened(fixed, arith, int(random.below(50)));
    int64_t index = random.below(Reference(arith).size(fixed));
    Tree at = random.loosened(Tree(index), arith, 50);
    Tree coord = parsed(idx2crd(arith, at, shape));
    EXPECT_TRUE(congruent(coord, shape)) << str(shape);
    EXPECT_EQ(valuesOf(arith, parsed(crd2idx(arith, coord, compactMajor(arith, shape)))),
              Tree(index));
    // Each coordinate lies within its extent.
    std::vector<Leaf> c = coord.leaves(), s = fixed.leaves();
    for (size_t leaf = 0; leaf < c.size(); ++leaf) {
      EXPECT_LT(arith.valueOf(c[leaf].value), s[leaf].value.value) << index << " in " << str(fixed);
    }
    EXPECT_FALSE(arith.violated());
  }
}

TEST(CoordinateLaws, IndexOfACoordinateIsTheSumOfItsModes) {
  Random random(4);
  for (int i = 0; i < cases() && !testing::Test::HasFailure(); ++i) {
    Interp arith;
    Layout fixed = random.chance(20) ? identityLayout(random.shape(5, 100))
                                     : random.layout(Strides(random.below(4)), 5, 100);
    Layout l = random.loosened(fixed, arith, int(random.below(50)));
    Tree coord = random.coord(fixed.shape, 10), loose = random.loosened(coord, arith, 30);
    Point expected = Reference(arith).at(fixed, coord);
    EXPECT_EQ(str(Reference(arith).point(parsed(crd2idx(arith, loose, l)))), str(expected))
        << str(coord) << " in " << str(l);
  }
}

TEST(CoordinateLaws, IncrementVisitsEveryCoordinateInOrder) {
  Random random(5);
  for (int i = 0; i < cases(40) && !testing::Test::HasFailure(); ++i) {
    Interp arith;
    Tree fixed = random.shape(4, 48), shape = random.loosened(fixed, arith, int(random.below(60)));
    Tree coord = random.loosened(repeatLike(fixed, Leaf(0)), arith, int(random.below(60)));
    int64_t size = Reference(arith).size(fixed);
    for (int64_t next = 1; next <= size; ++next) {
      coord = valuesOf(arith, parsed(incrementCoord(arith, coord, shape)));
      int64_t at = 0, stride = 1;
      std::vector<Leaf> coords = coord.leaves(), extents = fixed.leaves();
      for (size_t k = 0; k < coords.size(); ++k) {
        at += coords[k].value.value * stride;
        stride *= extents[k].value.value;
      }
      EXPECT_EQ(at, next) << str(coord) << " in " << str(fixed);
    }
  }
}

// What cute::detail::increment of CuTe C++ leaves: an end that no coordinate of the shape equals.
TEST(CoordinateLaws, IncrementEndsWhereIteratorsOfCuTeDo) {
  const char *steps[][3] = {{"(3,7)", "(4,8)", "(0,8)"},
                            {"3", "4", "4"},
                            {"(3,(2,7))", "(4,(3,8))", "(0,(0,8))"},
                            {"((1,2),0)", "((2,3),1)", "((0,0),1)"}};
  for (auto &[coord, shape, next] : steps) {
    Interp arith;
    EXPECT_EQ(str(parsed(incrementCoord(arith, tree(coord), tree(shape)))), next);
  }
}

TEST(CoordinateLaws, SwizzleIsAnInvolutionThatMovesOnlyItsTargetBits) {
  Random random(6);
  for (int i = 0; i < cases() && !testing::Test::HasFailure(); ++i) {
    Interp arith;
    Swizzle s = random.swizzle();
    int64_t index = int64_t(random.next() >> 40);
    int64_t moved = arith.valueOf(applySwizzle(arith, s, arith.input(index)));
    EXPECT_EQ(moved, swizzled(s, index)) << str(s) << " at " << index;
    EXPECT_EQ(applySwizzle(arith, s, index).value, moved);
    EXPECT_EQ(s(s(index)), index);
    EXPECT_EQ(uint64_t(moved ^ index) & ~s.targetMask(), 0u);
  }
}

TEST(CoordinateLaws, RecastOfASwizzleMovesWideElements) {
  EXPECT_EQ(show(recast(swizzle("S<3,4,3>"), 8, 16)), "S<3,3,3>");
  EXPECT_EQ(show(recast(swizzle("S<3,4,3>"), 16, 8)), "S<3,5,3>");
  EXPECT_EQ(refusal(recast(swizzle("S<3,4,3>"), 1, 32)), "SwizzleRecast");
  // No bits are moved below an element where none are moved at all.
  EXPECT_EQ(show(recast(swizzle("S<0,4,3>"), 1, 128)), "S<0,0,3>");
  Const arith;
  EXPECT_EQ(show(recast(arith, any("S<0,4,3> o 0 o (8,256):(256,1)"), 1, 128)), "(8,2):(2,1)");
}

TEST(CoordinateLaws, CosizeIsOneMoreThanTheLargestIndex) {
  Random random(7);
  for (int i = 0; i < cases() && !testing::Test::HasFailure(); ++i) {
    Interp arith;
    Layout fixed = random.layout(), l = random.loosened(fixed, arith, int(random.below(50)));
    std::vector<int64_t> all = Reference(arith).numbers(fixed);
    EXPECT_EQ(arith.valueOf(parsed(cosize(arith, l))),
              *std::max_element(all.begin(), all.end()) + 1)
        << str(l);
    EXPECT_EQ(arith.valueOf(size(arith, l)), int64_t(all.size()));
  }
}

/// ceil(a / b), and a / b where that is even, per leaf of shapes of the same profile.
TEST(CoordinateLaws, DivisionsOfShapesDivideTheirLeaves) {
  Random random(8);
  for (int i = 0; i < cases() && !testing::Test::HasFailure(); ++i) {
    Interp arith;
    Tree a = random.shape(4, 500),
         b = a.map([&](const Leaf &) { return Leaf(1 + random.below(8)); });
    Tree la = random.loosened(a, arith, int(random.below(60)));
    Tree lb = random.loosened(b, arith, int(random.below(60)));
    std::vector<Leaf> x = a.leaves(), y = b.leaves();
    std::vector<Leaf> up = parsed(ceilDiv(arith, la, lb)).leaves();
    for (size_t leaf = 0; leaf < x.size(); ++leaf) {
      int64_t n = x[leaf].value.value, d = y[leaf].value.value;
      EXPECT_EQ(arith.valueOf(up[leaf].value), (n + d - 1) / d) << str(la) << " / " << str(lb);
    }
    EXPECT_FALSE(arith.violated());
    Interp strict;
    Result<Tree> divided = shapeDiv(strict, a, b);
    for (size_t leaf = 0; divided && leaf < x.size(); ++leaf) {
      int64_t n = x[leaf].value.value, d = y[leaf].value.value;
      EXPECT_TRUE(n % d == 0 || d % n == 0) << str(a) << " / " << str(b);
      EXPECT_EQ(divided->leaves()[leaf].value.value, (n + d - 1) / d);
    }
  }
}

/// What the algebra takes to be positive is assumed where it is known at run time only.
TEST(ArithLaws, NegativeRunTimeValuesBreakAssumptions) {
  auto breaks = [](auto &&run) {
    Interp arith;
    run(arith, arith.input(-2));
    return arith.violated();
  };
  EXPECT_TRUE(
      breaks([](Arith &a, Int minus) { (void)complement(a, {Tree(4), Tree(minus)}, Tree(64)); }));
  EXPECT_TRUE(breaks(
      [](Arith &a, Int minus) { (void)cosize(a, AnyLayout(Layout{Tree(4), Tree(minus)})); }));
  EXPECT_TRUE(breaks([](Arith &a, Int minus) {
    (void)composition(a, lay("(4,8):(1,10)"), Layout{Tree(2), Tree(minus)});
  }));
  EXPECT_TRUE(breaks([](Arith &a, Int minus) { (void)div(a, Tree(minus), Tree(3)); }));
  EXPECT_TRUE(breaks([](Arith &a, Int minus) { (void)mod(a, Tree(minus), Tree(3)); }));
  // Strides of one mode are scaled, and those of a recast divided, whatever their sign.
  EXPECT_FALSE(breaks(
      [](Arith &a, Int minus) { (void)composition(a, lay("8:3"), Layout{Tree(2), Tree(minus)}); }));
  EXPECT_FALSE(breaks([](Arith &a, Int minus) {
    (void)upcast(a, {shape("(4,8)"), Tree::of({Tree(1), Tree(minus)})}, 2);
  }));
}

TEST(ArithLaws, AMultipleOfADynamicZeroHasNoBits) {
  Interp arith;
  Int zero = Arith::inRange(arith.input(0), 1); // the coordinate of a mode of extent 1
  EXPECT_EQ(zero.mask, 0u);
  EXPECT_EQ(arith.mul(zero, 6).mask, 0u); // found by UBSan: a shift beyond the width
  EXPECT_EQ(arith.mul(zero, 8).mask, 0u);
}

/// The facts of a random chain of operations hold for the number that it computes.
TEST(ArithLaws, FactsHoldForEveryValue) {
  struct Step {
    LeafOp op;
    Int (Arith::*of)(const Int &, const Int &);
  };
  static const Step steps[] = {
      {LeafOp::Add, &Arith::add},    {LeafOp::Sub, &Arith::sub},
      {LeafOp::Mul, &Arith::mul},    {LeafOp::Div, &Arith::div},
      {LeafOp::Mod, &Arith::mod},    {LeafOp::CeilDiv, &Arith::ceilDiv},
      {LeafOp::Min, &Arith::min},    {LeafOp::Max, &Arith::max},
      {LeafOp::And, &Arith::bitAnd}, {LeafOp::Or, &Arith::bitOr},
      {LeafOp::Xor, &Arith::bitXor}, {LeafOp::SignedDiv, &Arith::signedDiv}};
  Random random(9);
  for (int i = 0; i < cases() && !testing::Test::HasFailure(); ++i) {
    Interp arith;
    auto leaf = [&]() -> Int {
      int64_t value = 1 + random.below(64);
      if (random.chance(40))
        return value;
      int64_t div = random.chance(30) ? (value & -value) : 1;
      Int input = arith.input(value, random.chance(70) ? Width::I32 : Width::I64, div);
      return random.chance(50) ? Arith::inRange(input, value + 1 + random.below(8)) : input;
    };
    Int x = leaf();
    int64_t expected = arith.valueOf(x);
    for (int step = 0; step < 5; ++step) {
      Int y = leaf();
      const auto &[op, of] = steps[random.below(std::size(steps))];
      // Extents are positive, so min(x, 1) is 1; a dividend is not negative.
      if ((expected < 0 && op != LeafOp::SignedDiv) || (y.is(1) && op == LeafOp::Min))
        break;
      expected = x.is(1) && op == LeafOp::Min ? 1 : apply(op, expected, arith.valueOf(y));
      x = (arith.*of)(x, y);
      EXPECT_EQ(arith.valueOf(x), expected);
      if (x.isStatic())
        continue;
      EXPECT_EQ(expected % x.div, 0) << expected << " as " << str(x);
      EXPECT_EQ(uint64_t(expected) & ~x.mask, 0u) << expected << " has bits beyond " << x.mask;
      EXPECT_EQ(x.mask == ~uint64_t(0) ? 0 : x.ones & ~uint64_t(expected), 0u) << expected;
    }
  }
}

} // namespace
