// Leaf arithmetic: folding, identities and facts, written once for every domain.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/layout/Arith.h"

#include "tessera/layout/Domains.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <utility>

namespace tessera::layout {

namespace {
constexpr uint64_t anyBits = ~uint64_t(0);

/// The largest known divisor; 0 for a static zero, which every number divides.
int64_t divisor(Int a) {
  constexpr int64_t lowest = std::numeric_limits<int64_t>::min();
  if (!a.isStatic())
    return a.div;
  return a.value == lowest ? -(lowest / 2) : std::abs(a.value);
}

/// The bits that a leaf may have and those that it has.
struct Bits {
  uint64_t mask = anyBits, ones = 0;

  uint64_t known() const { return ~mask | ones; }
};
Bits bits(Int a) {
  if (a.isStatic())
    return {uint64_t(a.value), uint64_t(a.value)};
  return a.mask == anyBits ? Bits() : Bits{a.mask, a.ones};
}

Bits scaledBits(Bits bits, int64_t factor) {
  if (bits.mask == anyBits || factor <= 0)
    return {};
  if (bits.mask == 0) // the value is 0; there is no lowest bit to shift from
    return bits;
  uint64_t unsignedFactor = uint64_t(factor);
  if (bits.mask > anyBits / unsignedFactor)
    return {};
  if (std::has_single_bit(unsignedFactor)) {
    int shift = std::countr_zero(unsignedFactor);
    return {bits.mask << shift, bits.ones << shift};
  }
  int top = std::bit_width(bits.mask * unsignedFactor);
  uint64_t below = top == 64 ? anyBits : (uint64_t(1) << top) - 1;
  return {below & (anyBits << (std::countr_zero(bits.mask) + std::countr_zero(unsignedFactor))), 0};
}

/// How many of the low bits are 0.
int lowZeros(Int a) {
  const int known = std::countr_zero(bits(a).mask | uint64_t(1) << 62);
  return a.isStatic() ? known : std::max(known, std::countr_zero(uint64_t(a.div)));
}

/// a * b, saturated: a divisor that does not fit is not worth carrying.
int64_t productOfDivisors(int64_t a, int64_t b) {
  int64_t product;
  return __builtin_mul_overflow(a, b, &product) ? a : product;
}
} // namespace

namespace {
/// As wide as the widest operand, where a static one is as wide as it must be. Only logic stays
/// narrow: a sum or product of narrow leaves need not fit them.
Width widthOf(LeafOp op, const Int &a, const Int &b) {
  if (op == LeafOp::Less || op == LeafOp::Equal)
    return Width::I1;
  const bool logic = op == LeafOp::And || op == LeafOp::Or || op == LeafOp::Xor;
  Width width = logic ? Width::I1 : Width::I32;
  for (const Int *x : {&a, &b})
    if (!x->isStatic())
      width = std::max(width, x->width);
  for (const Int *x : {&a, &b})
    if (x->isStatic() && !fits(x->value, width))
      width = fitsI32(x->value) ? Width::I32 : Width::I64;
  return width;
}
} // namespace

Int Arith::make(LeafOp op, Int a, Int b, int64_t div, uint64_t mask, uint64_t ones) {
  const Width width = widthOf(op, a, b);
  Int result = Int::dynamic(emit(op, a, b, width), width, std::max<int64_t>(div, 1));
  result.mask = mask;
  result.ones = ones;
  return result;
}

uint64_t Arith::sumBits(uint64_t a, uint64_t b) {
  if ((a & b) == 0)
    return a | b;
  uint64_t fromLowest = anyBits << std::countr_zero(a | b);
  if (a > anyBits - b)
    return fromLowest;
  int top = std::bit_width(a + b);
  return top == 64 ? fromLowest : fromLowest & ((uint64_t(1) << top) - 1);
}

/// A ratio times a run-time number is that number times the numerator, divided as C++ does it;
/// CuTe C++ (integral_ratio.hpp) does the same. Sums are coordinates, which are whole.
Int Arith::ofRatios(LeafOp op, const Int &a, const Int &b) {
  if (!a.isStatic() || !b.isStatic()) {
    const Int &ratio = a.isRatio() ? a : b, &other = a.isRatio() ? b : a;
    if (op != LeafOp::Mul)
      return invalid();
    const Int over(ratio.over);
    return divisor(other) % ratio.over == 0 ? mul(signedDiv(other, over), Int(ratio.value))
                                            : signedDiv(mul(other, Int(ratio.value)), over);
  }
  const __int128 x = __int128(a.value) * b.over, y = __int128(b.value) * a.over;
  __int128 over = __int128(a.over) * b.over, value;
  switch (op) {
  case LeafOp::Add: value = x + y; break;
  case LeafOp::Sub: value = x - y; break;
  case LeafOp::Mul: value = __int128(a.value) * b.value; break;
  case LeafOp::Min: return x <= y ? a : b;
  case LeafOp::Max: return x <= y ? b : a;
  case LeafOp::Less: return x < y;
  case LeafOp::Equal: return x == y;
  default: return invalid();
  }
  __int128 common = over;
  for (__int128 rest = value; rest != 0;) // the greatest common divisor
    common = std::exchange(rest, common % rest);
  common = common < 0 ? -common : common;
  value /= common;
  over /= common;
  if (value != int64_t(value) || over != uint16_t(over) || (over != 1 && op != LeafOp::Mul))
    return invalid();
  Int result = int64_t(value);
  result.over = uint16_t(over);
  return result;
}

Int Arith::addOpen(const Int &a, const Int &b) {
  if (isRatio(a, b))
    return ofRatios(LeafOp::Add, a, b);
  if (a.is(0))
    return b;
  if (b.is(0))
    return a;
  Bits x = bits(a), y = bits(b);
  bool apart = (x.mask & y.mask) == 0;
  return make(LeafOp::Add, a, b, std::gcd(divisor(a), divisor(b)), sumBits(x.mask, y.mask),
              apart ? x.ones | y.ones : 0);
}

Int Arith::subOpen(const Int &a, const Int &b) {
  if (isRatio(a, b))
    return ofRatios(LeafOp::Sub, a, b);
  if (b.is(0))
    return a;
  return make(LeafOp::Sub, a, b, std::gcd(divisor(a), divisor(b)));
}

Int Arith::mulOpen(const Int &a, const Int &b) {
  if (isRatio(a, b))
    return ofRatios(LeafOp::Mul, a, b);
  if (a.is(0) || b.is(0))
    return 0;
  if (a.is(1))
    return b;
  if (b.is(1))
    return a;
  Bits scaled;
  if (b.isStatic())
    scaled = scaledBits(bits(a), b.value);
  else if (a.isStatic())
    scaled = scaledBits(bits(b), a.value);
  return make(LeafOp::Mul, a, b, productOfDivisors(divisor(a), divisor(b)), scaled.mask,
              scaled.ones);
}

Int Arith::divOpen(LeafOp op, const Int &a, const Int &b) {
  if (isRatio(a, b))
    return ofRatios(op, a, b);
  if (b.is(1))
    return a;
  if (a.is(0))
    return 0;
  bool exact = b.isStatic() && b.value != 0 && divisor(a) % b.value == 0;
  uint64_t mask = anyBits;
  if (b.isStatic() && b.value > 0 && a.mask != anyBits)
    mask = std::has_single_bit(uint64_t(b.value))
               ? a.mask >> std::countr_zero(uint64_t(b.value))
               : (uint64_t(1) << std::bit_width(a.mask / uint64_t(b.value))) - 1;
  return make(op, a, b, exact ? divisor(a) / divisor(b) : 1, mask);
}

Int Arith::ceilDivOpen(const Int &a, const Int &b) {
  if (isRatio(a, b))
    return ofRatios(LeafOp::CeilDiv, a, b);
  if (b.is(1))
    return a;
  if (a.is(0))
    return 0;
  // The IR drops the divisor of a divided extent: `ceil_div (?{div=8192}) by 256` is `?`.
  return make(LeafOp::CeilDiv, a, b, 1);
}

Int Arith::modOpen(const Int &a, const Int &b) {
  if (isRatio(a, b))
    return ofRatios(LeafOp::Mod, a, b);
  if (b.is(1) || a.is(0))
    return 0;
  if (b.isStatic() && b.value != 0 &&
      divisor(a) % b.value == 0) // 0: an illegal extent, or one that overflowed
    return 0;
  uint64_t mask = anyBits;
  if (b.isStatic() && b.value > 0) {
    mask = (uint64_t(1) << std::bit_width(uint64_t(b.value) - 1)) - 1;
    if (std::has_single_bit(uint64_t(b.value)))
      mask &= a.mask;
  }
  const bool below = a.isStatic() && a.value < divisor(b); // and stays what it is
  return make(LeafOp::Mod, a, b, below ? divisor(a) : std::gcd(divisor(a), divisor(b)), mask);
}

Int Arith::minOpen(const Int &a, const Int &b) {
  if (isRatio(a, b))
    return ofRatios(LeafOp::Min, a, b);
  if (a.is(1) || b.is(1)) // extents are positive
    return 1;
  const int64_t x = divisor(a), y = divisor(b);
  // A positive multiple is not below its divisor, so that a number up to there is the smaller of
  // the two.
  const int64_t div = a.isStatic() && x <= y ? x : b.isStatic() && y <= x ? y : std::gcd(x, y);
  return make(LeafOp::Min, a, b, div, bits(a).mask | bits(b).mask);
}

Int Arith::maxOpen(const Int &a, const Int &b) {
  if (isRatio(a, b))
    return ofRatios(LeafOp::Max, a, b);
  return make(LeafOp::Max, a, b, std::gcd(divisor(a), divisor(b)), bits(a).mask | bits(b).mask);
}

Int Arith::bitwise(LeafOp op, Int a, Int b, uint64_t mask, uint64_t ones) {
  if (mask == ones)
    return int64_t(ones);
  const int x = lowZeros(a), y = lowZeros(b);
  const int zeros = op == LeafOp::And          ? std::max(x, y)
                    : op == LeafOp::ShiftRight ? std::max<int>(x - int(b.value), 0)
                                               : std::min(x, y);
  // What the divisors rule out stays possible in the mask, which decides whether a slice of a
  // swizzle is a plain layout.
  const uint64_t possible = mask & (anyBits << zeros);
  return make(op, a, b, int64_t(1) << std::min(possible ? std::countr_zero(possible) : zeros, 62),
              mask, ones);
}

Int Arith::bitAnd(const Int &a, const Int &b) {
  if (isRatio(a, b))
    return invalid();
  Bits x = bits(a), y = bits(b);
  const uint64_t mask = x.mask & y.mask, ones = x.ones & y.ones;
  for (const auto &[kept, with] : {std::pair(a, y), std::pair(b, x)})
    if (!kept.isStatic() && (bits(kept).mask & (anyBits << lowZeros(kept)) & ~with.ones) ==
                                0) { // all that may be one stays
      Int same = kept;
      same.mask = mask;
      same.ones = ones;
      return same;
    }
  return bitwise(LeafOp::And, a, b, mask, ones);
}

Int Arith::bitOr(const Int &a, const Int &b) {
  if (isRatio(a, b))
    return invalid();
  if (a.is(0))
    return b;
  if (b.is(0))
    return a;
  Bits x = bits(a), y = bits(b);
  return bitwise(LeafOp::Or, a, b, x.mask | y.mask, x.ones | y.ones);
}

Int Arith::bitXor(const Int &a, const Int &b) {
  if (isRatio(a, b))
    return invalid();
  if (a.is(0))
    return b;
  if (b.is(0))
    return a;
  Bits x = bits(a), y = bits(b);
  uint64_t known = x.known() & y.known(), ones = known & (x.ones ^ y.ones);
  return bitwise(LeafOp::Xor, a, b, ~known | ones, ones);
}

Int Arith::shiftRight(Int a, int amount) {
  if (a.isRatio())
    return invalid();
  if (amount == 0)
    return a;
  Bits x = bits(a);
  return bitwise(LeafOp::ShiftRight, a, amount, x.mask >> amount, x.ones >> amount);
}

Int Arith::less(const Int &a, const Int &b) {
  if (folds(a, b))
    return fold(LeafOp::Less, a, b);
  if (isRatio(a, b))
    return ofRatios(LeafOp::Less, a, b);
  return make(LeafOp::Less, a, b, 1, 1);
}

Int Arith::equal(const Int &a, const Int &b) {
  if (folds(a, b))
    return fold(LeafOp::Equal, a, b);
  if (isRatio(a, b))
    return ofRatios(LeafOp::Equal, a, b);
  return make(LeafOp::Equal, a, b, 1, 1);
}

Int Arith::inRange(Int a, Int extent) {
  if (a.isStatic() || !extent.isStatic() || extent.value <= 0)
    return a;
  uint64_t limit = (uint64_t(1) << std::bit_width(uint64_t(extent.value) - 1)) - 1;
  a.ones = bits(a).ones & limit;
  a.mask &= limit;
  return a;
}

} // namespace tessera::layout
