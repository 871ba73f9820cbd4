// Functional composition of layouts, swizzles and tiles.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/layout/Composition.h"
#include "tessera/layout/Domains.h"
#include "tessera/layout/Errors.h"
#include "tessera/layout/Text.h"
#include "tessera/layout/Zip.h"

#include <algorithm>

namespace tessera::layout {

Flat coalescedLeft(Arith &arith, const Layout &a) {
  Flat flat = {leavesOf(a.shape), leavesOf(a.stride)};
  if (flat.shape.empty()) {
    flat.shape.push_back(Leaf(1));
    flat.stride.push_back(Leaf(0));
    return flat;
  }
  if (flat.shape.back().is(1))
    flat.shape.back() = Leaf(2);
  coalesceLeaves(arith, flat.shape, flat.stride);
  return flat;
}

namespace {
/// The sign and magnitude of a stride; a dynamic one counts as positive.
bool isNegative(Int d) { return d.isStatic() && d.value < 0; }
Int magnitude(Arith &arith, Int d) { return isNegative(d) ? arith.sub(0, d) : d; }

Leaf scale(Arith &arith, Int factor, const Leaf &stride) {
  return Leaf(arith.mul(factor, stride.value), stride.basis);
}

/// Whether `a` is no multiple of `b`; nothing remains of a division by 0, which an illegal extent may ask for.
bool remains(int64_t a, int64_t b) { return apply(LeafOp::Mod, a, b) != 0; }

/// Whether `extent` steps of `step` are a layout within a mode of `current` elements and beyond its end.
bool stepFits(int64_t current, int64_t step, Int extent) {
  if (!remains(step, current) || !remains(current, step))
    return true;
  return extent.isStatic() && (__int128(extent.value) - 1) * step < current;
}

/// The modes of one integral mode `extent:step` of the right layout, walked through the left layout.
Result<Layout> walk(Arith &arith, const Flat &a, Int extent, Int step) {
  if (step.is(0))
    return Layout{Tree(extent), Tree(0)};
  const size_t last = a.shape.size() - 1;
  Leaves shape, stride;
  Int restExtent = extent, restStep = step;
  if (last > 0 && !step.isStatic())
    arith.assume(Pre::AtMost, 1, step);
  for (size_t i = 0; i < last; ++i) {
    Int current = a.shape[i].value, reach = magnitude(arith, restStep);
    // The steps must stay inside this mode, divide it, or jump over whole copies of it.
    bool known = current.isStatic() && reach.isStatic();
    if (!known || !stepFits(current.value, reach.value, restExtent)) {
      if (known && restExtent.isStatic())
        return fail(Error::CompositionStride, i, current.value, reach.value);
      arith.assume(Pre::StepFits, current, reach, restExtent);
    }
    Int inside = arith.ceilDiv(current, reach);
    Int nextStep = arith.ceilDiv(reach, current);
    if (isNegative(restStep))
      nextStep = arith.sub(0, nextStep);
    if (!inside.is(1) && !restExtent.is(1)) {
      Int taken = arith.min(inside, restExtent);
      if (taken.isStatic() && restExtent.isStatic()) {
        if (remains(restExtent.value, taken.value))
          return fail(Error::CompositionShape, restExtent.value, taken.value, i);
      } else {
        arith.assume(Pre::Divides, restExtent, taken);
      }
      shape.push_back(taken);
      stride.push_back(scale(arith, restStep, a.stride[i]));
      restExtent = arith.div(restExtent, taken);
    }
    restStep = nextStep;
  }
  if (shape.empty() || !restExtent.is(1)) {
    shape.push_back(restExtent);
    stride.push_back(scale(arith, restStep, a.stride[last]));
  }
  return Layout{flatTree(shape), flatTree(stride)};
}

/// The flat left layout that a step v@path walks through: the mode at the path, or all of `a`.
Result<Flat> modeAt(Arith &arith, const Layout &a, const Path &path) {
  std::vector<int32_t> indices;
  for (size_t i = 0; i < path.size(); ++i)
    indices.push_back(path[i]);
  TESSERA_TRY(Layout mode, getMode(a, indices));
  return coalescedLeft(arith, mode);
}

Result<Layout> composeLeaf(Arith &arith, const Layout &a, const Flat &flat, const Leaf &extent,
                           const Leaf &step) {
  if (!step.isBasis())
    return walk(arith, flat, extent.value, step.value);
  TESSERA_TRY(Flat mode, modeAt(arith, a, step.basis));
  return walk(arith, mode, extent.value, step.value);
}

/// `count` modes, of which compose(i) makes each.
template <class Compose> Result<Layout> composeEach(size_t count, Compose &&compose) {
  std::vector<Tree> shapes, strides;
  shapes.reserve(count);
  strides.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    Result<Layout> mode = compose(i);
    if (!mode)
      return mode;
    shapes.push_back(std::move(mode->shape));
    strides.push_back(std::move(mode->stride));
  }
  return Layout{Tree(std::move(shapes)), Tree(std::move(strides))};
}

Result<Layout> composeModes(Arith &arith, const Layout &a, const Flat &flat, const Tree &shape,
                            const Tree &stride) {
  if (shape.isLeaf())
    return composeLeaf(arith, a, flat, shape.leaf(), stride.leaf());
  return composeEach(shape.rank(), [&](size_t i) {
    return composeModes(arith, a, flat, shape[i], stride[i]);
  });
}

/// The same for leaves: one is itself, several are a mode of modes.
Result<Layout> composeLeaves(Arith &arith, const Layout &a, const Flat &flat, const Flat &b) {
  auto each = [&](size_t i) { return composeLeaf(arith, a, flat, b.shape[i], b.stride[i]); };
  return b.shape.size() == 1 ? each(0) : composeEach(b.shape.size(), each);
}

/// Whether the modes of `b` with this basis path carry into each other within `left`; false after a refusal.
bool areSeparate(Arith &arith, const Flat &left, const Leaves &shape, const Leaves &stride,
                 const Path &path) {
  Small<Walk> modes;
  bool known = true;
  for (size_t i = 0; i < stride.size(); ++i) {
    if (stride[i].basis != path || stride[i].value.is(0) || shape[i].is(1))
      continue;
    modes.push_back({shape[i].value, stride[i].value});
    known &= shape[i].isStatic() && stride[i].isStatic();
  }
  if (modes.size() < 2 || left.shape.size() < 2)
    return true;
  Small<Int> extents;
  for (size_t i = 0; i < left.shape.size(); ++i) {
    extents.push_back(left.shape[i].value);
    known &= left.shape[i].isStatic() || i + 1 == left.shape.size();
  }
  const std::span<const Int> ends(extents.data(), extents.size());
  const std::span<const Walk> walks(modes.data(), modes.size());
  if (known)
    return separate(ends, walks);
  arith.assumeSeparate(ends, walks);
  return true;
}

/// The modes of `b` are walked one by one, so their indices must add up within the modes of `a`. A path that
/// leads nowhere was refused before.
bool addUp(Arith &arith, const Layout &a, const Flat &flat, const Flat &b) {
  Small<Path> paths; // modes with different paths walk different modes of `a`
  for (const Leaf &step : b.stride) {
    if (std::find(paths.begin(), paths.end(), step.basis) != paths.end())
      continue;
    paths.push_back(step.basis);
    if (!step.isBasis() && !areSeparate(arith, flat, b.shape, b.stride, step.basis))
      return false;
    if (!step.isBasis())
      continue;
    const Result<Flat> mode = modeAt(arith, a, step.basis);
    if (mode && !areSeparate(arith, *mode, b.shape, b.stride, step.basis))
      return false;
  }
  return true;
}
/// Whether there is anything to carry into.
bool mayCarry(const Flat &flat, const Tree &stride) { return flat.shape.size() > 1 || stride.hasBasis(); }
} // namespace

Result<Layout> composition(Arith &arith, const Layout &a, const Layout &b) {
  const Flat flat = coalescedLeft(arith, a);
  Result<Layout> composed = composeModes(arith, a, flat, b.shape, b.stride);
  if (composed && mayCarry(flat, b.stride) &&
      !addUp(arith, a, flat, {leavesOf(b.shape), leavesOf(b.stride)}))
    return fail(Error::CompositionCarry, str(b), str(a));
  return composed;
}

Result<Layout> composition(Arith &arith, const Layout &a, const Flat &left, const Layout &b,
                           const Flat &rest) {
  Result<Layout> composed = composeEach(2, [&](size_t i) {
    return i == 0 ? composeModes(arith, a, left, b.shape, b.stride)
                  : composeLeaves(arith, a, left, rest);
  });
  if (!composed || !mayCarry(left, b.stride))
    return composed;
  Flat all = {leavesOf(b.shape), leavesOf(b.stride)};
  all.shape.append(rest.shape.begin(), rest.shape.end());
  all.stride.append(rest.stride.begin(), rest.stride.end());
  if (!addUp(arith, a, left, all))
    return fail(Error::CompositionCarry,
                str(sideBySide({b, {flatTree(rest.shape), flatTree(rest.stride)}})), str(a));
  return composed;
}

Result<AnyLayout> composition(Arith &arith, const AnyLayout &a, const Layout &b) {
  TESSERA_TRY(Layout outer, composition(arith, a.outer(), b));
  return a.withOuter(std::move(outer));
}

namespace {
Result<Layout> composeTile(Arith &arith, const Layout &a, const Tile &tile) {
  if (tile.isAny())
    return a;
  if (tile.isLayout())
    return composition(arith, a, tile.single);
  if (tile.rank() > a.rank())
    return fail(Error::TilerRank, tile.rank(), a.rank());
  std::vector<Layout> modes;
  for (size_t i = 0; i < tile.rank(); ++i) {
    TESSERA_TRY(Layout mode, composeTile(arith, a[i], tile.modes[i]));
    modes.push_back(std::move(mode));
  }
  return sideBySide(modes);
}
} // namespace

Result<AnyLayout> composition(Arith &arith, const AnyLayout &a, const Tile &tile) {
  TESSERA_TRY(Layout outer, composeTile(arith, a.outer(), tile));
  return a.withOuter(std::move(outer));
}

AnyLayout compose(const Swizzle &swizzle, const Tree &offset, Layout outer) {
  if (swizzle.isIdentity() && offset.isLeaf() && offset.leaf().is(0))
    return outer;
  return Composed{swizzle, offset, std::move(outer)};
}

} // namespace tessera::layout
