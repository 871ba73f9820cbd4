// Functional composition of layouts, swizzles and tiles.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/layout/Composition.h"
#include "tessera/layout/Domains.h"
#include "tessera/layout/Errors.h"
#include "tessera/layout/Text.h"
#include "tessera/layout/Zip.h"

#include <algorithm>
#include <cassert>

namespace tessera::layout {

template <class Number> Modes<Number> coalescedLeft(Numbers<Number> &n, const Modes<Number> &all) {
  Modes<Number> modes;
  for (const auto &[extent, step] : all)
    addCoalesced(n, modes, extent, step);
  if (all.empty() || all.back().extent.is(1))
    addCoalesced(n, modes, {2}, all.empty() ? Number{0} : all.back().step);
  return modes;
}
template Modes<LeafNumber> coalescedLeft(Numbers<LeafNumber> &, const Modes<LeafNumber> &);
template Modes<PlainNumber> coalescedLeft(Numbers<PlainNumber> &, const Modes<PlainNumber> &);

namespace {
/// The sign and magnitude of a stride; a dynamic one counts as positive.
template <class Number> bool isNegative(Number d) { return d.isStatic() && d.value < 0; }
template <class Number> Number magnitude(Numbers<Number> &n, Number d) {
  return isNegative(d) ? n.sub({0}, d) : d;
}

template <class Number> Number scale(Numbers<Number> &n, Number factor, Number stride) {
  return n.mul(factor, stride).withPathOf(stride);
}

/// Whether `a` is not a multiple of `b`; nothing remains of a division by 0, which an illegal
/// extent may ask for.
bool remains(int64_t a, int64_t b) { return apply(LeafOp::Mod, a, b) != 0; }

/// Whether `extent` steps of `step` are a layout within a mode of `current` elements and beyond its
/// end.
template <class Number> bool stepFits(int64_t current, int64_t step, Number extent) {
  if (!remains(step, current) || !remains(current, step))
    return true;
  return extent.isStatic() && (__int128(extent.value) - 1) * step < current;
}

/// A left layout, its modes as coalescedLeft makes them, and what knows their numbers. One
/// reference, so that the numbers of a mode beside it are passed in registers.
template <class Number> struct Left {
  Numbers<Number> &n;
  const Layout &layout;
  const Modes<Number> &modes;
};
/// New trees, in which a composition puts shape and stride of one mode.
struct Out {
  Tree &shape, &stride;
};
using Done = Result<bool>;

/// The modes of one integral mode `extent:step` of the right layout, walked through the left
/// layout.
template <class Number>
Done walk(const Left<Number> &left, Number extent, Number step, const Out &out) {
  Numbers<Number> &n = left.n;
  const Modes<Number> &a = left.modes;
  Modes<Number> walked;
  if (step.is(0))
    walked.emplace_back(extent, Number{0});
  const size_t last = a.size() - 1;
  const bool negative =
      isNegative(step); // now, as the sign of a reach that becomes dynamic is unknown
  Number restExtent = extent, reach = magnitude(n, step);
  auto restStep = [&] { return negative ? n.sub({0}, reach) : reach; };
  if (last > 0 && !step.isStatic())
    n.assume(Pre::AtMost, {1}, step);
  for (size_t i = 0; i < last && !step.is(0); ++i) {
    const Number current = a[i].extent;
    // The steps must stay inside this mode, divide it, or jump over whole copies of it.
    bool known = current.isStatic() && reach.isStatic();
    if (!known || !stepFits(current.value, reach.value, restExtent)) {
      if (known && restExtent.isStatic())
        return fail(Error::CompositionStride, i, current.value, reach.value);
      n.assume(Pre::StepFits, current, reach, restExtent);
    }
    const Number inside = n.ceilDiv(current, reach);
    const Number nextReach = n.ceilDiv(reach, current);
    if (!inside.is(1) && !restExtent.is(1)) {
      const Number taken = n.min(inside, restExtent);
      if (taken.isStatic() && restExtent.isStatic()) {
        if (remains(restExtent.value, taken.value))
          return fail(Error::CompositionShape, restExtent.value, taken.value, i);
      } else {
        n.assume(Pre::Divides, restExtent, taken);
      }
      walked.emplace_back(taken, scale(n, restStep(), a[i].step));
      // Where it is sure that all of this mode is taken, a static extent divides instead of the
      // smaller of two.
      const bool all =
          inside.isStatic() && !restExtent.isStatic() && n(restExtent).div >= inside.value;
      restExtent = n.div(restExtent, all ? inside : taken);
    }
    reach = nextReach;
  }
  if (walked.empty() || (!step.is(0) && !restExtent.is(1)))
    walked.emplace_back(restExtent, scale(n, restStep(), a[last].step));
  n.write(walked, out.shape, out.stride);
  return true;
}

/// The flat left layout that a step v@path walks through: the mode at the path, or all of `a`.
template <class Number>
Result<Modes<Number>> modeAt(Numbers<Number> &n, const Layout &a, const Path &path) {
  std::vector<int32_t> indices;
  for (size_t i = 0; i < path.size(); ++i)
    indices.push_back(path[i]);
  TESSERA_TRY(Layout mode, getMode(a, indices));
  return coalescedLeft(n, n.listOf(mode));
}

template <class Number>
Done composeMode(const Left<Number> &a, Number extent, Number step, const Out &out) {
  if (!step.isBasis())
    return walk(a, extent, step, out);
  TESSERA_TRY(Modes<Number> at, modeAt(a.n, a.layout, a.n.pathOf(step)));
  return walk(Left<Number>{a.n, a.layout, at}, extent, step, out);
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

/// The modes from `next` on in the profile of `shape`; `next` becomes the one after them.
template <class Number>
Done composeTree(const Left<Number> &a, const Tree &shape, const ModeOf<Number> *&next,
                 const Out &out) {
  if (shape.isLeaf()) {
    const auto [extent, step] = *next++;
    return composeMode(a, extent, step, out);
  }
  return composeEach(shape.rank(), out, [&](size_t i, const Out &mode) {
    return composeTree(a, shape[i], next, mode);
  });
}
template <class Number>
Done composeTree(const Left<Number> &a, const Listed<Number> &b, const Out &out) {
  const ModeOf<Number> *next = b.modes.begin();
  Done done = composeTree(a, b.layout.shape, next, out);
  assert(!done || next == b.modes.end());
  return done;
}

/// The same for a list: one mode is itself, several are a mode of modes.
template <class Number>
Done composeList(const Left<Number> &a, const Modes<Number> &b, const Out &out) {
  auto each = [&](size_t i, const Out &mode) {
    return composeMode(a, b[i].extent, b[i].step, mode);
  };
  return b.size() == 1 ? each(0, out) : composeEach(b.size(), out, each);
}

/// Whether the modes of `b` with this basis path carry into each other within `left`; false after a
/// refusal.
bool areSeparate(Numbers<LeafNumber> &n, const Modes<LeafNumber> &left, const Modes<LeafNumber> &b,
                 uint32_t path) {
  if (left.size() < 2)
    return true;
  Small<Walk> walks;
  bool known = true;
  for (const auto &mode : b) {
    if (mode.step.path != path || mode.step.is(0) || mode.extent.is(1))
      continue;
    walks.push_back({n(mode.extent), n(mode.step)});
    known &= mode.extent.isStatic() && mode.step.isStatic();
  }
  if (walks.size() < 2)
    return true;
  Small<Int> extents;
  for (size_t i = 0; i < left.size(); ++i) {
    extents.push_back(n(left[i].extent));
    known &= left[i].extent.isStatic() || i + 1 == left.size();
  }
  if (known)
    return separate(extents, walks);
  n.arith.assumeSeparate(extents, walks);
  return true;
}

/// The modes of `b` are walked one by one, so their indices must add up within the modes of `a`. A
/// path that leads nowhere was refused before.
bool addUp(const Left<LeafNumber> &a, const Modes<LeafNumber> &b) {
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
    const Result<Modes<LeafNumber>> mode = modeAt(a.n, a.layout, a.n.pathOf(step));
    if (mode && !areSeparate(a.n, *mode, b, step.path))
      return false;
  }
  return true;
}
bool addUp(const Left<PlainNumber> &a, const Modes<PlainNumber> &b) {
  Modes<PlainNumber> walks;
  for (const PlainMode &mode : b)
    if (!mode.step.is(0) && !mode.extent.is(1))
      walks.push_back(mode);
  return walks.size() < 2 ||
         separate(std::span<const PlainMode>(a.modes), std::span<const PlainMode>(walks));
}
/// Whether there is anything to carry into.
template <class Number> bool mayCarry(const Modes<Number> &left, const Tree &stride) {
  return left.size() > 1 || (std::is_same_v<Number, LeafNumber> && stride.hasBasis());
}
} // namespace

/// A mode of the right layout may become one of each mode of the left: chains of compositions of
/// unknown extents would fill the memory.
static Done bounded(size_t right, size_t left) {
  constexpr size_t maxModes = 1 << 16;
  if (left && right > maxModes / left)
    return fail(Error::CompositionModes, maxModes, right, left, right * left);
  return true;
}

template <class Number>
Result<Layout> composition(Numbers<Number> &n, const Listed<Number> &a, const Listed<Number> &b) {
  const Modes<Number> modes = coalescedLeft(n, a.modes);
  if (Done fits = bounded(b.modes.size(), modes.size()); !fits)
    return std::move(fits).reason();
  const Left<Number> left = {n, a.layout, modes};
  Result<Layout> composed(std::in_place);
  if (Done done = composeTree(left, b, {composed->shape, composed->stride}); !done)
    composed = std::move(done).reason();
  else if (mayCarry(modes, b.layout.stride) && !addUp(left, b.modes))
    composed = fail(Error::CompositionCarry, str(b.layout), str(a.layout));
  return composed;
}
template Result<Layout> composition(Numbers<LeafNumber> &, const Listed<LeafNumber> &,
                                    const Listed<LeafNumber> &);

Result<Layout> composition(Arith &arith, const Layout &a, const Layout &b) {
  return withNumbers(
      arith,
      [&](auto &n, const auto &left, const auto &right) {
        return composition(n, {a, left}, {b, right});
      },
      a, b);
}

template <class Number>
Result<Layout> composition(Numbers<Number> &n, const Layout &a, const Modes<Number> &modes,
                           const Listed<Number> &b, const Modes<Number> &rest) {
  const Left<Number> left = {n, a, modes};
  if (Done fits = bounded(b.modes.size() + rest.size(), modes.size()); !fits)
    return std::move(fits).reason();
  auto modesAddUp = [&] {
    Modes<Number> both = b.modes;
    both.append(rest.begin(), rest.end());
    return addUp(left, both);
  };
  Result<Layout> composed(std::in_place);
  Done done = composeEach(2, {composed->shape, composed->stride}, [&](size_t i, const Out &out) {
    return i == 0 ? composeTree(left, b, out) : composeList(left, rest, out);
  });
  if (!done)
    composed = std::move(done).reason();
  else if (mayCarry(modes, b.layout.stride) && !modesAddUp())
    composed = fail(Error::CompositionCarry, str(sideBySide({b.layout, n.layout(rest)})), str(a));
  return composed;
}
template Result<Layout> composition(Numbers<LeafNumber> &, const Layout &,
                                    const Modes<LeafNumber> &, const Listed<LeafNumber> &,
                                    const Modes<LeafNumber> &);
template Result<Layout> composition(Numbers<PlainNumber> &, const Layout &,
                                    const Modes<PlainNumber> &, const Listed<PlainNumber> &,
                                    const Modes<PlainNumber> &);

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
  Composed composed = {swizzle, offset, std::move(outer)};
  if (composed.isTrivial())
    return std::move(composed.outer);
  return composed;
}

} // namespace tessera::layout
