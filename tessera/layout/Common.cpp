// What layouts have in common with memory and with each other: vectors, alignment, kernels,
// distributions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/layout/Algebra.h"
#include "tessera/layout/Domains.h"
#include "tessera/layout/Errors.h"
#include "tessera/layout/Text.h"

#include <algorithm>
#include <numeric>

namespace tessera::layout {

Layout nullspace(Arith &arith, const Layout &l) {
  std::vector<Leaf> stride = l.stride.leaves();
  const Layout domain = compactMajor(arith, flatten(l.shape));
  Trees outShape, outStride;
  for (size_t i = 0; i < stride.size(); ++i) {
    if (!stride[i].value.is(0))
      continue;
    outShape.push_back(domain.shape[i]);
    outStride.push_back(domain.stride[i]);
  }
  if (outShape.empty())
    return {Tree(1), Tree(0)};
  return {unwrap(Tree(std::move(outShape))), unwrap(Tree(std::move(outStride)))};
}

namespace {
/// The number of first indices that `a` and `b` hit at the same coordinates, given the inverse of
/// `b`.
Result<Int> commonIndices(const Layout &a, const Layout &inverse) {
  // Only a static first mode counts, so what the other ones need is not assumed. If they do not
  // compose with `a` at all, the first one may.
  Symbolic types;
  Result<Layout> both = composition(types, a, inverse);
  if (!both)
    both = composition(types, a, Layout{inverse.shape[0], inverse.stride[0]});
  if (types.overflowed())
    return fail(Error::ResultTooLarge);
  if (!both)
    return Int(1);
  Layout simple = coalesce(types, *both);
  const Tree &extent = simple.shape[0], &stride = simple.stride[0];
  return extent.isStatic() && stride.leaf().is(1) ? extent.leaf().value : Int(1);
}

/// The inverse of `b` on integers; nothing in common has a layout of coordinates.
Layout inverseOf(Arith &arith, const Layout &b) {
  return b.stride.hasBasis() ? Layout{Tree(1), Tree(0)} : rightInverse(arith, b);
}
} // namespace

Result<Layout> maxCommonLayout(Arith &arith, const Layout &a, const Layout &b) {
  Layout inverse = inverseOf(arith, b);
  TESSERA_TRY(Int count, commonIndices(a, inverse));
  return composition(arith, inverse, Layout{Tree(count), count.is(1) ? Tree(0) : Tree(1)});
}

Result<Int> maxCommonVector(Arith &arith, const Layout &a, const Layout &b) {
  return commonIndices(a, inverseOf(arith, b));
}

namespace {
/// How many neighbours stay neighbours after the swizzle of `l`: those below its lowest bit, from
/// an aligned offset.
Result<Int> keptTogether(Int count, const AnyLayout &l) {
  if (l.affine())
    return count;
  const Composed &c = *l.composed();
  if (!c.swizzle() || c.offset.isTuple())
    return fail(Error::NotAffine, "max_common_vector", str(l));
  // A carry out of the offset's low bits would part them, too.
  const Int offset = c.offset.leaf().value;
  uint64_t group = uint64_t(offset.isStatic() ? offset.value : offset.div);
  if (!c.swizzle()->isIdentity())
    group = std::gcd(group, uint64_t(1) << c.swizzle()->base);
  return Int(int64_t(std::gcd(uint64_t(count.value), group)));
}
} // namespace

Result<Int> maxCommonVector(Arith &arith, const AnyLayout &a, const AnyLayout &b) {
  TESSERA_TRY(Int count, maxCommonVector(arith, a.outer(), b.outer()));
  TESSERA_TRY(count, keptTogether(count, a));
  return keptTogether(count, b);
}

Int maxAlignment(Arith &arith, const Layout &l) {
  std::vector<Leaf> shape = l.shape.leaves(), stride = l.stride.leaves();
  std::vector<std::pair<int64_t, Int>> modes; // strides that decide, and their extents
  for (size_t i = 0; i < stride.size(); ++i)
    if (stride[i].isStatic() && !stride[i].is(0) && !stride[i].isBasis() && !shape[i].is(1))
      modes.emplace_back(stride[i].value.value, shape[i].value);
  std::stable_sort(modes.begin(), modes.end(), [](auto &a, auto &b) { return a.first < b.first; });
  Int run = 1;         // the indices below are hit
  uint64_t common = 0; // divides the strides of the other modes
  for (const auto &[step, extent] : modes) {
    if (run.is(step) && extent.isStatic())
      run = arith.mul(run, extent);
    else
      common = std::gcd(common, step < 0 ? -uint64_t(step) : uint64_t(step));
  }
  const int64_t alignment = int64_t(std::gcd(common, uint64_t(run.value)));
  for (const Leaf &step : stride)
    if (!step.isStatic() && alignment > 1)
      arith.assume(Pre::Divides, step.value, alignment);
  return alignment;
}

Result<Layout> domainDistribute(Arith &arith, const Tree &shape, Int count) {
  if (!shape.isStatic() || !count.isStatic() || count.value <= 0)
    return fail(Error::StaticOnly, "domain_distribute", str(Tree::of({shape, Tree(count)})));
  Trees outShape, outStride;
  for (const Leaf &extent : shape.leaves())
    if (extent.value.value <= 0)
      return fail(Error::ShapeNotPositive, str(shape));
  int64_t rest = count.value;
  Int stride = 1;
  for (const Leaf &extent : shape.leaves()) {
    int64_t part = std::gcd(extent.value.value, rest);
    outShape.emplace_back(part);
    outStride.emplace_back(stride);
    rest /= part;
    stride = arith.mul(stride, extent.value);
  }
  return coalesce(arith, {Tree(std::move(outShape)), Tree(std::move(outStride))});
}

} // namespace tessera::layout
