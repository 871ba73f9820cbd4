// Places: whether each element of a strided array has a place of its own.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <span>

namespace tessera::tile::detail {

/// Whether two elements of an array of up to three dimensions share a place in memory. Extents are
/// below 2^31, strides are not negative. Exact, except that three dimensions which interleave in
/// more than 2^20 ways count as apart.
bool sharesPlaces(std::span<const int64_t> shape, std::span<const int64_t> strides);

} // namespace tessera::tile::detail
