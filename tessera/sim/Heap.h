// Heap: the memory of malloc and free in kernels, one range of a machine's global memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <map>
#include <mutex>

namespace tessera::sim {

/// Called by blocks of all threads at once. First fit; adjacent free pieces are merged.
class Heap {
public:
  /// CUDA's default of cudaLimitMallocHeapSize.
  static constexpr uint64_t defaultSize = 8 << 20;

  explicit Heap(uint64_t start, uint64_t size = defaultSize)
      : start(start), unused{{start, size}}, size(size) {}

  /// An address at a multiple of 16, or 0 if there is no room. While there is enough room, small
  /// pieces are followed by a gap, so that an access past the end hits no other piece.
  uint64_t allocate(uint64_t bytes);
  /// Frees a piece. False if nothing is allocated there; freeing 0 does nothing.
  bool free(uint64_t address);

  const uint64_t start;

private:
  std::mutex mutex;
  std::map<uint64_t, uint64_t> unused, used; // start, bytes
  const uint64_t size;
};

} // namespace tessera::sim
