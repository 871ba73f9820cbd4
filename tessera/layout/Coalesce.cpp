// Simplification of layouts: coalesce, filter, and the rules that every layout value obeys.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/layout/Composition.h"
#include "tessera/layout/Domains.h"
#include "tessera/layout/Errors.h"
#include "tessera/layout/Text.h"
#include "tessera/layout/Zip.h"

#include <optional>

namespace tessera::layout {

namespace {
/// Whether a mode of both extents has at most `limit` elements.
bool fits(int64_t a, int64_t b, int64_t limit) {
  Applied product = applyChecked(LeafOp::Mul, a, b);
  return !product.overflow && product.value <= limit;
}

/// No merged mode has more than `most` elements; a dynamic extent may have any size.
template <class Number>
Modes<Number> coalescedUpTo(Numbers<Number> &n, const Modes<Number> &all,
                            std::optional<int64_t> most) {
  Modes<Number> modes;
  for (const auto &[extent, step] : all)
    addCoalesced(n, modes, extent, step, [&](Number last, Number next) {
      return !most || (last.isStatic() && fits(last.value, next.value, *most));
    });
  if (modes.empty())
    modes.push_back({{1}, {0}});
  return modes;
}
Layout coalesce(Arith &arith, const Layout &l, std::optional<int64_t> most) {
  return withNumbers(
      arith, [&](auto &n, const auto &modes) { return n.layout(coalescedUpTo(n, modes, most)); },
      l);
}

/// Where in a profile: " at mode path [1, 0]", nothing at the top.
std::string shownPath(const std::vector<size_t> &path) {
  std::string list;
  for (size_t mode : path)
    list += cat(list.empty() ? " at mode path [" : ", ", mode);
  return list.empty() ? list : list + "]";
}

/// `simplify` below each leaf of `profile`; modes beyond its rank stay.
template <class F>
Result<Layout> byProfile(const Layout &l, const Tree &profile, F &&simplify,
                         std::vector<size_t> path = {}) {
  if (profile.isLeaf())
    return simplify(l);
  if (l.rank() < profile.rank())
    return fail(Error::ProfileRank, profile.rank(), l.rank(), shownPath(path));
  std::vector<Layout> modes;
  path.push_back(0);
  for (size_t i = 0; i < l.rank(); ++i) {
    path.back() = i;
    TESSERA_TRY(Layout mode, i < profile.rank() ? byProfile(l[i], profile[i], simplify, path)
                                                : Result<Layout>(l[i]));
    modes.push_back(std::move(mode));
  }
  return sideBySide(modes);
}
} // namespace

template <class Number> Modes<Number> coalesced(Numbers<Number> &n, const Modes<Number> &all) {
  return coalescedUpTo(n, all, std::nullopt);
}
template Modes<LeafNumber> coalesced(Numbers<LeafNumber> &, const Modes<LeafNumber> &);
template Modes<PlainNumber> coalesced(Numbers<PlainNumber> &, const Modes<PlainNumber> &);

Layout coalesce(Arith &arith, const Layout &l) {
  if (l.shape.isTuple() && l.rank() == 0)
    return l;
  return coalesce(arith, l, std::nullopt);
}
Layout coalesceBounded(Arith &arith, const Layout &l, int64_t maxExtent) {
  return coalesce(arith, l, std::optional(maxExtent));
}
Result<Layout> coalesce(Arith &arith, const Layout &l, const Tree &profile) {
  return byProfile(l, profile, [&](const Layout &mode) { return coalesce(arith, mode); });
}

namespace {
void filterZeros(Tree &shape, Tree &stride) {
  if (stride.isLeaf()) {
    if (stride.leaf().value.is(0)) {
      shape = repeatLike(shape, Leaf(1));
      stride = repeatLike(shape, Leaf(0));
    }
    return;
  }
  for (size_t i = 0; i < stride.rank(); ++i)
    filterZeros(shape.modes()[i], stride.modes()[i]);
}
} // namespace

Layout filterZeros(const Layout &l) {
  Layout out = l;
  filterZeros(out.shape, out.stride);
  return out;
}

Result<Layout> filterZeros(const Layout &l, const Tree &profile) {
  if (profile.isLeaf())
    return Layout{profile.leaf().is(0) ? repeatLike(l.shape, Leaf(1)) : l.shape, l.stride};
  if (l.shape.isLeaf() || l.rank() != profile.rank())
    return fail(Error::ProfileTooDeep, str(profile), str(l.shape));
  std::vector<Layout> modes;
  for (size_t i = 0; i < l.rank(); ++i) {
    TESSERA_TRY(Layout mode, filterZeros(l[i], profile[i]));
    modes.push_back(std::move(mode));
  }
  return sideBySide(modes);
}

Layout filter(Arith &arith, const Layout &l) { return coalesce(arith, filterZeros(l)); }
Result<Layout> filter(Arith &arith, const Layout &l, const Tree &profile) {
  return byProfile(l, profile, [&](const Layout &mode) { return filter(arith, mode); });
}

//===------------------------------------------------------------------------------------------===//
// Well-formedness
//===------------------------------------------------------------------------------------------===//

namespace {
bool isProperPrefix(const Path &a, const Path &b) {
  if (a.size() >= b.size())
    return false;
  for (size_t i = 0; i < a.size(); ++i)
    if (a[i] != b[i])
      return false;
  return true;
}
} // namespace

static bool isPositive(const Tree &shape) {
  bool positive = true;
  shape.forEachLeaf(
      [&](const Leaf &leaf) { positive &= !leaf.value.isStatic() || leaf.value.value > 0; });
  return positive;
}
Result<Tree> checkedShape(Tree shape) {
  return isPositive(shape) ? Result<Tree>(std::move(shape))
                           : fail(Error::ShapeNotPositive, str(shape));
}

Result<Layout> checked(Layout l) {
  if (!isPositive(l.shape))
    return fail(Error::ShapeNotPositive, str(l));
  if (!congruent(l.shape, l.stride))
    return fail(Error::ProfileMismatch, str(l.shape), str(l.stride));
  std::vector<Leaf> bases;
  bool numbers = false;
  l.stride.forEachLeaf([&](const Leaf &leaf) {
    if (leaf.isBasis())
      bases.push_back(leaf);
    else
      numbers |= !leaf.is(0);
  });
  if (numbers && !bases.empty())
    return fail(Error::MixedStrides, str(l.stride));
  for (const Leaf &a : bases)
    for (const Leaf &b : bases)
      if (isProperPrefix(a.basis, b.basis))
        return fail(Error::BasisPathConflict, str(l.stride));
  return l;
}

Result<Swizzle> checked(Swizzle s) {
  if (s.distance() < s.bits)
    return fail(Error::SwizzleShift, str(s));
  if (s.distance() + s.bits + s.base > 32)
    return fail(Error::SwizzleRange, str(s));
  return s;
}

Result<AnyLayout> checked(Composed c) {
  Layout *affine = std::get_if<Layout>(&c.inner);
  if (!isPositive(c.outer.shape) || (affine && !isPositive(affine->shape)))
    return fail(Error::ShapeNotPositive, str(c));
  TESSERA_TRY(c.outer, checked(std::move(c.outer)));
  if (affine) {
    TESSERA_TRY(*affine, checked(std::move(*affine)));
    // What comes out of the outer layout, and the offset, are a coordinate of the inner one.
    const Tree start = coprofile(c.outer);
    if (start.isTuple() && c.offset.isLeaf() && !c.offset.leaf().is(0))
      return fail(Error::OffsetNotAddable, str(c.offset), str(start));
    Symbolic arith;
    Tree sum = addIndices(arith, start, c.offset);
    if (!(sum.isLeaf() || weaklyCongruent(sum, affine->shape)))
      return fail(Error::OffsetNotInner, str(sum), str(affine->shape));
    return AnyLayout(std::move(c));
  }
  if (c.offset.isTuple() || c.outer.stride.hasBasis())
    return fail(Error::SwizzleScalar, str(c.offset), str(c.outer));
  return AnyLayout(std::move(c));
}

} // namespace tessera::layout
