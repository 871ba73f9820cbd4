// The interpreting domain and the meaning of the leaf operations.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/layout/Domains.h"

#include "tessera/layout/Composition.h"

#include <algorithm>
#include <numeric>

namespace tessera::layout {

uint32_t Interp::emit(LeafOp op, Int a, Int b, Width width) {
  Applied result = applyChecked(op, valueOf(a), valueOf(b));
  failed |= result.overflow || !fits(result.value, width);
  values.push_back(result.value);
  return uint32_t(values.size() - 1);
}

void Interp::assume(Pre what, Int a, Int b, Int c) {
  int64_t x = valueOf(a), y = valueOf(b), z = valueOf(c);
  switch (what) {
  case Pre::Divides: failed |= y == 0 || detail::remainder(x, y) != 0; return;
  case Pre::DividesOrSmaller: failed |= y == 0 || (detail::remainder(x, y) != 0 && x >= y); return;
  case Pre::NonZero: failed |= x == 0; return;
  case Pre::AtMost: failed |= x > y; return;
  case Pre::StepFits:
    failed |= x == 0 || y == 0 ||
              (detail::remainder(x, y) != 0 && detail::remainder(y, x) != 0 &&
               (__int128(z) - 1) * y >= x);
    return;
  }
}

namespace {
/// What the modes of one sign add below and beyond a boundary; no more below than the boundary
/// itself.
struct Reach {
  uint64_t below = 0;
  bool beyond = false;

  void add(int64_t extent, uint64_t step, uint64_t boundary) {
    uint64_t top = 0;
    bool far = extent > 1 && __builtin_mul_overflow(uint64_t(extent) - 1, step, &top);
    far |= top >= boundary;
    beyond |= far;
    // A mode that goes on beyond has passed every multiple of the common divisor below.
    below = std::min(boundary, below + (far ? boundary - std::gcd(step, boundary) : top));
  }
};
} // namespace

bool separate(std::span<const PlainMode> left, std::span<const PlainMode> modes) {
  int64_t boundary = 1;
  for (size_t i = 0; i + 1 < left.size(); ++i) {
    if (__builtin_mul_overflow(boundary, left[i].extent.value, &boundary) || boundary <= 0)
      return true; // no index gets there, or the extent is illegal
    const uint64_t end = uint64_t(boundary);
    Reach up, down;
    for (const auto &[extent, step] : modes)
      (step.value < 0 ? down : up)
          .add(extent.value, step.value < 0 ? -uint64_t(step.value) : uint64_t(step.value), end);
    bool borrows = (up.below > 0 && down.beyond) || (down.below > 0 && up.beyond);
    if (up.below == end || down.below == end || borrows)
      return false;
  }
  return true;
}

namespace {
/// `separate` of leaves whose values `valueOf` knows.
template <class F>
bool separateBy(F &&valueOf, std::span<const Int> extents, std::span<const Walk> modes) {
  Modes<PlainNumber> left, right;
  for (const Int &extent : extents)
    left.push_back({{valueOf(extent)}, {}});
  for (const Walk &mode : modes)
    right.push_back({{valueOf(mode.extent)}, {valueOf(mode.step)}});
  return separate(std::span<const PlainMode>(left), std::span<const PlainMode>(right));
}
} // namespace

bool separate(std::span<const Int> extents, std::span<const Walk> modes) {
  return separateBy([](const Int &x) { return x.value; }, extents, modes);
}

void Interp::assumeSeparate(std::span<const Int> extents, std::span<const Walk> modes) {
  failed |= !separateBy([&](const Int &x) { return valueOf(x); }, extents, modes);
}

} // namespace tessera::layout
