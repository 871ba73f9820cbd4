// The same memory seen with elements of another width.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/layout/Algebra.h"
#include "tessera/layout/Errors.h"
#include "tessera/layout/Text.h"

#include <bit>
#include <numeric>

namespace tessera::layout {

namespace {
Result<Layout> upcastMode(Arith &arith, const Tree &shape, const Tree &stride, int64_t factor) {
  if (shape.isTuple()) {
    std::vector<Layout> modes;
    for (size_t i = 0; i < shape.rank(); ++i) {
      TESSERA_TRY(Layout mode, upcastMode(arith, shape[i], stride[i], factor));
      modes.push_back(std::move(mode));
    }
    return concat(modes);
  }
  const Leaf &step = stride.leaf();
  Int extent = shape.leaf().value;
  if (step.value.is(0) || step.isBasis())
    return Layout{shape, stride};
  if (step.value.isStatic()) {
    int64_t sign = step.value.value < 0 ? -1 : 1, magnitude = sign * step.value.value;
    if (factor % magnitude != 0 && magnitude % factor != 0)
      return fail(Error::RecastIndivisible, 1, factor, cat("stride ", magnitude), str(shape), factor);
    // So many old elements lie in one new one; a rest that does not fill one is rounded up.
    int64_t merged = magnitude < factor ? factor / magnitude : 1;
    int64_t newStep = magnitude < factor ? 1 : magnitude / factor;
    return Layout{Tree(arith.ceilDiv(extent, merged)), Tree(sign * newStep)};
  }
  // A dynamic stride steps over whole new elements.
  arith.assume(Pre::Divides, step.value, factor);
  return Layout{shape, Tree(arith.div(step.value, factor))};
}

Result<Layout> downcastMode(Arith &arith, const Tree &shape, const Tree &stride, int64_t factor) {
  if (shape.isTuple()) {
    std::vector<Layout> modes;
    for (size_t i = 0; i < shape.rank(); ++i) {
      TESSERA_TRY(Layout mode, downcastMode(arith, shape[i], stride[i], factor));
      modes.push_back(std::move(mode));
    }
    return concat(modes);
  }
  const Leaf &step = stride.leaf();
  if (step.is(1) || step.is(-1))
    return Layout{Tree(arith.mul(shape.leaf().value, factor)), stride};
  return Layout{shape, Tree(Leaf(arith.mul(step.value, factor), step.basis))};
}
} // namespace

Result<Layout> upcast(Arith &arith, const Layout &l, int64_t factor) {
  return factor == 1 ? Result<Layout>(l) : upcastMode(arith, l.shape, l.stride, factor);
}
Result<Layout> downcast(Arith &arith, const Layout &l, int64_t factor) {
  return factor == 1 ? Result<Layout>(l) : downcastMode(arith, l.shape, l.stride, factor);
}

Result<Swizzle> recast(const Swizzle &s, int64_t oldBits, int64_t newBits) {
  int64_t common = std::gcd(oldBits, newBits);
  uint64_t up = uint64_t(newBits / common), down = uint64_t(oldBits / common);
  if (!std::has_single_bit(up) || !std::has_single_bit(down))
    return fail(Error::SwizzleRecast, oldBits, newBits, str(s));
  Swizzle out = s;
  out.base += std::countr_zero(down) - std::countr_zero(up);
  if (out.base < 0)
    return fail(Error::SwizzleRecast, oldBits, newBits, str(s));
  return checked(out);
}

Result<AnyLayout> recast(Arith &arith, const AnyLayout &l, int64_t oldBits, int64_t newBits) {
  if (oldBits <= 0)
    return fail(Error::RecastBits, "old_type_bits", oldBits);
  if (newBits <= 0)
    return fail(Error::RecastBits, "new_type_bits", newBits);
  int64_t common = std::gcd(oldBits, newBits);
  TESSERA_TRY(Layout outer, downcast(arith, l.outer(), oldBits / common));
  TESSERA_TRY(outer, upcast(arith, outer, newBits / common));
  const Composed *c = l.composed();
  if (!c)
    return AnyLayout(std::move(outer));
  if (!c->swizzle())
    return fail(Error::NotAffine, "recast", str(l));
  TESSERA_TRY(Swizzle swizzle, recast(*c->swizzle(), oldBits, newBits));
  Tree offset = c->offset.map([&](const Leaf &leaf) {
    return Leaf(arith.div(arith.mul(leaf.value, oldBits / common), newBits / common));
  });
  return compose(swizzle, offset, std::move(outer));
}

} // namespace tessera::layout
