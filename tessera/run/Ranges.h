// Ranges of bytes in memory, and which of them share bytes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <vector>

namespace tessera::run {

/// [begin, end): addresses.
struct ByteRange {
  uint64_t begin = 0, end = 0;
  uint64_t size() const { return end - begin; }
};

/// Ranges in order, those that share a byte as one. Ranges that only touch stay two: memory of two
/// allocations is not one.
std::vector<ByteRange> joined(std::vector<ByteRange>);
/// The parts of a range that are in none of others, which are in order and joined.
std::vector<ByteRange> without(ByteRange, const std::vector<ByteRange> &others);
/// How far from a multiple of 256 bytes, to which devices align memory, a copy of one of the joined
/// ranges of `all` begins: as far as on the host if several are joined in it, so that each is
/// aligned as there, else 0.
uint64_t placeOf(const ByteRange &one, const std::vector<ByteRange> &all);

} // namespace tessera::run
