// Functional composition of layouts, swizzles and tiles.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/layout/Composition.h"
#include "tessera/layout/Domains.h"
#include "tessera/layout/Errors.h"
#include "tessera/layout/Text.h"
#include "tessera/layout/Zip.h"

#include <algorithm>

namespace tessera::layout {

Modes coalescedLeft(Numbers &n, const Layout &a) {
  Modes modes;
  Num lastExtent = {1}, lastStep = {0};
  forEachMode(a.shape, a.stride, [&](const Leaf &extent, const Leaf &step) {
    lastExtent = n.of(extent);
    lastStep = n.of(step);
    addCoalesced(n, modes, lastExtent, lastStep);
  });
  if (lastExtent.is(1))
    addCoalesced(n, modes, {2}, lastStep);
  return modes;
}

namespace {
/// The sign and magnitude of a stride; a dynamic one counts as positive.
bool isNegative(Num d) { return d.isStatic() && d.value < 0; }
Num magnitude(Numbers &n, Num d) { return isNegative(d) ? n.sub({0}, d) : d; }

Num scale(Numbers &n, Num factor, Num stride) {
  Num scaled = n.mul(factor, stride);
  scaled.path = stride.path;
  return scaled;
}

/// Whether `a` is no multiple of `b`; nothing remains of a division by 0, which an illegal extent may ask for.
bool remains(int64_t a, int64_t b) { return apply(LeafOp::Mod, a, b) != 0; }

/// Whether `extent` steps of `step` are a layout within a mode of `current` elements and beyond its end.
bool stepFits(int64_t current, int64_t step, Num extent) {
  if (!remains(step, current) || !remains(current, step))
    return true;
  return extent.isStatic() && (__int128(extent.value) - 1) * step < current;
}

/// A left layout, its modes as coalescedLeft makes them, and what knows their numbers. One reference, so that the
/// numbers of a mode beside it are passed in registers.
struct Left {
  Numbers &n;
  const Layout &layout;
  const Modes &modes;
};
/// New trees, in which a composition puts shape and stride of one mode.
struct Out {
  Tree &shape, &stride;
};
using Done = Result<bool>;

/// The modes of one integral mode `extent:step` of the right layout, walked through the left layout.
Done walk(const Left &left, Num extent, Num step, const Out &out) {
  Numbers &n = left.n;
  const Modes &a = left.modes;
  Modes walked;
  if (step.is(0))
    walked.emplace_back(extent, Num{0});
  const size_t last = a.size() - 1;
  Num restExtent = extent, restStep = step;
  if (last > 0 && !step.isStatic())
    n.assume(Pre::AtMost, {1}, step);
  for (size_t i = 0; i < last && !step.is(0); ++i) {
    const Num current = a[i].extent, reach = magnitude(n, restStep);
    // The steps must stay inside this mode, divide it, or jump over whole copies of it.
    bool known = current.isStatic() && reach.isStatic();
    if (!known || !stepFits(current.value, reach.value, restExtent)) {
      if (known && restExtent.isStatic())
        return fail(Error::CompositionStride, i, current.value, reach.value);
      n.assume(Pre::StepFits, current, reach, restExtent);
    }
    const Num inside = n.ceilDiv(current, reach);
    Num nextStep = n.ceilDiv(reach, current);
    if (isNegative(restStep))
      nextStep = n.sub({0}, nextStep);
    if (!inside.is(1) && !restExtent.is(1)) {
      const Num taken = n.min(inside, restExtent);
      if (taken.isStatic() && restExtent.isStatic()) {
        if (remains(restExtent.value, taken.value))
          return fail(Error::CompositionShape, restExtent.value, taken.value, i);
      } else {
        n.assume(Pre::Divides, restExtent, taken);
      }
      walked.emplace_back(taken, scale(n, restStep, a[i].step));
      // Where it is sure that all of this mode is taken, a static extent divides instead of the smaller of two.
      const bool all = inside.isStatic() && !restExtent.isStatic() && n(restExtent).div >= inside.value;
      restExtent = n.div(restExtent, all ? inside : taken);
    }
    restStep = nextStep;
  }
  if (walked.empty() || (!step.is(0) && !restExtent.is(1)))
    walked.emplace_back(restExtent, scale(n, restStep, a[last].step));
  n.write(walked, out.shape, out.stride);
  return true;
}

/// The flat left layout that a step v@path walks through: the mode at the path, or all of `a`.
Result<Modes> modeAt(Numbers &n, const Layout &a, const Path &path) {
  std::vector<int32_t> indices;
  for (size_t i = 0; i < path.size(); ++i)
    indices.push_back(path[i]);
  TESSERA_TRY(Layout mode, getMode(a, indices));
  return coalescedLeft(n, mode);
}

Done composeMode(const Left &a, Num extent, Num step, const Out &out) {
  if (!step.isBasis())
    return walk(a, extent, step, out);
  TESSERA_TRY(Modes at, modeAt(a.n, a.layout, a.n.pathOf(step)));
  return walk({a.n, a.layout, at}, extent, step, out);
}

/// A tuple of `count` modes, of which compose(i, out) makes each.
template <class Compose> Done composeEach(size_t count, const Out &out, Compose &&compose) {
  out.shape.open(count);
  out.stride.open(count);
  for (size_t i = 0; i < count; ++i)
    if (Done mode = compose(i, Out{out.shape[i], out.stride[i]}); !mode)
      return mode;
  return true;
}

Done composeTree(const Left &a, const Tree &shape, const Tree &stride, const Out &out) {
  if (shape.isLeaf())
    return composeMode(a, a.n.of(shape.leaf()), a.n.of(stride.leaf()), out);
  return composeEach(shape.rank(), out, [&](size_t i, const Out &mode) {
    return composeTree(a, shape[i], stride[i], mode);
  });
}

/// The same for a list: one mode is itself, several are a mode of modes.
Done composeList(const Left &a, const Modes &b, const Out &out) {
  auto each = [&](size_t i, const Out &mode) { return composeMode(a, b[i].extent, b[i].step, mode); };
  return b.size() == 1 ? each(0, out) : composeEach(b.size(), out, each);
}

/// Whether the modes of `b` with this basis path carry into each other within `left`; false after a refusal.
bool areSeparate(Numbers &n, const Modes &left, const Modes &b, uint32_t path) {
  if (left.size() < 2)
    return true;
  Modes walks;
  bool known = true;
  for (const Mode &mode : b) {
    if (mode.step.path != path || mode.step.is(0) || mode.extent.is(1))
      continue;
    walks.push_back(mode);
    known &= mode.extent.isStatic() && mode.step.isStatic();
  }
  if (walks.size() < 2)
    return true;
  for (size_t i = 0; i + 1 < left.size(); ++i)
    known &= left[i].extent.isStatic();
  if (known) {
    Small<int64_t> extents;
    for (const Mode &mode : left)
      extents.push_back(mode.extent.value);
    Small<Steps> steps;
    for (const auto &[extent, step] : walks)
      steps.emplace_back(extent.value, step.value);
    return separate(std::span<const int64_t>(extents.data(), extents.size()),
                    std::span<const Steps>(steps.data(), steps.size()));
  }
  std::vector<Int> extents;
  for (const Mode &mode : left)
    extents.push_back(n(mode.extent));
  std::vector<Walk> steps;
  for (const auto &[extent, step] : walks)
    steps.push_back({n(extent), n(step)});
  n.arith.assumeSeparate(extents, steps);
  return true;
}

/// The modes of `b` are walked one by one, so their indices must add up within the modes of `a`. A path that
/// leads nowhere was refused before.
bool addUp(const Left &a, const Modes &b) {
  Small<uint32_t> paths; // modes with different paths walk different modes of `a`
  for (const auto &[extent, step] : b) {
    if (std::find(paths.begin(), paths.end(), step.path) != paths.end())
      continue;
    paths.push_back(step.path);
    if (!step.isBasis()) {
      if (!areSeparate(a.n, a.modes, b, step.path))
        return false;
      continue;
    }
    const Result<Modes> mode = modeAt(a.n, a.layout, a.n.pathOf(step));
    if (mode && !areSeparate(a.n, *mode, b, step.path))
      return false;
  }
  return true;
}
/// Whether there is anything to carry into.
bool mayCarry(const Modes &left, const Tree &stride) { return left.size() > 1 || stride.hasBasis(); }
} // namespace

Result<Layout> composition(Arith &arith, const Layout &a, const Layout &b) {
  Numbers n(arith);
  const Modes modes = coalescedLeft(n, a);
  const Left left = {n, a, modes};
  Result<Layout> composed(std::in_place);
  if (Done done = composeTree(left, b.shape, b.stride, {composed->shape, composed->stride}); !done)
    composed = std::move(done).reason();
  else if (mayCarry(modes, b.stride) && !addUp(left, n.modesOf(b)))
    composed = fail(Error::CompositionCarry, str(b), str(a));
  return composed;
}

Result<Layout> composition(Numbers &n, const Layout &a, const Modes &modes, const Layout &b, const Modes &rest) {
  const Left left = {n, a, modes};
  auto modesAddUp = [&] {
    Modes both = n.modesOf(b);
    both.append(rest.begin(), rest.end());
    return addUp(left, both);
  };
  Result<Layout> composed(std::in_place);
  Done done = composeEach(2, {composed->shape, composed->stride}, [&](size_t i, const Out &out) {
    return i == 0 ? composeTree(left, b.shape, b.stride, out) : composeList(left, rest, out);
  });
  if (!done)
    composed = std::move(done).reason();
  else if (mayCarry(modes, b.stride) && !modesAddUp())
    composed = fail(Error::CompositionCarry, str(sideBySide({b, n.layout(rest)})), str(a));
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
