// The layout of what another layout leaves out.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/layout/Algebra.h"
#include "tessera/layout/Errors.h"
#include "tessera/layout/Text.h"

#include <algorithm>
#include <numeric>

namespace tessera::layout {

namespace {
/// Neighbouring leaves multiplied where both are static or both dynamic.
Tree coalescedShape(Arith &arith, const Tree &shape) {
  std::vector<Tree> out;
  shape.forEachLeaf([&](const Leaf &leaf) {
    if (!out.empty() && out.back().isStatic() == leaf.isStatic())
      out.back() = arith.mul(out.back().leaf().value, leaf.value);
    else
      out.emplace_back(leaf);
  });
  if (out.empty())
    return Tree(1);
  return unwrap(Tree(std::move(out)));
}
} // namespace

Result<Layout> complement(Arith &arith, const Layout &l, const Tree &cotarget) {
  Layout filtered = filter(arith, l);
  if (filtered.stride.isLeaf() && filtered.stride.leaf().is(0))
    return compactMajor(arith, coalescedShape(arith, cotarget));

  std::vector<Leaf> shape = filtered.shape.leaves(), stride = filtered.stride.leaves();
  if (shape.size() > 1 && !filtered.stride.isStatic())
    return fail(Error::ComplementDynamic, str(l));
  std::vector<size_t> order(shape.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](size_t x, size_t y) {
    return stride[x].value.value < stride[y].value.value;
  });

  std::vector<Tree> outShape, outStride;
  Int covered = 1; // indices below this are hit by the modes so far together with the complement
  for (size_t i : order) {
    Int step = stride[i].value;
    if (step.isStatic() && covered.isStatic() && step.value < covered.value)
      return fail(Error::ComplementNotInjective, str(l));
    Int gap = arith.div(step, covered);
    arith.assume(Pre::NonZero, gap); // else modes overlap
    outShape.emplace_back(gap);
    outStride.emplace_back(covered);
    covered = arith.mul(step, shape[i].value);
  }
  TESSERA_TRY(Tree restShape, ceilDiv(arith, cotarget, Tree(covered)));
  restShape = coalescedShape(arith, restShape);
  Tree restStride = compactMajor(arith, restShape).stride.map([&](const Leaf &leaf) {
    return Leaf(arith.mul(leaf.value, covered));
  });
  outShape.push_back(std::move(restShape));
  outStride.push_back(std::move(restStride));
  return coalesce(arith, {Tree(std::move(outShape)), Tree(std::move(outStride))});
}

Result<Layout> complement(Arith &arith, const Layout &l) {
  TESSERA_TRY(Int target, cosize(arith, AnyLayout(filter(arith, l))));
  return complement(arith, l, Tree(target));
}

} // namespace tessera::layout
