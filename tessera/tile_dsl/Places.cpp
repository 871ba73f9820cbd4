// Two elements share a place if the difference d of their indices, which is not 0 everywhere, has
// d . strides = 0, with |d| less than the extent in each dimension.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/tile_dsl/Places.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <vector>

namespace tessera::tile::detail {

namespace {

using Wide = __int128; // extents and strides are up to 31 bits, of pointers' arrays up to 63

struct Dimension {
  int64_t stride, most; // the largest difference of two indices
  Wide reach() const { return Wide(stride) * most; }
};

int64_t floorDiv(Wide a, int64_t b) { return int64_t(a / b - (a % b != 0 && a < 0)); }
int64_t ceilDiv(Wide a, int64_t b) { return -floorDiv(-a, b); }

/// x with a x = 1 modulo m, for a and m without a common divisor.
int64_t inverse(int64_t a, int64_t m) {
  int64_t r = m, next = a % m, x = 0, y = 1;
  while (next) {
    int64_t q = r / next;
    std::tie(r, next) = std::pair(next, r - q * next);
    std::tie(x, y) = std::pair(y, x - q * y);
  }
  return m == 1 ? 0 : (x % m + m) % m;
}

/// Whether i a + k b = 0 for some i and k other than 0: the least are b / g and a / g.
bool meet(const Dimension &a, const Dimension &b) {
  int64_t g = std::gcd(a.stride, b.stride);
  return b.stride / g <= a.most && a.stride / g <= b.most;
}
/// Whether i a + k b = target for some i and k.
bool reaches(const Dimension &a, const Dimension &b, Wide target) {
  int64_t g = std::gcd(a.stride, b.stride);
  if (target % g != 0)
    return false;
  // k is known modulo a / g, and i is within its bounds for k from `low` to `high`.
  int64_t low = std::max(-b.most, ceilDiv(target - a.reach(), b.stride)),
          high = std::min(b.most, floorDiv(target + a.reach(), b.stride));
  int64_t modulus = a.stride / g;
  auto k = int64_t(target / g % modulus * inverse(b.stride / g, modulus) % modulus);
  return low + ((Wide(k) - low) % modulus + modulus) % modulus <= high;
}

} // namespace

bool sharesPlaces(std::span<const int64_t> shape, std::span<const int64_t> strides) {
  std::vector<Dimension> dims;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == 0)
      return false;
    if (shape[d] > 1)
      dims.push_back({strides[d], shape[d] - 1});
  }
  std::sort(dims.begin(), dims.end(),
            [](const Dimension &a, const Dimension &b) { return a.stride < b.stride; });
  // Usually each dimension steps over all that the smaller ones reach.
  Wide reach = 0;
  bool nests = true;
  for (const Dimension &d : dims) {
    nests = nests && d.stride > reach;
    reach += d.reach();
  }
  if (nests || dims.empty())
    return false;
  if (dims[0].stride == 0)
    return true;
  for (size_t i = 0; i < dims.size(); ++i)
    for (size_t k = 0; k < i; ++k)
      if (meet(dims[i], dims[k]))
        return true;
  if (dims.size() < 3)
    return false;
  constexpr int64_t mostSteps = int64_t(1) << 20;
  const Dimension &largest = dims[2];
  int64_t steps = std::min(
      {largest.most, mostSteps, floorDiv(dims[0].reach() + dims[1].reach(), largest.stride)});
  for (int64_t i = 1; i <= steps; ++i)
    if (reaches(dims[0], dims[1], Wide(i) * largest.stride))
      return true;
  return false;
}

} // namespace tessera::tile::detail
