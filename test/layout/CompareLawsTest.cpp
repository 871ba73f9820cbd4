// Laws of comparisons, reductions and regrouping of tuples, and of swizzles as functions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/layout/Random.h"
#include "test/layout/Reference.h"
#include "test/layout/Sample.h"

#include <algorithm>
#include <numeric>

using namespace tessera;
using namespace tessera::layout;
using namespace tessera::layout::test;

namespace {

/// The answer of a comparison as a truth; the types domain must give the same leaf.
template <class Compare>
bool answerOf(Interp &arith, const Tree &a, const Tree &b, Compare compare) {
  Symbolic types;
  Result<Int> value = compare(arith, a, b), type = compare(types, asType(a), asType(b));
  EXPECT_EQ(value.ok(), type.ok());
  if (!value || !type)
    return false;
  EXPECT_EQ(str(*value), str(*type)) << str(a) << " and " << str(b);
  EXPECT_TRUE(value->isStatic() || value->width == Width::I1);
  return arith.valueOf(*value) != 0;
}

/// A tuple of the profile of `t` with small numbers.
Tree numbersLike(Random &random, const Tree &t, int64_t below) {
  return t.map([&](const Leaf &) { return Leaf(random.below(below)); });
}
std::vector<int64_t> numbersOf(const Tree &t) {
  std::vector<int64_t> all;
  t.forEachLeaf([&](const Leaf &leaf) { all.push_back(leaf.value.value); });
  return all;
}

TEST(CompareLaws, OrdersAreThoseOfTheIndices) {
  Random random(11);
  for (int i = 0; i < cases() && !testing::Test::HasFailure(); ++i) {
    Interp arith;
    Tree shape = random.shape(4, 60);
    std::vector<int64_t> a, b;
    shape.forEachLeaf([&](const Leaf &extent) {
      a.push_back(random.below(extent.value.value));
      b.push_back(random.chance(40) ? a.back() : random.below(extent.value.value));
    });
    size_t next = 0;
    Tree x = shape.map([&](const Leaf &) { return Leaf(a[next++]); });
    next = 0;
    Tree y = shape.map([&](const Leaf &) { return Leaf(b[next++]); });
    Tree lx = random.loosened(x, arith, int(random.below(60))), ly = random.loosened(y, arith, 30);
    bool lex = a < b;
    bool colex = std::lexicographical_compare(a.rbegin(), a.rend(), b.rbegin(), b.rend());
    EXPECT_EQ(answerOf(arith, lx, ly, lexLess), lex) << str(x) << " " << str(y);
    EXPECT_EQ(answerOf(arith, lx, ly, colexLess), colex) << str(x) << " " << str(y);
    EXPECT_EQ(answerOf(arith, ly, lx, lexLeq), !lex);
    EXPECT_EQ(answerOf(arith, ly, lx, colexLeq), !colex);
    // colex is the order of the indices of a compact layout.
    Const plain;
    int64_t ix = parsed(crd2idx(plain, x, compactMajor(plain, shape))).leaf().value.value;
    int64_t iy = parsed(crd2idx(plain, y, compactMajor(plain, shape))).leaf().value.value;
    EXPECT_EQ(colex, ix < iy);
    bool elem = std::equal(a.begin(), a.end(), b.begin(), std::less<>());
    bool reverse = std::equal(b.begin(), b.end(), a.begin(), std::less<>());
    EXPECT_EQ(answerOf(arith, lx, ly, elemLess), elem);
    EXPECT_EQ(answerOf(arith, lx, ly, elemGtr), reverse);
    EXPECT_EQ(answerOf(arith, lx, ly, elemLeq), !reverse);
    EXPECT_EQ(answerOf(arith, lx, ly, elemGeq), !elem);
  }
}

TEST(CompareLaws, OfTuplesThatAgreeTheShorterIsLess) {
  Const arith;
  EXPECT_TRUE(parsed(lexLess(arith, tree("(7,(1,5))"), tree("(7,(1,5),4)"))).is(1));
  EXPECT_TRUE(parsed(lexLess(arith, tree("(7,(1,5),4)"), tree("(7,(1,5))"))).is(0));
  EXPECT_EQ(refusal(lexLess(arith, tree("(7,1)"), tree("(7,(1))"))), "StructureMismatch");
  EXPECT_EQ(refusal(colexLess(arith, tree("(8,4)"), tree("8"))), "StructureMismatch");
}

TEST(CompareLaws, CompatibleShapesShareTheirCoordinates) {
  Random random(12);
  for (int i = 0; i < cases() && !testing::Test::HasFailure(); ++i) {
    Interp arith;
    Tree a = random.shape(3, 40), b = random.chance(50) ? random.shape(4, 40) : a;
    if (random.chance(30)) // a coarser profile of the same extents
      a = Tree(int64_t(Reference(arith).size(b)));
    Tree la = random.loosened(a, arith, int(random.below(60))), lb = random.loosened(b, arith, 30);
    auto asResult = [](Int (*f)(Arith &, const Tree &, const Tree &)) {
      return [f](Arith &d, const Tree &x, const Tree &y) { return Result<Int>(f(d, x, y)); };
    };
    EXPECT_EQ(answerOf(arith, la, lb, asResult(compatible)), Reference(arith).compatible(a, b))
        << str(a) << " " << str(b);
    // a * C is compatible with b for C = size of what stands in b / leaf of a, if that is a whole
    // number.
    bool weak = true;
    auto check = [&](auto &self, const Tree &x, const Tree &y) -> void {
      if (x.isLeaf()) {
        weak &= Reference(arith).size(y) % x.leaf().value.value == 0;
        return;
      }
      weak &= y.isTuple() && x.rank() == y.rank();
      for (size_t m = 0; weak && m < x.rank(); ++m)
        self(self, x[m], y[m]);
    };
    check(check, a, b);
    EXPECT_EQ(answerOf(arith, la, lb, asResult(weaklyCompatible)), weak) << str(a) << " " << str(b);
  }
}

TEST(CompareLaws, ATilerDividesEvenlyIfItAndItsRestAreAll) {
  Random random(13);
  int even = 0;
  for (int i = 0; i < cases() && !testing::Test::HasFailure(); ++i) {
    Interp arith;
    Tree shape = random.shape(3, 60);
    Layout tiler = {Tree(1 + random.below(6)), Tree(1 + random.below(3))};
    bool all = parsed(Result<Int>(evenlyDivides(arith, shape, Tile(tiler)))).is(1);
    Result<Layout> rest = complement(arith, tiler, shape);
    ASSERT_TRUE(rest);
    EXPECT_EQ(all, Reference(arith).size(tiler) * Reference(arith).size(*rest) ==
                       Reference(arith).size(shape))
        << str(shape) << " " << str(tiler);
    even += all;
  }
  EXPECT_GT(even, 100);
}

TEST(TupleReductions, AreThoseOfTheLeaves) {
  Random random(14);
  for (int i = 0; i < cases() && !testing::Test::HasFailure(); ++i) {
    Interp arith;
    Tree a = numbersLike(random, random.shape(5, 500), 20), b = numbersLike(random, a, 9);
    std::vector<int64_t> x = numbersOf(a), y = numbersOf(b);
    Tree la = random.loosened(a, arith, int(random.below(60))), lb = random.loosened(b, arith, 30);
    EXPECT_EQ(arith.valueOf(sum(arith, la)), std::accumulate(x.begin(), x.end(), int64_t(0)));
    EXPECT_EQ(arith.valueOf(parsed(maxLeaf(arith, la))), *std::max_element(x.begin(), x.end()));
    EXPECT_EQ(arith.valueOf(parsed(minLeaf(arith, la))), *std::min_element(x.begin(), x.end()))
        << str(la);
    EXPECT_EQ(arith.valueOf(parsed(innerProduct(arith, la, lb))),
              std::inner_product(x.begin(), x.end(), y.begin(), int64_t(0)));
    int64_t common = std::accumulate(x.begin(), x.end(), int64_t(0), std::gcd<int64_t, int64_t>);
    if (Result<Int> found = gcdOfLeaves(la)) {
      EXPECT_EQ(found->value, common) << str(la);
    } else {
      EXPECT_FALSE(la.isStatic());
    }
    Tree multiple = b.map([](const Leaf &leaf) { return Leaf(leaf.value.value + 1); });
    Tree up = parsed(roundUp(arith, la, multiple));
    Symbolic types;
    EXPECT_EQ(str(up), str(parsed(roundUp(types, asType(la), multiple))));
    EXPECT_EQ(str(sum(arith, la)), str(sum(types, asType(la))));
    EXPECT_EQ(show(maxLeaf(arith, la)), show(maxLeaf(types, asType(la))));
    EXPECT_EQ(show(minLeaf(arith, la)), show(minLeaf(types, asType(la))));
    EXPECT_EQ(show(innerProduct(arith, la, lb)), show(innerProduct(types, asType(la), asType(lb))));
    size_t leaf = 0;
    up.forEachLeaf([&](const Leaf &rounded) {
      int64_t value = arith.valueOf(rounded.value), m = y[leaf] + 1;
      EXPECT_TRUE(value % m == 0 && value >= x[leaf] && value < x[leaf] + m) << str(la);
      ++leaf;
    });
    EXPECT_FALSE(arith.violated());
  }
}

TEST(TupleReductions, RefuseWhatHasNone) {
  Symbolic types;
  EXPECT_EQ(refusal(maxLeaf(types, Tree(std::vector<Tree>()))), "NoLeaves");
  EXPECT_EQ(refusal(gcdOfLeaves(tree("(4,?)"))), "GcdDynamic");
  EXPECT_EQ(show(gcdOfLeaves(tree("(4,?{div=8})"))), "4"); // a multiple of 8 changes nothing
  EXPECT_EQ(refusal(innerProduct(types, tree("(1,2)"), tree("(1)"))), "StructureMismatch");
  EXPECT_EQ(refusal(roundUp(types, tree("5"), tree("0"))), "DivisorZero");
}

TEST(Coordinates, OfACompactLayoutComeBack) {
  Random random(15);
  for (int i = 0; i < cases() && !testing::Test::HasFailure(); ++i) {
    Interp arith;
    Layout l = random.layout(Strides::Compact);
    int64_t n = random.below(Reference(arith).size(l)), index = Reference(arith).number(l, n);
    Int at = random.loosened(Tree(index), arith, 50).leaf().value;
    auto number = [&](const Tree &t) {
      return Reference(arith).at(compactMajor(arith, l.shape), t);
    };
    Point expected = n ? Point{{{}, n}} : Point();
    EXPECT_EQ(number(hierCoord(arith, at, l)), expected) << index << " in " << str(l);
    Tree flat = flatCoord(arith, at, l);
    EXPECT_EQ(number(l.rank() == 1 && l.shape.isTuple() ? Tree::of({flat}) : flat), expected);
    // To the size and back again is the same coordinate.
    Tree coord = parsed(idx2crd(arith, Tree(n), l.shape)), size = Tree(Reference(arith).size(l));
    EXPECT_EQ(parsed(crd2crd(arith, coord, l.shape, size)), Tree(n));
    EXPECT_EQ(parsed(crd2crd(arith, Tree(n), size, l.shape)), coord);
  }
}

TEST(Zip, UndoesItself) {
  Random random(16);
  for (int i = 0; i < cases() && !testing::Test::HasFailure(); ++i) {
    size_t rank = size_t(1 + random.below(3));
    std::vector<Tree> modes;
    for (int64_t m = 0, n = 1 + random.below(3); m < n; ++m) {
      std::vector<Tree> inner;
      for (size_t k = 0; k < rank; ++k)
        inner.push_back(random.shape(2, 20));
      modes.emplace_back(inner);
    }
    Tree t(modes), zipped = parsed(zip(t));
    EXPECT_EQ(zipped.rank(), rank);
    for (size_t k = 0; k < rank; ++k)
      for (size_t m = 0; m < modes.size(); ++m)
        EXPECT_EQ(zipped[k][m], t[m][k]);
    bool leavesOnly = rank > 0 && std::all_of(zipped.modes().begin(), zipped.modes().end(),
                                              [](const Tree &mode) { return mode.isLeaf(); });
    EXPECT_TRUE(leavesOnly || parsed(zip(zipped)) == t) << str(t);
  }
  EXPECT_EQ(refusal(zip(tree("((1,2),(3))"))), "ZipRanks");
}

TEST(Regrouping, RefusesStridesThatAreNoLayoutTogether) {
  Layout basis = lay("4:1@0"), number = lay("4:1"), zero = lay("4:0"), deeper = lay("4:1@1@0");
  for (const Layout &other : {number, deeper}) {
    std::string reason = other == number ? "MixedStrides" : "BasisPathConflict";
    EXPECT_EQ(refusal(concat({basis, other})), reason);
    EXPECT_EQ(refusal(append(basis, other)), reason);
    EXPECT_EQ(refusal(prepend(basis, other)), reason);
    EXPECT_EQ(refusal(appendToRank(basis, 3, other)), reason);
    EXPECT_EQ(refusal(prependToRank(basis, 3, other)), reason);
    EXPECT_EQ(refusal(replace(lay("(4,2):(1@0,2@0)"), 1, other)), reason);
    EXPECT_EQ(refusal(zip(lay("(4,2):(1@0,2@0)"), *append(other, other))), reason);
  }
  EXPECT_EQ(show(append(basis, zero)), "(4,4):(1@0,0)");
  // What lies beside stride 0 is counted in numbers.
  Const arith;
  EXPECT_EQ(refusal(product(arith, lay("(4,4):(0,1@0)"), tile("[2:1]"), Grouping::Logical)),
            "MixedStrides");
}

TEST(Regrouping, PartsOfLayouts) {
  Layout l = lay("(2,(3,4),5):(1,(2,6),24)");
  EXPECT_EQ(show(take(l, 1, 3)), "((3,4),5):((2,6),24)");
  EXPECT_EQ(refusal(take(l, 1, 4)), "TakeModes");
  EXPECT_EQ(refusal(take(l, 2, 1)), "TakeModes");
  EXPECT_EQ(show(append(lay("4:1"), lay("(2,2):(4,8)"))), "(4,(2,2)):(1,(4,8))");
  EXPECT_EQ(show(prepend(lay("4:1"), lay("2:4"))), "(2,4):(4,1)");
  EXPECT_EQ(show(replace(l, 1, lay("7:9"))), "(2,7,5):(1,9,24)");
  EXPECT_EQ(refusal(replace(l, 3, lay("7:9"))), "ModeOutOfRange");
  EXPECT_EQ(show(coprofile(lay("(8,(2,2)):(1@0,(1@0@1,1@1@1))"))), "(0,(0,0))");
  EXPECT_EQ(show(filterZeros(l, tree("(0,(1,0),2)"))), "(1,(3,1),5):(1,(2,6),24)");
  EXPECT_EQ(refusal(filterZeros(l, tree("(0,(1,0,1),2)"))), "ProfileTooDeep");
  Const arith;
  // The first window of tiles of 2, as coordinates: which coordinate (tile, rest) stands for.
  EXPECT_EQ(
      show(divide(arith, identityLayout(shape("(4,6)")), tile("[2:1;3:1]"), Grouping::Zipped)),
      "((2,3),(2,2)):((1@0,1@1),(2@0,3@1))");
}

TEST(Swizzles, ComposeAsFunctions) {
  Random random(17);
  int composed = 0;
  for (int i = 0; i < cases(4) && !testing::Test::HasFailure(); ++i) {
    Swizzle a = random.swizzle(), b = random.swizzle();
    if (random.chance(60))
      b.shift = a.shift;
    if (!checked(a) || !checked(b) || b.distance() < b.bits)
      continue;
    Result<Swizzle> both = composition(a, b);
    if (!both)
      continue;
    ++composed;
    for (int64_t x = 0; x < 1 << 10; ++x)
      ASSERT_EQ(swizzled(*both, x), swizzled(a, swizzled(b, x))) << str(a) << " o " << str(b);
  }
  EXPECT_GT(composed, 100);
  EXPECT_EQ(refusal(composition(swizzle("S<2,3,3>"), swizzle("S<2,3,4>"))), "SwizzlesApart");
}

TEST(Swizzles, AreMadeOfTheirMasks) {
  Random random(18);
  for (int i = 0; i < cases() && !testing::Test::HasFailure(); ++i) {
    Swizzle s = random.swizzle();
    EXPECT_EQ(str(parsed(makeSwizzle(int64_t(s.sourceMask()), int64_t(s.targetMask())))), str(s));
  }
  EXPECT_EQ(refusal(makeSwizzle(17, 2)), "SwizzleMasks");
  EXPECT_EQ(refusal(makeSwizzle(-1, 2)), "SwizzleMasks");
}

TEST(Swizzles, AfterLayoutsMoveWithTheirBits) {
  Const arith;
  Symbolic types;
  EXPECT_EQ(
      show(composition(arith, lay("(8,8):(8,1)"), *any("S<2,0,-3> o 0 o (8,8):(8,1)").composed())),
      "S<2,0,3> o 0 o (8,8):(1,8)");
  // Bits 3 and 4 become bits 2 and 3 of the index, bits 0 and 1 bits 6 and 5: no one distance.
  EXPECT_EQ(refusal(composition(arith, lay("(2,2,8):(64,32,2)"), swizzle("S<2,0,3>"))),
            "SwizzleAfterLayout");
  EXPECT_EQ(refusal(composition(types, lay("(8,?):(1,8)"), swizzle("S<2,0,3>"))), "StaticOnly");
}

// S<2,0,3> reads bits 3 and 4, and changes bits 0 and 1.
TEST(Swizzles, InversesAfterAnOffset) {
  Const arith;
  // 64 is beyond all: its 64 indices come once more.
  EXPECT_EQ(show(leftInverse(arith, any("S<2,0,3> o 64 o 64:1"))), "S<2,0,3> o 0 o (64,2):(1,0)");
  // Indices 5 to 12 of nothing swizzled, and 32 to 39, which have no bit that is read.
  EXPECT_EQ(show(leftInverse(arith, any("S<0,0,0> o 5 o 8:1"))), "8:1 o -5 o 13:1");
  EXPECT_EQ(show(leftInverse(arith, any("S<2,0,3> o 32 o (2,4):(4,1)"))), "(4,2,5):(2,1,0)");
  // 8 is read: it is not subtracted from an index as it was.
  EXPECT_EQ(refusal(leftInverse(arith, any("S<2,0,3> o 8 o 8:1"))), "InverseOffset");
  EXPECT_EQ(refusal(leftInverse(arith, any("S<2,0,3> o -4 o 64:1"))), "InverseOffset");
  EXPECT_EQ(refusal(leftInverse(arith, any("S<2,0,3> o ? o 64:1"))), "InverseOffset");
  EXPECT_EQ(refusal(rightInverse(arith, any("S<2,0,3> o 4 o 64:1"))), "RightInverseOffset");
  EXPECT_EQ(refusal(rightInverse(arith, any("S<2,0,3> o -4 o 64:1"))), "InverseOffset");
}

TEST(Vectors, AlignmentMeansWholeGroups) {
  Random random(19);
  for (int i = 0; i < cases() && !testing::Test::HasFailure(); ++i) {
    Interp arith;
    Layout l = random.layout();
    int64_t n = maxAlignment(arith, l).value;
    std::vector<int64_t> all = Reference(arith).numbers(l);
    std::sort(all.begin(), all.end());
    for (int64_t index : all)
      for (int64_t x = index / n * n; x < index / n * n + n; ++x)
        EXPECT_TRUE(std::binary_search(all.begin(), all.end(), x)) << str(l) << " by " << n;
  }
}

TEST(Vectors, StayTogetherAfterASwizzle) {
  Random random(20);
  int longer = 0;
  for (int i = 0; i < cases() && !testing::Test::HasFailure(); ++i) {
    Interp arith;
    Layout outer = random.layout(Strides::Compact);
    AnyLayout a = Composed{random.swizzle(), Tree(random.chance(50) ? 0 : random.below(64)), outer};
    int64_t n = parsed(maxCommonVector(arith, a, AnyLayout(outer))).value;
    Layout order = parsed(maxCommonLayout(arith, outer, outer));
    int64_t first = Reference(arith).number(a, 0);
    for (int64_t x = 0; x < n; ++x)
      EXPECT_EQ(Reference(arith).number(a, Reference(arith).number(order, x)), first + x)
          << str(a) << " by " << n;
    longer += n > 1;
  }
  EXPECT_GT(longer, 100);
  Const arith;
  EXPECT_EQ(show(maxCommonVector(arith, any("S<3,3,3> o 0 o (8,64):(1,8)"), any("(8,64):(1,8)"))),
            "8");
  EXPECT_EQ(show(maxCommonVector(arith, any("S<3,3,3> o 4 o (8,64):(1,8)"), any("(8,64):(1,8)"))),
            "4");
}

} // namespace
