// The same memory seen with elements of another width.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/layout/Algebra.h"
#include "tessera/layout/Domains.h"
#include "tessera/layout/Errors.h"
#include "tessera/layout/Text.h"
#include "tessera/layout/Zip.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <optional>

namespace tessera::layout {

namespace {
/// The widths of the elements before and after, as refusals name them.
struct Bits {
  int64_t before, after;
};

/// old / factor, which leaves no rest: what else divides `old` divides the quotient.
Int wholeElements(Arith &arith, Int old, int64_t factor) {
  arith.assume(Pre::Divides, old, factor);
  Int whole = arith.signedDiv(old, factor);
  whole.div = std::max<int64_t>(whole.div, old.div / std::gcd(old.div, factor));
  return whole;
}

Result<Layout> upcastMode(Arith &arith, const Tree &shape, const Tree &stride, int64_t factor,
                          Bits bits) {
  if (shape.isTuple()) {
    std::vector<Layout> modes;
    for (size_t i = 0; i < shape.rank(); ++i) {
      TESSERA_TRY(Layout mode, upcastMode(arith, shape[i], stride[i], factor, bits));
      modes.push_back(std::move(mode));
    }
    return sideBySide(modes);
  }
  const Leaf &step = stride.leaf();
  Int extent = shape.leaf().value;
  if (step.value.is(0) || step.isBasis())
    return Layout{shape, stride};
  if (step.value.isStatic()) {
    const int64_t old = step.value.value;
    if (old % factor == 0)
      return Layout{shape, Tree(old / factor)};
    if (extent.is(1)) // nothing steps here; CuTe keeps the sign
      return Layout{shape, Tree(old < 0 ? -1 : 1)};
    // Going down, the first element shares its new element with none of the others.
    if (old < 0 || factor % old != 0)
      return fail(Error::RecastIndivisible, bits.before, bits.after, cat("stride ", old),
                  str(shape), factor);
    // factor / old elements lie in one new one; a rest that does not fill one is rounded up.
    return Layout{Tree(arith.ceilDiv(extent, factor / old)), Tree(1)};
  }
  // A dynamic stride steps over whole new elements.
  return Layout{shape, Tree(extent.is(1) ? arith.signedDiv(step.value, factor)
                                         : wholeElements(arith, step.value, factor))};
}

/// Checks that steps of old elements within a new one do not add up beyond it: only then do the new
/// indices of the modes add up.
Result<bool> checkBorders(Arith &arith, const Layout &l, int64_t factor, Bits bits) {
  std::vector<Leaf> shape = l.shape.leaves(), stride = l.stride.leaves();
  std::vector<Walk> modes;
  bool known = true;
  for (size_t i = 0; i < stride.size(); ++i) {
    Int step = stride[i].value;
    bool whole = !step.isStatic() || step.value % factor == 0 || stride[i].isBasis();
    if (whole || shape[i].is(1))
      continue;
    modes.push_back({shape[i].value, step});
    known &= shape[i].isStatic();
  }
  const Int border[] = {factor, 1};
  if (modes.size() < 2)
    return true;
  if (!known)
    arith.assumeSeparate(border, modes);
  else if (!separate(border, modes))
    return fail(Error::RecastOverlap, bits.before, bits.after, str(l));
  return true;
}

/// The leaf whose elements are cut into parts: the first of stride 1 that has neighbours, else the
/// first of stride 1. CuTe cuts every one, and then goes beyond the memory where there are two.
std::optional<size_t> leafToCut(const Layout &l) {
  std::vector<Leaf> shape = l.shape.leaves(), stride = l.stride.leaves();
  std::optional<size_t> found;
  for (size_t i = 0; i < stride.size(); ++i)
    if (stride[i].is(1) && (!found || (shape[*found].is(1) && !shape[i].is(1))))
      found = i;
  return found;
}

/// Widths are positive: the first one that is not, by name.
Result<bool> checkBits(int64_t oldBits, int64_t newBits) {
  if (oldBits <= 0)
    return fail(Error::RecastBits, "old_type_bits", oldBits);
  if (newBits <= 0)
    return fail(Error::RecastBits, "new_type_bits", newBits);
  return true;
}

Result<Layout> upcastBy(Arith &arith, const Layout &l, int64_t factor, Bits bits) {
  if (auto positive = checkBits(1, factor); !positive)
    return std::move(positive).reason();
  if (factor == 1)
    return l;
  TESSERA_TRY(Layout wide, upcastMode(arith, l.shape, l.stride, factor, bits));
  auto apart = checkBorders(arith, l, factor, bits);
  if (!apart)
    return std::move(apart).reason();
  return wide;
}

Result<Layout> downcastBy(Arith &arith, const Layout &l, int64_t factor, Bits bits) {
  if (auto positive = checkBits(factor, 1); !positive)
    return std::move(positive).reason();
  if (factor == 1)
    return l;
  std::optional<size_t> cut = leafToCut(l);
  if (!cut)
    return fail(Error::RecastGap, bits.before, bits.after, str(l));
  size_t extents = 0, steps = 0;
  return Layout{l.shape.map([&](const Leaf &extent) {
                  return extents++ == *cut ? Leaf(arith.mul(extent.value, factor)) : extent;
                }),
                l.stride.map([&](const Leaf &step) {
                  return steps++ == *cut ? step : Leaf(arith.mul(step.value, factor), step.basis);
                })};
}
} // namespace

Result<Layout> upcast(Arith &arith, const Layout &l, int64_t factor) {
  return upcastBy(arith, l, factor, {1, factor});
}
Result<Layout> downcast(Arith &arith, const Layout &l, int64_t factor) {
  return downcastBy(arith, l, factor, {factor, 1});
}

Result<Swizzle> recast(const Swizzle &s, int64_t oldBits, int64_t newBits) {
  if (auto positive = checkBits(oldBits, newBits); !positive)
    return std::move(positive).reason();
  int64_t common = std::gcd(oldBits, newBits);
  uint64_t up = uint64_t(newBits / common), down = uint64_t(oldBits / common);
  if (!std::has_single_bit(up) || !std::has_single_bit(down))
    return fail(Error::SwizzleRecast, oldBits, newBits, str(s));
  Swizzle out = s;
  out.base += std::countr_zero(down) - std::countr_zero(up);
  if (s.isIdentity()) // no bits that could end up below bit 0
    out.base = std::max(out.base, 0);
  if (out.base < 0)
    return fail(Error::SwizzleRecast, oldBits, newBits, str(s));
  return checked(out);
}

namespace {
/// Whether `inner` takes the parts of an element, or the elements of a new one, to such: then its
/// recast is the same function of them. It is, where the first mode steps by 1 and the others begin
/// at multiples of `factor`, which divides the extent before them.
bool keepsNeighbours(Arith &arith, const Layout &inner, int64_t factor) {
  auto whole = [&](const Int &number) {
    return number.isStatic() ? number.value % factor == 0 : number.div % factor == 0;
  };
  const Layout modes = flatten(coalesce(arith, inner));
  const std::vector<Leaf> shape = modes.shape.leaves(), stride = modes.stride.leaves();
  bool keeps = !stride.empty() && stride[0].is(1) && (shape.size() == 1 || whole(shape[0].value));
  for (size_t i = 1; i < stride.size(); ++i)
    keeps &= !stride[i].isBasis() && whole(stride[i].value);
  return keeps;
}
} // namespace

Result<AnyLayout> recast(Arith &arith, const AnyLayout &l, int64_t oldBits, int64_t newBits) {
  if (auto positive = checkBits(oldBits, newBits); !positive)
    return std::move(positive).reason();
  if (oldBits == newBits)
    return l;
  int64_t common = std::gcd(oldBits, newBits);
  const Bits bits = {oldBits, newBits};
  TESSERA_TRY(Layout outer, downcastBy(arith, l.outer(), oldBits / common, bits));
  TESSERA_TRY(outer, upcastBy(arith, outer, newBits / common, bits));
  const Composed *c = l.composed();
  if (!c)
    return AnyLayout(std::move(outer));
  const int64_t factor = newBits / common;
  const Layout *inner = std::get_if<Layout>(&c->inner);
  if (inner && (!c->offset.isLeaf() || !keepsNeighbours(arith, *inner, factor)))
    return Reason{"RecastInner",
                  cat("recast from ", oldBits, " to ", newBits,
                      " bits: expects an inner layout whose first mode steps by 1 and whose others "
                      "begin at whole new elements, but got \"",
                      str(l), "\"")};
  Int offset = arith.mul(c->offset.leaf().value, oldBits / common);
  if (offset.isStatic() && offset.value % factor != 0)
    return fail(Error::RecastIndivisible, oldBits, newBits, cat("offset ", offset.value), str(l),
                factor);
  const Tree start(wholeElements(arith, offset, factor));
  if (inner) {
    TESSERA_TRY(Layout elements, downcastBy(arith, *inner, oldBits / common, bits));
    TESSERA_TRY(elements, upcastBy(arith, elements, factor, bits));
    return checked(Composed{std::move(elements), start, std::move(outer)});
  }
  TESSERA_TRY(Swizzle swizzle, recast(*c->swizzle(), oldBits, newBits));
  return compose(swizzle, start, std::move(outer));
}

} // namespace tessera::layout
