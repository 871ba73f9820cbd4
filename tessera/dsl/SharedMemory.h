// SharedMemory: what a block keeps in its dynamic shared memory, and where.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/dsl/Barriers.h"

namespace tessera::dsl {

/// A piece of shared memory.
struct Region {
  int64_t start = 0, bytes = 0; // from the beginning of dynamic shared memory

  int64_t end() const { return start + bytes; }
};

/// Gives out shared memory piece by piece. What it gives is decided before anything is written, so
/// that the host knows how much a launch needs; `open` makes the memory known to the kernel.
class SharedMemory {
public:
  /// What a swizzle permutes: 8 rows of 128 bytes. Dynamic shared memory is aligned to it.
  static constexpr int64_t alignment = 1024;

  /// The next so many bytes, at a multiple of `aligned` (a power of two, at most `alignment`).
  Region allocate(int64_t bytes, int64_t aligned = alignment);
  Region barriers(int64_t count) { return allocate(count * Barrier::bytes, Barrier::bytes); }
  /// What a launch has to ask for.
  int64_t bytes() const { return end; }

  /// At the start of a kernel.
  void open(Place = Place::current());
  /// In the kernel: a pointer to elements there.
  Pointer pointer(Region, Element, layout::Swizzle = {}, int64_t aligned = alignment,
                  Place = Place::current()) const;
  /// The first barrier there.
  Barriers at(Region, Place = Place::current()) const;

private:
  int64_t end = 0;
  Pointer base;
};

} // namespace tessera::dsl
