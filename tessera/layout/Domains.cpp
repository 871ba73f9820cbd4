// The interpreting domain and the meaning of the leaf operations.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/layout/Domains.h"

#include "tessera/layout/Composition.h"

#include <limits>
#include <numeric>

namespace tessera::layout {

namespace {
using Wide = __int128; // extents times strides of 64 bits
} // namespace

uint32_t Interp::emit(LeafOp op, Int a, Int b, Width width) {
  Applied result = applyChecked(op, valueOf(a), valueOf(b));
  failed |= result.overflow || (width == Width::I32 && !fitsI32(result.value));
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
              (detail::remainder(x, y) != 0 && detail::remainder(y, x) != 0 && (Wide(z) - 1) * y >= x);
    return;
  }
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

bool separate(std::span<const int64_t> extents, std::span<const Steps> modes) {
  Wide boundary = 1;
  for (size_t i = 0; i + 1 < extents.size(); ++i) {
    boundary *= extents[i];
    if (boundary > std::numeric_limits<int64_t>::max())
      return true; // no index gets there
    Reach up, down;
    for (const Steps &mode : modes) {
      Wide step = mode.step;
      (step < 0 ? down : up).add(mode.extent, step < 0 ? -step : step, boundary);
    }
    bool borrows = (up.below > 0 && down.beyond) || (down.below > 0 && up.beyond);
    if (up.below >= boundary || down.below >= boundary || borrows)
      return false;
  }
  return true;
}

namespace {
/// `separate` of leaves whose values `valueOf` knows.
template <class F> bool separateBy(F &&valueOf, std::span<const Int> extents, std::span<const Walk> modes) {
  Small<int64_t> left;
  for (const Int &extent : extents)
    left.push_back(valueOf(extent));
  Small<Steps> right;
  for (const Walk &mode : modes)
    right.push_back({valueOf(mode.extent), valueOf(mode.step)});
  return separate(std::span<const int64_t>(left.data(), left.size()), std::span<const Steps>(right.data(), right.size()));
}
} // namespace

bool separate(std::span<const Int> extents, std::span<const Walk> modes) {
  return separateBy([](const Int &x) { return x.value; }, extents, modes);
}

void Interp::assumeSeparate(std::span<const Int> extents, std::span<const Walk> modes) {
  failed |= !separateBy([&](const Int &x) { return valueOf(x); }, extents, modes);
}

} // namespace tessera::layout
