// Swizzles as functions that one composes and inverts, also after layouts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/layout/Composition.h"
#include "tessera/layout/Domains.h"
#include "tessera/layout/Errors.h"
#include "tessera/layout/Text.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <optional>

namespace tessera::layout {

namespace {
/// Whether the ones of a mask are neighbours.
bool isRun(uint64_t mask) {
  uint64_t lowest = mask & (~mask + 1);
  return mask == 0 || std::has_single_bit(mask / lowest + 1);
}

/// The swizzle with these bits; nothing if none has them.
std::optional<Swizzle> swizzleOf(uint64_t source, uint64_t target) {
  constexpr uint64_t widest = std::numeric_limits<uint32_t>::max();
  if (source > widest || target > widest || !isRun(source) || !isRun(target) ||
      std::popcount(source) != std::popcount(target))
    return std::nullopt;
  if (source == 0)
    return Swizzle{0, 0, 0};
  int from = std::countr_zero(source), to = std::countr_zero(target);
  Result<Swizzle> s = checked(Swizzle{std::popcount(source), std::min(from, to), from - to});
  return s ? std::optional(*s) : std::nullopt;
}
} // namespace

Result<Swizzle> makeSwizzle(int64_t sourceBits, int64_t targetBits) {
  if (std::optional<Swizzle> s = swizzleOf(uint64_t(sourceBits), uint64_t(targetBits)))
    return *s;
  return fail(Error::SwizzleMasks, sourceBits, targetBits);
}

Result<Swizzle> composition(const Swizzle &a, const Swizzle &b) {
  if (a.isIdentity() && !b.isIdentity())
    return b;
  if (b.isIdentity() && !a.isIdentity())
    return a;
  // With one shift, bits that both move are moved back. No source bit of `a` is a target of `b` if
  // the result has as many bits as its shift at most: two runs that touch or end together lie
  // within one such length.
  std::optional<Swizzle> both =
      swizzleOf(a.sourceMask() ^ b.sourceMask(), a.targetMask() ^ b.targetMask());
  if (a.shift != b.shift || !both)
    return fail(Error::SwizzlesApart, str(a), str(b));
  return *both;
}

//===------------------------------------------------------------------------------------------===//
// A swizzle after a layout
//===------------------------------------------------------------------------------------------===//

namespace {
/// What each bit of an integer coordinate adds to the index of `l`; nothing if bits do not add up:
/// a stride is negative or dynamic, or an extent before the last is not a power of two. The last
/// mode has no end.
std::optional<std::vector<uint64_t>> imagesOfBits(Arith &arith, const Layout &l, int count) {
  Numbers<LeafNumber> numbers(arith);
  const Modes<LeafNumber> modes = coalescedLeft(numbers, numbers.listOf(l));
  std::vector<uint64_t> images;
  for (size_t i = 0; i < modes.size(); ++i) {
    bool last = i + 1 == modes.size();
    const auto [extent, step] = modes[i];
    if (!step.isStatic() || step.value < 0 || step.isBasis() ||
        (!last && (!extent.isStatic() || !std::has_single_bit(uint64_t(extent.value)))))
      return std::nullopt;
    int bits = last ? count : std::countr_zero(uint64_t(extent.value));
    for (int bit = 0; bit < bits && int(images.size()) < count; ++bit) {
      if (bit + std::bit_width(uint64_t(step.value)) > 62)
        return std::nullopt;
      images.push_back(uint64_t(step.value) << bit);
    }
  }
  return images;
}

/// Calls `f` with the position of each one of a mask.
template <class F> void forEachBit(uint64_t mask, F &&f) {
  for (; mask != 0; mask &= mask - 1)
    f(size_t(std::countr_zero(mask)));
}

/// Whether the images of these bits have none in common: then they add up like an exclusive or.
bool areApart(const std::vector<uint64_t> &images, uint64_t bits) {
  uint64_t taken = 0;
  bool apart = true;
  forEachBit(bits, [&](size_t bit) {
    apart &= (taken & images[bit]) == 0;
    taken |= images[bit];
  });
  return apart;
}

/// S' with S'(A(c)) = A(S(c)), where each bit that S reads or changes becomes one bit of A.
std::optional<Swizzle> renamed(const Swizzle &s, const std::vector<uint64_t> &images) {
  uint64_t source = 0, target = 0;
  int from = std::countr_zero(s.sourceMask()), to = std::countr_zero(s.targetMask());
  std::optional<int> shift;
  for (int bit = 0; bit < s.bits; ++bit) {
    uint64_t y = images[size_t(from + bit)], z = images[size_t(to + bit)];
    if (z == 0) // A does not see this bit change
      continue;
    if (!std::has_single_bit(y) || !std::has_single_bit(z))
      return std::nullopt;
    int apart = std::countr_zero(y) - std::countr_zero(z);
    if (shift.value_or(apart) != apart)
      return std::nullopt;
    shift = apart;
    source |= y;
    target |= z;
  }
  return swizzleOf(source, target);
}

/// `s` without the highest bits that no argument has.
Swizzle activePart(Swizzle s, uint64_t arguments) {
  while (s.bits > 0 && (std::bit_floor(s.sourceMask()) & arguments) == 0)
    --s.bits;
  return s;
}

/// S' with S'(A(c)) = A(S(c)) for all c whose bits are among those of `arguments`.
std::optional<Swizzle> movedThrough(Arith &arith, const Layout &a, const Swizzle &s,
                                    uint64_t arguments) {
  auto attempt = [&](const Swizzle &part) -> std::optional<Swizzle> {
    if (part.isIdentity())
      return Swizzle{0, 0, 0};
    uint64_t bits = arguments | part.sourceMask() | part.targetMask();
    auto images = imagesOfBits(arith, a, std::bit_width(bits));
    return images && areApart(*images, bits) ? renamed(part, *images) : std::nullopt;
  };
  if (std::optional<Swizzle> whole = attempt(s))
    return whole;
  // Bits that no argument has move nothing, though A may send them where it sends others.
  return attempt(activePart(s, arguments));
}

/// All bits that a number up to `largest` may have.
uint64_t bitsUpTo(int64_t largest) {
  return largest <= 0 ? 0 : std::bit_ceil(uint64_t(largest) + 1) - 1;
}
} // namespace

Result<AnyLayout> composition(Arith &arith, const Layout &a, const Swizzle &s) {
  if (!a.isStatic())
    return fail(Error::StaticOnly, "composition with a swizzle", str(a));
  Int last = arith.sub(size(arith, a), 1);
  std::optional<Swizzle> after = movedThrough(arith, a, s, bitsUpTo(last.value));
  if (!after)
    return fail(Error::SwizzleAfterLayout, str(a), str(s));
  return compose(*after, Tree(0), a);
}

namespace {
/// Whether A(offset + B(c)) = A(offset) + A(B(c)): no digit of the offset carries into another mode
/// of A.
bool offsetAddsUp(Arith &arith, const Layout &a, int64_t offset, const Layout &b) {
  std::vector<Int> extents;
  std::vector<Walk> modes;
  int64_t rest = offset, boundary = 1;
  Numbers<LeafNumber> numbers(arith);
  const Modes<LeafNumber> left = coalescedLeft(numbers, numbers.listOf(a));
  for (size_t i = 0; i < left.size() && rest > 0; ++i) {
    const int64_t extent = left[i].extent.value;
    if (extent <= 0)
      return false;
    bool last = i + 1 == left.size();
    int64_t digit = last ? rest : rest % extent;
    if (digit != 0)
      modes.push_back({2, arith.mul(boundary, digit)});
    boundary = arith.mul(boundary, numbers(left[i].extent)).value;
    rest /= extent;
  }
  for (const auto &mode : left)
    extents.push_back(numbers(mode.extent));
  std::vector<Leaf> shape = b.shape.leaves(), stride = b.stride.leaves();
  for (size_t i = 0; i < shape.size(); ++i)
    if (!shape[i].is(1) && !stride[i].is(0))
      modes.push_back({shape[i].value, stride[i].value});
  return extents.size() < 2 || separate(extents, modes);
}

bool hasNegative(const Tree &stride) {
  bool negative = false;
  stride.forEachLeaf(
      [&](const Leaf &leaf) { negative |= leaf.isStatic() && leaf.value.value < 0; });
  return negative;
}

/// A o (S o offset o B) = S' o A(offset) o (A o B).
Result<AnyLayout> afterLayout(Arith &arith, const Layout &a, const Swizzle &s, Int offset,
                              const Layout &b) {
  TESSERA_TRY(Layout outer, composition(arith, a, b));
  if (s.isIdentity() && offset.is(0))
    return AnyLayout(std::move(outer));
  bool plain = a.isStatic() && b.isStatic() && offset.isStatic() && offset.value >= 0;
  if (!plain || b.stride.hasBasis() || hasNegative(b.stride))
    return fail(Error::StaticOnly, "composition with a swizzled right operand",
                str(compose(s, Tree(offset), b)));
  TESSERA_TRY(Int end, cosize(arith, AnyLayout(b)));
  Int largest = arith.add(offset, arith.sub(end, 1));
  std::optional<Swizzle> after = movedThrough(arith, a, s, bitsUpTo(largest.value));
  if (!after || !offsetAddsUp(arith, a, offset.value, b))
    return fail(Error::SwizzleAfterLayout, str(a), str(compose(s, Tree(offset), b)));
  TESSERA_TRY(Tree start, crd2idx(arith, Tree(offset), a));
  if (start.isTuple())
    return fail(Error::SwizzleScalar, str(start), str(a));
  return compose(*after, start, std::move(outer));
}
} // namespace

Result<AnyLayout> composition(Arith &arith, const AnyLayout &a, const Composed &b) {
  const Swizzle *s = b.swizzle();
  if (!s)
    return fail(Error::NotAffine, "the right operand of a composition", str(b));
  if (!b.offset.isLeaf())
    return fail(Error::SwizzleScalar, str(b.offset), str(b.outer));
  TESSERA_TRY(AnyLayout right, afterLayout(arith, a.outer(), *s, b.offset.leaf().value, b.outer));
  if (a.affine() || right.affine())
    return a.affine() ? right : a.withOuter(Layout(right.outer()));
  // Two swizzles in a row: they meet only with nothing added between them.
  const Composed &left = *a.composed(), &inner = *right.composed();
  if (!left.swizzle())
    return fail(Error::NotAffine, "the left operand of a composition with a swizzle", str(a));
  if (inner.swizzle()->isIdentity())
    return compose(*left.swizzle(), addIndices(arith, left.offset, inner.offset), inner.outer);
  if (!left.offset.isLeaf() || !left.offset.leaf().is(0))
    return fail(Error::SwizzleAfterLayout, str(a), str(b));
  TESSERA_TRY(Swizzle both, composition(*left.swizzle(), *inner.swizzle()));
  return compose(both, inner.offset, inner.outer);
}

namespace {
/// inverse o S for arguments with these bits: the inverse of S o 0 o L.
Result<AnyLayout> afterInverse(Arith &arith, const AnyLayout &l, const Layout &inverse,
                               uint64_t arguments) {
  const Swizzle &s = *l.composed()->swizzle();
  std::optional<Swizzle> after;
  if (inverse.isStatic())
    after = movedThrough(arith, inverse, s, arguments);
  if (!after)
    return fail(Error::SwizzleAfterLayout, str(inverse), str(s));
  return compose(*after, Tree(0), inverse);
}

/// Whether `l` is S o 0 o L, whose inverse is that of L after the swizzle.
bool startsAtZero(const AnyLayout &l) {
  const Composed &c = *l.composed();
  return c.swizzle() && c.offset.isLeaf() && c.offset.leaf().is(0);
}
/// Whether `l` is S o n o L with known numbers, n > 0, and indices of L that are not negative.
bool startsAfterZero(const AnyLayout &l) {
  const Composed &c = *l.composed();
  return c.swizzle() && c.isStatic() && c.offset.isLeaf() && !c.offset.leaf().isBasis() &&
         c.offset.leaf().value.value > 0 && !c.outer.stride.hasBasis() &&
         !hasNegative(c.outer.stride);
}

/// Whether L(R(i)) = i beyond the size of R, for the numbers with these bits.
bool invertsBeyond(Arith &arith, const Layout &l, const Layout &inverse, uint64_t bits) {
  auto back = imagesOfBits(arith, inverse, std::bit_width(bits));
  if (!back || !areApart(*back, bits))
    return false;
  uint64_t coords = 0;
  forEachBit(bits, [&](size_t bit) { coords |= (*back)[bit]; });
  auto forth = imagesOfBits(arith, l, std::bit_width(coords));
  bool inverts = forth.has_value();
  forEachBit(inverts ? bits : 0, [&](size_t bit) {
    uint64_t index = 0;
    forEachBit((*back)[bit], [&](size_t image) { index += (*forth)[image]; });
    inverts &= index == uint64_t(1) << bit;
  });
  return inverts;
}

/// The left inverse of S o n o L: j -> L^+(S(j) - n), where that is a composed layout. In general
/// it is not one, as the subtraction comes after the swizzle.
Result<AnyLayout> leftInverseAfterZero(Arith &arith, const AnyLayout &l) {
  const Composed &c = *l.composed();
  const Swizzle &s = *c.swizzle();
  const int64_t n = c.offset.leaf().value.value;
  TESSERA_TRY(Int end, cosize(arith, AnyLayout(c.outer)));
  const uint64_t own = bitsUpTo(arith.sub(end, 1).value);
  // n is so many times the M indices that the inverse of S o 0 o L takes, and S does not see it:
  // then the inverse repeats.
  if (Result<AnyLayout> inverse = leftInverse(arith, compose(s, Tree(0), c.outer))) {
    const Layout &once = inverse->outer();
    const int64_t m = size(arith, once).value;
    const uint64_t reach = own | activePart(s, own).targetMask();
    if (std::has_single_bit(uint64_t(m)) && reach < uint64_t(m) && n % m == 0 &&
        (uint64_t(n) & s.sourceMask()) == 0)
      return inverse->withOuter(coalesce(
          arith, {Tree::of({once.shape, Tree(n / m + 1)}), Tree::of({once.stride, Tree(0)})}));
  }
  // S changes nothing: the inverse of L, after a subtraction.
  const Int beyond = arith.add(end, n);
  if (!activePart(s, bitsUpTo(arith.sub(beyond, 1).value)).isIdentity())
    return fail(Error::InverseOffset, str(l));
  TESSERA_TRY(Layout inverse, leftInverse(arith, c.outer));
  return AnyLayout(Composed{std::move(inverse), Tree(-n), Layout{Tree(beyond), Tree(1)}});
}
} // namespace

Result<AnyLayout> rightInverse(Arith &arith, const AnyLayout &l) {
  if (l.affine())
    return AnyLayout(rightInverse(arith, *l.affine()));
  if (startsAfterZero(l))
    return fail(Error::RightInverseOffset, str(l));
  if (!startsAtZero(l))
    return fail(Error::InverseOffset, str(l));
  const Layout inverse = rightInverse(arith, l.outer());
  Int count = size(arith, inverse);
  const uint64_t arguments = bitsUpTo(arith.sub(count, 1).value);
  const Swizzle active = activePart(*l.composed()->swizzle(), arguments);
  // A swizzle that leaves the range of L comes back only if L goes on as its inverse does.
  bool stays = active.isIdentity() || (std::has_single_bit(uint64_t(count.value)) &&
                                       (active.targetMask() & ~arguments) == 0);
  if (!stays && !invertsBeyond(arith, l.outer(), inverse, arguments | active.targetMask()))
    return fail(Error::SwizzleAfterLayout, str(inverse), str(active));
  return afterInverse(arith, l, inverse, arguments);
}

Result<AnyLayout> leftInverse(Arith &arith, const AnyLayout &l) {
  if (l.affine()) {
    TESSERA_TRY(Layout inverse, leftInverse(arith, *l.affine()));
    return AnyLayout(std::move(inverse));
  }
  if (!l.outer().isStatic())
    return fail(Error::StaticOnly, "left_inverse of a swizzled layout", str(l));
  if (startsAfterZero(l))
    return leftInverseAfterZero(arith, l);
  if (!startsAtZero(l))
    return fail(Error::InverseOffset, str(l));
  TESSERA_TRY(Layout inverse, leftInverse(arith, l.outer()));
  TESSERA_TRY(Int end, cosize(arith, AnyLayout(l.outer())));
  return afterInverse(arith, l, inverse,
                      bitsUpTo(arith.sub(end, 1).value) | l.composed()->swizzle()->targetMask());
}

} // namespace tessera::layout
