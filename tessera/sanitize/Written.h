// Written: the bytes of memory that have been written.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

namespace tessera::sanitize {

/// One bit for each byte: whether it was written. Missing bits are added at the first write.
class Written {
public:
  explicit Written(uint64_t bytes = 0) : bits((bytes + 63) / 64) {}
  void add(uint64_t first, uint64_t count);
  void remove(uint64_t first, uint64_t count);
  /// The first of `count` bytes that was never written, or `first + count`.
  uint64_t firstMissing(uint64_t first, uint64_t count) const;
  /// Whether all of these bytes were written; `count` is not 0.
  bool has(uint64_t first, uint64_t count) const {
    if (first % 64 + count > 64 || first / 64 >= bits.size())
      return firstMissing(first, count) == first + count;
    const uint64_t there =
        std::atomic_ref(const_cast<uint64_t &>(bits[first / 64])).load(std::memory_order_relaxed);
    return !(~(there >> first % 64) << (64 - count));
  }

private:
  std::vector<uint64_t> bits; // changed atomically
};

} // namespace tessera::sanitize
