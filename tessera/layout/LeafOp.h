// LeafOp: the operations on leaves, and their results on two numbers, which every domain shares.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inline, so that a call with a known operation compiles to that operation: most leaves are static.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

namespace tessera::layout {

/// Div truncates and expects a non-negative dividend, as coordinates and extents are; so does
/// CeilDiv, which rounds up. SignedDiv truncates and takes any dividend, as strides are. ShiftRight
/// is logical. Less and Equal answer with an I1 leaf.
enum class LeafOp : uint8_t {
  Add,
  Sub,
  Mul,
  Div,
  SignedDiv,
  CeilDiv,
  Mod,
  Min,
  Max,
  And,
  Or,
  Xor,
  ShiftRight,
  Less,
  Equal
};

/// A result in 64 bits, and whether it was wrapped to fit.
struct Applied {
  int64_t value = 0;
  bool overflow = false;
};

namespace detail {
/// Whether a processor needs a slow division: not for the divisors 0, 1 and -1.
inline bool dividesLong(int64_t divisor) { return uint64_t(divisor) + 1 > 2; }
/// Quotient and remainder, both 0 for a zero divisor; the only quotient that does not fit is
/// wrapped.
inline Applied quotient(int64_t a, int64_t b) {
  if (!dividesLong(b))
    return b == 0   ? Applied()
           : b == 1 ? Applied{a}
                    : Applied{int64_t(-uint64_t(a)), a == std::numeric_limits<int64_t>::min()};
  return {a / b};
}
inline int64_t remainder(int64_t a, int64_t b) { return dividesLong(b) ? a % b : 0; }
} // namespace detail

/// `op` on two numbers. A zero divisor gives 0.
inline Applied applyChecked(LeafOp op, int64_t a, int64_t b) {
  Applied out;
  switch (op) {
  case LeafOp::Add: out.overflow = __builtin_add_overflow(a, b, &out.value); return out;
  case LeafOp::Sub: out.overflow = __builtin_sub_overflow(a, b, &out.value); return out;
  case LeafOp::Mul: out.overflow = __builtin_mul_overflow(a, b, &out.value); return out;
  case LeafOp::Div:
  case LeafOp::SignedDiv: return detail::quotient(a, b);
  case LeafOp::CeilDiv:
    out = detail::quotient(a, b);
    out.value += detail::remainder(a, b) != 0;
    return out;
  case LeafOp::Mod: return {detail::remainder(a, b)};
  case LeafOp::Min: return {std::min(a, b)};
  case LeafOp::Max: return {std::max(a, b)};
  case LeafOp::And: return {a & b};
  case LeafOp::Or: return {a | b};
  case LeafOp::Xor: return {a ^ b};
  case LeafOp::ShiftRight: return {int64_t(uint64_t(a) >> b)};
  case LeafOp::Less: return {a < b};
  case LeafOp::Equal: return {a == b};
  }
  return {};
}
inline int64_t apply(LeafOp op, int64_t a, int64_t b) { return applyChecked(op, a, b).value; }

} // namespace tessera::layout
