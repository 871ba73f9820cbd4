// The interpreting domain and the meaning of the leaf operations.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/layout/Domains.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace tessera::layout {

namespace {
using Wide = __int128; // extents times strides of 64 bits

/// Quotient and remainder; the one quotient that does not fit is wrapped.
Applied quotient(int64_t a, int64_t b) {
  if (b == 0)
    return {};
  if (b == -1)
    return {int64_t(-uint64_t(a)), a == std::numeric_limits<int64_t>::min()};
  return {a / b};
}
int64_t remainder(int64_t a, int64_t b) { return b == 0 || b == -1 ? 0 : a % b; }
} // namespace

Applied applyChecked(LeafOp op, int64_t a, int64_t b) {
  Applied out;
  switch (op) {
  case LeafOp::Add: out.overflow = __builtin_add_overflow(a, b, &out.value); return out;
  case LeafOp::Sub: out.overflow = __builtin_sub_overflow(a, b, &out.value); return out;
  case LeafOp::Mul: out.overflow = __builtin_mul_overflow(a, b, &out.value); return out;
  case LeafOp::Div: return quotient(a, b);
  case LeafOp::CeilDiv: out = quotient(a, b); out.value += remainder(a, b) != 0; return out;
  case LeafOp::Mod: return {remainder(a, b)};
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

uint32_t Interp::emit(LeafOp op, Int a, Int b, Width width) {
  Applied result = applyChecked(op, valueOf(a), valueOf(b));
  failed |= result.overflow || (width == Width::I32 && !fitsI32(result.value));
  values.push_back(result.value);
  return uint32_t(values.size() - 1);
}

void Interp::assume(Pre what, Int a, Int b, Int c) {
  int64_t x = valueOf(a), y = valueOf(b), z = valueOf(c);
  switch (what) {
  case Pre::Divides: failed |= y == 0 || remainder(x, y) != 0; return;
  case Pre::DividesOrSmaller: failed |= y == 0 || (remainder(x, y) != 0 && x >= y); return;
  case Pre::NonZero: failed |= x == 0; return;
  case Pre::AtMost: failed |= x > y; return;
  case Pre::StepFits:
    failed |= x == 0 || y == 0 ||
              (remainder(x, y) != 0 && remainder(y, x) != 0 && (Wide(z) - 1) * y >= x);
    return;
  }
}

void Interp::assumeSeparate(std::span<const Int> extents, std::span<const Walk> modes) {
  std::vector<Int> left;
  for (Int extent : extents)
    left.emplace_back(valueOf(extent));
  std::vector<Walk> right;
  for (const Walk &mode : modes)
    right.push_back({valueOf(mode.extent), valueOf(mode.step)});
  failed |= !separate(left, right);
}

namespace {
/// What the modes of one sign add below and beyond a boundary.
struct Reach {
  Wide below = 0;
  bool beyond = false;

  void add(Wide extent, Wide step, Wide boundary) {
    Wide top = (extent - 1) * step;
    beyond |= top >= boundary;
    // A mode that goes on beyond has passed every multiple of the common divisor below.
    below += top < boundary ? top : boundary - std::gcd(uint64_t(step), uint64_t(boundary));
  }
};
} // namespace

bool separate(std::span<const Int> extents, std::span<const Walk> modes) {
  Wide boundary = 1;
  for (size_t i = 0; i + 1 < extents.size(); ++i) {
    boundary *= extents[i].value;
    if (boundary > std::numeric_limits<int64_t>::max())
      return true; // no index gets there
    Reach up, down;
    for (const Walk &mode : modes) {
      Wide step = mode.step.value;
      (step < 0 ? down : up).add(mode.extent.value, step < 0 ? -step : step, boundary);
    }
    bool borrows = (up.below > 0 && down.beyond) || (down.below > 0 && up.beyond);
    if (up.below >= boundary || down.below >= boundary || borrows)
      return false;
  }
  return true;
}

} // namespace tessera::layout
