// Numbers beyond 64 bits: every operation refuses, or its domain says that a result did not fit.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/layout/Property.h"
#include "test/layout/Sample.h"

#include <limits>

using namespace tessera;
using namespace tessera::layout;
using namespace tessera::layout::test;

namespace {

const Layout huge = {Tree::of({Tree(int64_t(1) << 40), Tree(int64_t(1) << 40)}),
                     Tree::of({Tree(int64_t(1) << 40), Tree(int64_t(1))})};
const Layout far = {Tree(int64_t(1) << 30), Tree(int64_t(1) << 40)};
const Layout near = {Tree(int64_t(1) << 30), Tree(1)};
const Tree big = Tree::of({Tree(int64_t(1) << 62), Tree(int64_t(1) << 62)});

struct Overflow {
  const char *name;
  /// Whether there is a value; the numbers of each do not fit.
  bool (*run)(Arith &);
};

template <class T> bool has(const Result<T> &r) { return r.ok(); }
template <class T> bool has(const T &) { return true; }

const Overflow table[] = {
    {"product", [](Arith &a) { return has(product(a, big)); }},
    {"productEach", [](Arith &a) { return has(productEach(a, Tree::of({big}))); }},
    {"productLike",
     [](Arith &a) { return has(productLike(a, Tree::of({big}), Tree::of({Tree(1)}))); }},
    {"sum", [](Arith &a) { return has(sum(a, big)); }},
    {"add", [](Arith &a) { return has(add(a, big, big)); }},
    {"sub",
     [](Arith &a) {
       return has(sub(a, mul(a, big, Tree(-1)).ok() ? *mul(a, big, Tree(-1)) : big,
                      Tree::of({Tree(std::numeric_limits<int64_t>::max()), Tree(1)})));
     }},
    {"mul", [](Arith &a) { return has(mul(a, big, big)); }},
    {"div",
     [](Arith &a) { return has(div(a, Tree(std::numeric_limits<int64_t>::min()), Tree(-1))); }},
    {"shapeDiv",
     [](Arith &a) {
       return has(shapeDiv(a, Tree(std::numeric_limits<int64_t>::min()), Tree(-1)));
     }},
    {"innerProduct", [](Arith &a) { return has(innerProduct(a, big, big)); }},
    {"roundUp",
     [](Arith &a) {
       return has(roundUp(a, Tree(std::numeric_limits<int64_t>::max()), Tree(int64_t(1) << 40)));
     }},
    {"gcd", [](Arith &) { return has(gcdOfLeaves(Tree(std::numeric_limits<int64_t>::min()))); }},
    {"compatible", [](Arith &a) { return has(compatible(a, Tree(1), big)); }},
    {"weaklyCompatible", [](Arith &a) { return has(weaklyCompatible(a, Tree(1), big)); }},
    {"evenlyDivides", [](Arith &a) { return has(evenlyDivides(a, big, Tree(3))); }},
    {"compactMajor",
     [](Arith &a) {
       return has(compactMajor(a, huge.shape)), has(compactMajor(a, Tree::of({big, Tree(2)})));
     }},
    {"compactRight", [](Arith &a) { return has(compactRight(a, Tree::of({Tree(2), big}))); }},
    {"orderedLayout",
     [](Arith &a) {
       return has(orderedLayout(a, Tree::of({big, Tree(2)}), Tree::of({Tree(0), Tree(1)})));
     }},
    {"layoutLike",
     [](Arith &a) {
       return has(layoutLike(a, {Tree::of({big[0], big[0], Tree(2)}), tree("(1,2,3)")}));
     }},
    {"fragmentLike",
     [](Arith &a) {
       return has(fragmentLike(a, {Tree::of({big[0], big[0], Tree(2)}), tree("(1,2,3)")}));
     }},
    {"size", [](Arith &a) { return has(size(a, huge)); }},
    {"cosize", [](Arith &a) { return has(cosize(a, AnyLayout(far))); }},
    {"coshape",
     [](Arith &a) {
       return has(
           coshape(a, AnyLayout(Layout{Tree(4), Tree(std::numeric_limits<int64_t>::min())})));
     }},
    {"crd2idx", [](Arith &a) { return has(crd2idx(a, Tree((int64_t(1) << 30) - 1), far)); }},
    {"idx2crd", [](Arith &a) { return has(idx2crd(a, Tree(7), Tree::of({big, Tree(2)}))); }},
    {"crd2crd", [](Arith &a) { return has(crd2crd(a, Tree(7), big, Tree::of({big, Tree(2)}))); }},
    {"domainOffset",
     [](Arith &a) { return has(domainOffset(a, Tree((int64_t(1) << 30) - 1), far)); }},
    {"sliceAndOffset",
     [](Arith &a) { return has(sliceAndOffset(a, Tree((int64_t(1) << 30) - 1), far)); }},
    {"coalesce",
     [](Arith &a) { return has(coalesce(a, {big, Tree::of({Tree(1), Tree(int64_t(1) << 62)})})); }},
    {"filter",
     [](Arith &a) { return has(filter(a, {big, Tree::of({Tree(1), Tree(int64_t(1) << 62)})})); }},
    {"composition",
     [](Arith &a) { return has(composition(a, far, Layout{Tree(2), Tree(int64_t(1) << 30)})); }},
    {"compositionSwizzle", [](Arith &a) { return has(composition(a, huge, swizzle("S<2,3,3>"))); }},
    {"complement", [](Arith &a) { return has(complement(a, far, Tree(int64_t(1) << 62))); }},
    {"complementOfCosize", [](Arith &a) { return has(complement(a, far)); }},
    {"rightInverse",
     [](Arith &a) {
       return has(rightInverse(a, {huge.shape, Tree::of({Tree(1), Tree(int64_t(1) << 40)})}));
     }},
    {"leftInverse",
     [](Arith &a) {
       return has(
           leftInverse(a, {Tree::of({Tree(int64_t(1) << 40), Tree(int64_t(1) << 40), Tree(2)}),
                           tree("(4,2,1)")}));
     }},
    {"nullspace",
     [](Arith &a) { return has(nullspace(a, {Tree::of({big, Tree(2)}), tree("((0,0),0)")})); }},
    {"maxAlignment",
     [](Arith &a) {
       return has(maxAlignment(a, {huge.shape, Tree::of({Tree(1), Tree(int64_t(1) << 40)})}));
     }},
    {"maxCommonLayout",
     [](Arith &a) {
       return has(
           maxCommonLayout(a, near, {huge.shape, Tree::of({Tree(1), Tree(int64_t(1) << 40)})}));
     }},
    {"maxCommonVector",
     [](Arith &) {
       Const a;
       return has(maxCommonVector(a, {huge.shape, huge.shape},
                                  {Tree(int64_t(1) << 62), Tree(1)})) &&
              !a.overflowed();
     }},
    {"domainDistribute",
     [](Arith &a) { return has(domainDistribute(a, Tree::of({big, Tree(2)}), 64)); }},
    {"divide",
     [](Arith &a) {
       return has(divide(a, far, Layout{Tree(2), Tree(int64_t(1) << 28)}, Grouping::Logical)),
              has(divide(a, huge, Layout{Tree(2), Tree(int64_t(1) << 40)}, Grouping::Logical));
     }},
    {"outerDivide",
     [](Arith &a) {
       return has(
           outerDivide(a, huge, Tile(Layout{Tree(2), Tree(int64_t(1) << 62)}), Grouping::Zipped));
     }},
    {"stencilDivide",
     [](Arith &a) {
       return has(stencilDivide(a, far, {Tree(3), Tree(int64_t(1) << 25), Tree(1)}));
     }},
    {"stencilSpan",
     [](Arith &a) {
       return has(stencilDivide(a, far, {Tree(int64_t(1) << 40), Tree(1), Tree(int64_t(1) << 40)}));
     }},
    {"innerPartition",
     [](Arith &a) {
       return has(innerPartition(a, far, Tile(lay("2:1")), Tree(int64_t(1) << 40)));
     }},
    {"localPartition",
     [](Arith &a) {
       return has(localPartition(a, far, Layout{Tree(int64_t(1) << 29), Tree(1)}, 3));
     }},
    {"logicalProduct",
     [](Arith &a) {
       return has(product(a, near, Layout{Tree(int64_t(1) << 40), Tree(1)}, Grouping::Logical));
     }},
    {"blockedProduct",
     [](Arith &a) {
       return has(blockedProduct(a, near, Layout{Tree(int64_t(1) << 40), Tree(1)}));
     }},
    {"rakedProduct",
     [](Arith &a) { return has(rakedProduct(a, near, Layout{Tree(int64_t(1) << 40), Tree(1)})); }},
    {"tileToShape",
     [](Arith &a) { return has(tileToShape(a, lay("(2,2):(1,2)"), big, tree("(0,1)"))); }},
    {"upcast", [](Arith &a) { return has(recast(a, huge, int64_t(1) << 40, 1)); }},
    {"downcast", [](Arith &a) { return has(downcast(a, near, int64_t(1) << 40)); }},
};

class Overflows : public testing::TestWithParam<Overflow> {};

TEST_P(Overflows, AreRefusedOrMarked) {
  Const arith;
  bool value = GetParam().run(arith);
  EXPECT_TRUE(!value || arith.overflowed()) << GetParam().name << " wrapped silently";
}
INSTANTIATE_TEST_SUITE_P(Of, Overflows, testing::ValuesIn(table),
                         [](const auto &info) { return std::string(info.param.name); });

/// The same as `t`, with leaves from the edges of what 64 bits hold.
Tree enlarged(Random &random, const Tree &t, bool positive) {
  static const int64_t edges[] = {std::numeric_limits<int64_t>::max(),
                                  int64_t(1) << 62,
                                  int64_t(1) << 40,
                                  (int64_t(1) << 31) - 1,
                                  int64_t(1) << 31,
                                  3,
                                  1,
                                  0,
                                  -1,
                                  std::numeric_limits<int64_t>::min()};
  return t.map([&](const Leaf &leaf) {
    if (leaf.any || random.chance(60))
      return leaf;
    Leaf out = leaf;
    out.value = edges[random.below(positive ? 7 : std::size(edges))];
    return out;
  });
}

class AtTheEdges : public testing::TestWithParam<Property> {};

/// What matters is that nothing is undefined (run it under UBSan) and that all domains go the same
/// way.
TEST_P(AtTheEdges, NothingIsUndefined) {
  const Property &property = GetParam();
  Random random(31);
  for (int i = 0; i < edgeCases(4) && !HasFailure(); ++i) {
    Values in = property.make(random);
    const bool positive = random.chance(80);
    for (AnyLayout &l : in.layouts)
      l = l.withOuter(
          {enlarged(random, l.shape(), positive), enlarged(random, l.outer().stride, positive)});
    for (Tree &t : in.trees)
      t = enlarged(random, t, positive);
    Const constants;
    Symbolic types;
    Result<Sliced> value = property.run(constants, in), type = property.run(types, in);
    EXPECT_EQ(show(value), show(type));
    EXPECT_EQ(constants.overflowed(), types.overflowed());
  }
}
INSTANTIATE_TEST_SUITE_P(Of, AtTheEdges, testing::ValuesIn(properties()),
                         [](const auto &info) { return std::string(info.param.name); });
INSTANTIATE_TEST_SUITE_P(OfParts, AtTheEdges, testing::ValuesIn(propertiesOfParts()),
                         [](const auto &info) { return std::string(info.param.name); });

// Each mode of the right layout may become one of each mode of the left one. Without a bound a
// chain of compositions of unknown extents fills the memory.
TEST(Compositions, OfTooManyModesAreRefused) {
  auto unknown = [](size_t rank) {
    Trees shape(rank, Tree(Int::dynamic(1))), stride(rank, Tree(Int::dynamic(2)));
    return Layout{Tree(std::move(shape)), Tree(std::move(stride))};
  };
  Symbolic types;
  Result<Layout> most = composition(types, unknown(8), unknown(8));
  EXPECT_TRUE(most) << (most ? "" : most.reason().text);
  Result<Layout> more = composition(types, unknown(257), unknown(256));
  ASSERT_FALSE(more);
  EXPECT_EQ(more.reason().text,
            "composition: expects a result of at most 65536 modes, but 256 modes "
            "of the right layout and 257 of the left one may make 65792");
}

} // namespace

/// An operation tells 16,384 bases from each other. Places of more would be those of others.
TEST(Overflow, DifferentBases) {
  for (int count : {1000, 16384, 16385}) {
    std::vector<Tree> extents(size_t(count), Tree(2)), steps;
    for (int i = 0; i < count; ++i) {
      Path path;
      path.push(i % 200);
      path.push(i / 200);
      steps.push_back(Tree(Leaf(1, path)));
    }
    Symbolic arith;
    Layout all{Tree(Trees(extents.begin(), extents.end())),
               Tree(Trees(steps.begin(), steps.end()))};
    Layout same = coalesce(arith, all);
    EXPECT_EQ(arith.overflowed(), count > 16384) << count;
    if (count <= 16384) {
      EXPECT_EQ(same, all) << count; // bases that differ stay apart
    }
  }
}
