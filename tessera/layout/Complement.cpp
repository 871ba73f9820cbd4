// The layout of what another layout leaves out.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/layout/Composition.h"
#include "tessera/layout/Errors.h"
#include "tessera/layout/Text.h"

#include <algorithm>

namespace tessera::layout {

namespace {
/// Neighbouring leaves multiplied where both are static or both dynamic; one at least.
Leaves coalescedExtents(Arith &arith, const Leaves &shape) {
  Leaves out;
  for (const Leaf &leaf : shape) {
    if (!out.empty() && out.back().isStatic() == leaf.isStatic())
      out.back() = arith.mul(out.back().value, leaf.value);
    else
      out.push_back(leaf);
  }
  if (out.empty())
    out.push_back(Leaf(1));
  return out;
}

/// `divisor` divided out of the leaves from the left, rounding up.
Result<bool> ceilDivide(Arith &arith, Leaves &shape, Int divisor) {
  for (Leaf &leaf : shape) {
    if (divisor.is(0)) // an illegal extent of 0
      return fail(Error::TilerZero, str(divisor));
    const Int extent = leaf.value;
    leaf = arith.ceilDiv(extent, divisor);
    if (&leaf != &shape.back())
      divisor = arith.ceilDiv(divisor, extent);
  }
  return true;
}

/// Appends extents as a compact layout that starts at `first`; extents of 1 get stride 0.
void appendCompact(Arith &arith, Flat &out, const Leaves &extents, Int first) {
  Int next = 1;
  for (const Leaf &extent : extents) {
    out.shape.push_back(extent);
    out.stride.push_back(extent.is(1) ? Leaf(0) : Leaf(arith.mul(next, first)));
    next = extent.is(1) ? next : arith.mul(next, extent.value);
  }
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

Result<bool> complementLeaves(Arith &arith, const Layout &l, const Leaves &cotarget, Flat &out) {
  Leaves shape = leavesOf(l.shape), stride = leavesOf(l.stride);
  for (size_t i = 0; i < stride.size() && i < shape.size(); ++i) {
    if (stride[i].isBasis())
      return fail(Error::StridesNotNumbers, "complement", str(l));
    if (stride[i].value.is(0))
      shape[i] = Leaf(1);
  }
  coalesceLeaves(arith, shape, stride);
  if (shape.empty()) {
    appendCompact(arith, out, coalescedExtents(arith, cotarget), 1);
    return true;
  }
  bool known = true;
  for (const Leaf &step : stride)
    known &= step.isStatic();
  if (shape.size() > 1 && !known)
    return fail(Error::ComplementDynamic, str(l));

  Int covered = 1; // indices below this are hit by the modes so far together with the complement
  for (size_t i : orderOf(stride)) {
    Int step = stride[i].value;
    const bool decided = step.isStatic() && covered.isStatic();
    if (decided && step.value < covered.value) // modes overlap
      return fail(Error::ComplementNotInjective, str(l));
    if (!decided)
      arith.assume(Pre::AtMost, covered, step);
    Int gap = arith.div(step, covered);
    out.shape.push_back(gap);
    out.stride.push_back(covered);
    covered = arith.mul(step, shape[i].value);
  }
  Leaves rest = cotarget;
  if (auto divided = ceilDivide(arith, rest, covered); !divided)
    return divided;
  appendCompact(arith, out, coalescedExtents(arith, rest), covered);
  coalesceLeaves(arith, out.shape, out.stride);
  if (out.shape.empty())
    appendCompact(arith, out, coalescedExtents(arith, {}), 1);
  return true;
}

Result<Layout> complement(Arith &arith, const Layout &l, const Tree &cotarget) {
  Flat flat;
  if (auto made = complementLeaves(arith, l, leavesOf(cotarget), flat); !made)
    return std::move(made).reason();
  return Layout{flatTree(flat.shape), flatTree(flat.stride)};
}

Result<Layout> complement(Arith &arith, const Layout &l) {
  TESSERA_TRY(Int target, cosize(arith, AnyLayout(filter(arith, l))));
  return complement(arith, l, Tree(target));
}

} // namespace tessera::layout
