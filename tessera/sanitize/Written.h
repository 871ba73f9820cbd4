// Written: which bytes somebody has written.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <vector>

namespace tessera::sanitize {

/// One bit a byte: whether somebody wrote it. Bits that are not there yet come with the first
/// write.
class Written {
public:
  explicit Written(uint64_t bytes = 0) : bits((bytes + 63) / 64) {}
  void add(uint64_t first, uint64_t count);
  void remove(uint64_t first, uint64_t count);
  /// The first of some bytes that nobody wrote, or `first + count`.
  uint64_t firstMissing(uint64_t first, uint64_t count) const;

private:
  std::vector<uint64_t> bits; // changed atomically
};

} // namespace tessera::sanitize
