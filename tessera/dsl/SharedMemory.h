// SharedMemory: the pieces of a block's dynamic shared memory, and where they are.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/dsl/Barriers.h"

namespace tessera::dsl {

/// A piece of shared memory.
struct Region {
  int64_t start = 0, bytes = 0; // in bytes, from the beginning of dynamic shared memory

  int64_t end() const { return start + bytes; }
};

/// Hands out dynamic shared memory piece by piece. All pieces are fixed before code is built, so
/// that the host knows the size that a launch needs; `open` declares the memory in the kernel.
class SharedMemory {
public:
  /// Size of the pattern that a swizzle permutes, 8 rows of 128 bytes. Dynamic shared memory is
  /// aligned to it.
  static constexpr int64_t alignment = 1024;

  /// The next `bytes` bytes, at a multiple of `aligned` (a power of two, at most `alignment`).
  Region allocate(int64_t bytes, int64_t aligned = alignment);
  Region barriers(int64_t count) { return allocate(count * Barrier::bytes, Barrier::bytes); }
  /// The dynamic shared memory that a launch has to ask for.
  int64_t bytes() const { return end; }

  /// Called at the start of a kernel.
  void open(Place = Place::current());
  /// In the kernel: a pointer to the elements of a region.
  Pointer pointer(Region, Element, layout::Swizzle = {}, int64_t aligned = alignment,
                  Place = Place::current()) const;
  /// In the kernel: the barriers of a region.
  Barriers at(Region, Place = Place::current()) const;

private:
  int64_t end = 0;
  Pointer base;
};

} // namespace tessera::dsl
