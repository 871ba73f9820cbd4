// Heap: what malloc and free of kernels give out, one range of global memory of a machine.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <map>
#include <mutex>

namespace tessera::sim {

/// Blocks of all threads call it at once. First fit; neighbours that are free become one.
class Heap {
public:
  /// CUDA's default of cudaLimitMallocHeapSize.
  static constexpr uint64_t defaultSize = 8 << 20;

  explicit Heap(uint64_t start, uint64_t size = defaultSize)
      : start(start), unused{{start, size}}, size(size) {}

  /// An address at a multiple of 16, or 0 where there is no room. While there is more room, a gap
  /// follows small pieces, so that who goes beyond the end meets nobody's bytes.
  uint64_t allocate(uint64_t bytes);
  /// Whether something was allocated there; freeing 0 is nothing.
  bool free(uint64_t address);

  const uint64_t start;

private:
  std::mutex mutex;
  std::map<uint64_t, uint64_t> unused, used; // start, bytes
  const uint64_t size;
};

} // namespace tessera::sim
