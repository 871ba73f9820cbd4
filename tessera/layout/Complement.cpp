// The layout of what another layout leaves out.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/layout/Composition.h"
#include "tessera/layout/Errors.h"
#include "tessera/layout/Text.h"

#include <algorithm>

namespace tessera::layout {

namespace {
/// Neighbouring leaves multiplied where both are static or both dynamic; one at least.
Leaves coalescedExtents(Arith &arith, const Tree &shape) {
  Leaves out;
  shape.forEachLeaf([&](const Leaf &leaf) {
    if (!out.empty() && out.back().isStatic() == leaf.isStatic())
      out.back() = arith.mul(out.back().value, leaf.value);
    else
      out.push_back(leaf);
  });
  if (out.empty())
    out.push_back(Leaf(1));
  return out;
}

/// The modes in the order of their strides, equal ones as they stand.
Small<size_t> orderOf(const Leaves &stride) {
  Small<size_t> order;
  for (size_t i = 0; i < stride.size(); ++i)
    order.push_back(i);
  std::sort(order.begin(), order.end(), [&](size_t x, size_t y) {
    int64_t a = stride[x].value.value, b = stride[y].value.value;
    return a < b || (a == b && x < y);
  });
  return order;
}
} // namespace

Result<Layout> complement(Arith &arith, const Layout &l, const Tree &cotarget) {
  Leaves shape = leavesOf(l.shape), stride = leavesOf(l.stride);
  for (size_t i = 0; i < stride.size() && i < shape.size(); ++i)
    if (stride[i].value.is(0))
      shape[i] = Leaf(1);
  coalesceLeaves(arith, shape, stride);
  if (shape.empty())
    return compactMajor(arith, flatTree(coalescedExtents(arith, cotarget)));
  bool known = true;
  for (const Leaf &step : stride)
    known &= step.isStatic();
  if (shape.size() > 1 && !known)
    return fail(Error::ComplementDynamic, str(l));

  Leaves outShape, outStride;
  Int covered = 1; // indices below this are hit by the modes so far together with the complement
  for (size_t i : orderOf(stride)) {
    Int step = stride[i].value;
    if (step.isStatic() && covered.isStatic() && step.value < covered.value)
      return fail(Error::ComplementNotInjective, str(l));
    Int gap = arith.div(step, covered);
    arith.assume(Pre::NonZero, gap); // else modes overlap
    outShape.push_back(gap);
    outStride.push_back(covered);
    covered = arith.mul(step, shape[i].value);
  }
  TESSERA_TRY(Tree rest, ceilDiv(arith, cotarget, Tree(covered)));
  Int next = 1;
  for (const Leaf &extent : coalescedExtents(arith, rest)) {
    outShape.push_back(extent);
    outStride.push_back(extent.is(1) ? Leaf(0) : Leaf(arith.mul(next, covered)));
    next = extent.is(1) ? next : arith.mul(next, extent.value);
  }
  coalesceLeaves(arith, outShape, outStride);
  if (outShape.empty())
    return Layout{Tree(1), Tree(0)};
  return Layout{flatTree(outShape), flatTree(outStride)};
}

Result<Layout> complement(Arith &arith, const Layout &l) {
  TESSERA_TRY(Int target, cosize(arith, AnyLayout(filter(arith, l))));
  return complement(arith, l, Tree(target));
}

} // namespace tessera::layout
