// Leaf arithmetic: folding, identities and facts, written once for every domain.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/layout/Arith.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <numeric>

namespace tessera::layout {

namespace {
constexpr uint64_t anyBits = ~uint64_t(0);

/// The largest known divisor; 0 for a static zero, which every number divides.
int64_t divisor(Int a) { return a.isStatic() ? std::abs(a.value) : a.div; }

uint64_t bits(Int a) { return a.isStatic() ? uint64_t(a.value) : a.mask; }

/// Bits that a sum of values with these bits may have.
uint64_t sumBits(uint64_t a, uint64_t b) {
  if ((a & b) == 0)
    return a | b;
  uint64_t fromLowest = anyBits << std::countr_zero(a | b);
  if (a > anyBits - b)
    return fromLowest;
  int top = std::bit_width(a + b);
  return top == 64 ? fromLowest : fromLowest & ((uint64_t(1) << top) - 1);
}

uint64_t scaledBits(uint64_t mask, int64_t factor) {
  if (mask == anyBits || factor <= 0)
    return anyBits;
  uint64_t unsignedFactor = uint64_t(factor);
  if (mask > anyBits / unsignedFactor)
    return anyBits;
  if (std::has_single_bit(unsignedFactor))
    return mask << std::countr_zero(unsignedFactor);
  int top = std::bit_width(mask * unsignedFactor);
  uint64_t below = top == 64 ? anyBits : (uint64_t(1) << top) - 1;
  return below & (anyBits << (std::countr_zero(mask) + std::countr_zero(unsignedFactor)));
}

/// a * b, saturated: a divisor that does not fit is not worth carrying.
int64_t productOfDivisors(int64_t a, int64_t b) {
  int64_t product;
  return __builtin_mul_overflow(a, b, &product) ? a : product;
}
} // namespace

Int Arith::make(LeafOp op, Int a, Int b, int64_t div, uint64_t mask) {
  if (mask == 0)
    return 0;
  Width width = Width::I1; // as wide as the widest operand; static ones count only beyond 32 bits
  for (Int x : {a, b}) {
    if (!x.isStatic())
      width = std::max(width, x.width);
    else if (!fitsI32(x.value))
      width = Width::I64;
  }
  if (op == LeafOp::Less || op == LeafOp::Equal)
    width = Width::I1;
  Int result = Int::dynamic(emit(op, a, b, width), width, std::max<int64_t>(div, 1));
  result.mask = mask;
  return result;
}

Int Arith::add(Int a, Int b) {
  if (a.isStatic() && b.isStatic())
    return a.value + b.value;
  if (a.is(0))
    return b;
  if (b.is(0))
    return a;
  return make(LeafOp::Add, a, b, std::gcd(divisor(a), divisor(b)), sumBits(bits(a), bits(b)));
}

Int Arith::sub(Int a, Int b) {
  if (a.isStatic() && b.isStatic())
    return a.value - b.value;
  if (b.is(0))
    return a;
  return make(LeafOp::Sub, a, b, std::gcd(divisor(a), divisor(b)));
}

Int Arith::mul(Int a, Int b) {
  if (a.isStatic() && b.isStatic())
    return a.value * b.value;
  if (a.is(0) || b.is(0))
    return 0;
  if (a.is(1))
    return b;
  if (b.is(1))
    return a;
  uint64_t mask = anyBits;
  if (b.isStatic())
    mask = scaledBits(a.mask, b.value);
  else if (a.isStatic())
    mask = scaledBits(b.mask, a.value);
  return make(LeafOp::Mul, a, b, productOfDivisors(divisor(a), divisor(b)), mask);
}

Int Arith::div(Int a, Int b) {
  if (a.isStatic() && b.isStatic())
    return a.value / b.value;
  if (b.is(1))
    return a;
  if (a.is(0))
    return 0;
  bool exact = b.isStatic() && divisor(a) % b.value == 0;
  uint64_t mask = anyBits;
  if (b.isStatic() && b.value > 0 && a.mask != anyBits)
    mask = std::has_single_bit(uint64_t(b.value))
               ? a.mask >> std::countr_zero(uint64_t(b.value))
               : (uint64_t(1) << std::bit_width(a.mask / uint64_t(b.value))) - 1;
  return make(LeafOp::Div, a, b, exact ? divisor(a) / b.value : 1, mask);
}

Int Arith::ceilDiv(Int a, Int b) {
  if (a.isStatic() && b.isStatic())
    return a.value / b.value + (a.value % b.value != 0);
  if (b.is(1))
    return a;
  if (a.is(0))
    return 0;
  // The IR drops the divisor of a divided extent: `ceil_div (?{div=8192}) by 256` is `?`.
  return make(LeafOp::CeilDiv, a, b, 1);
}

Int Arith::mod(Int a, Int b) {
  if (a.isStatic() && b.isStatic())
    return a.value % b.value;
  if (b.is(1) || a.is(0))
    return 0;
  if (b.isStatic() && divisor(a) % b.value == 0)
    return 0;
  uint64_t mask = anyBits;
  if (b.isStatic() && b.value > 0) {
    mask = (uint64_t(1) << std::bit_width(uint64_t(b.value) - 1)) - 1;
    if (std::has_single_bit(uint64_t(b.value)))
      mask &= a.mask;
  }
  return make(LeafOp::Mod, a, b, std::gcd(divisor(a), divisor(b)), mask);
}

Int Arith::min(Int a, Int b) {
  if (a.isStatic() && b.isStatic())
    return std::min(a.value, b.value);
  if (a.is(1) || b.is(1)) // extents are positive
    return 1;
  return make(LeafOp::Min, a, b, std::gcd(divisor(a), divisor(b)), bits(a) | bits(b));
}

Int Arith::max(Int a, Int b) {
  if (a.isStatic() && b.isStatic())
    return std::max(a.value, b.value);
  return make(LeafOp::Max, a, b, std::gcd(divisor(a), divisor(b)), bits(a) | bits(b));
}

Int Arith::bitAnd(Int a, Int b) {
  if (a.isStatic() && b.isStatic())
    return a.value & b.value;
  uint64_t mask = bits(a) & bits(b);
  if (mask == 0)
    return 0;
  return make(LeafOp::And, a, b, int64_t(1) << std::min(std::countr_zero(mask), 62), mask);
}

Int Arith::bitOr(Int a, Int b) {
  if (a.isStatic() && b.isStatic())
    return a.value | b.value;
  if (a.is(0))
    return b;
  if (b.is(0))
    return a;
  uint64_t mask = bits(a) | bits(b);
  return make(LeafOp::Or, a, b, int64_t(1) << std::min(std::countr_zero(mask), 62), mask);
}

Int Arith::bitXor(Int a, Int b) {
  if (a.isStatic() && b.isStatic())
    return a.value ^ b.value;
  if (a.is(0))
    return b;
  if (b.is(0))
    return a;
  // Only a common power of two survives an exclusive or.
  auto powerOfTwo = [](Int x) {
    uint64_t d = uint64_t(divisor(x)), m = bits(x);
    int zeros = std::min({d ? std::countr_zero(d) : 62, 62});
    return std::max(zeros, m ? std::min(std::countr_zero(m), 62) : 62);
  };
  int64_t div = int64_t(1) << std::min(powerOfTwo(a), powerOfTwo(b));
  return make(LeafOp::Xor, a, b, div, bits(a) | bits(b));
}

Int Arith::shiftRight(Int a, int amount) {
  if (amount == 0)
    return a;
  if (a.isStatic())
    return int64_t(uint64_t(a.value) >> amount);
  uint64_t mask = a.mask >> amount;
  if (mask == 0)
    return 0;
  return make(LeafOp::ShiftRight, a, amount, int64_t(1) << std::min(std::countr_zero(mask), 62),
              mask);
}

Int Arith::less(Int a, Int b) {
  if (a.isStatic() && b.isStatic())
    return a.value < b.value;
  return make(LeafOp::Less, a, b, 1, 1);
}

Int Arith::equal(Int a, Int b) {
  if (a.isStatic() && b.isStatic())
    return a.value == b.value;
  return make(LeafOp::Equal, a, b, 1, 1);
}

Int Arith::inRange(Int a, Int extent) {
  if (a.isStatic() || !extent.isStatic() || extent.value <= 0)
    return a;
  uint64_t limit = (uint64_t(1) << std::bit_width(uint64_t(extent.value) - 1)) - 1;
  a.mask &= limit;
  return a.mask == 0 ? Int(0) : a;
}

} // namespace tessera::layout
