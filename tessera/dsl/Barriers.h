// Barriers: those that count arrivals in shared memory, named ones, and fences.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/dsl/Memory.h"

namespace tessera::dsl {

/// An mbarrier: 8 bytes of shared memory that count arrivals, and bytes that copies bring. Each
/// time all have come its phase ends; phases are numbered 0, 1, 0, ...: their parity.
class Barrier {
public:
  static constexpr int64_t bytes = 8;

  Barrier() = default;
  explicit Barrier(Pointer at) : pointer(at) {}
  Pointer address() const { return pointer; }

  /// By one thread, before any other uses it; mbarrier_init_fence and a barrier of the block
  /// follow.
  void init(Num arrivals, Place = Place::current()) const;
  /// Until the phase of this parity has ended. Right after init that of parity 1 has.
  void wait(Num parity, Place = Place::current()) const;
  void arrive(Place = Place::current()) const;
  /// At the same barrier of block `rank` of the cluster. It says that this thread is done with
  /// reading; what it wrote is released to its own block only.
  void arrive_cluster(Num rank, Place = Place::current()) const;
  /// Arrives, and has the phase wait for so many bytes too.
  void arrive_expect(Num bytes, Place = Place::current()) const;

private:
  Pointer pointer;
};

/// Barriers side by side.
class Barriers {
public:
  Barriers() = default;
  /// Barrier i is `start + i` barriers after the pointer; the sum is computed at run time.
  explicit Barriers(Pointer first, int64_t start = 0) : first(first), start(start) {}
  Barrier operator[](Index) const;
  /// Those from barrier n on, whose address is computed once.
  Barriers from(int64_t n, Place = Place::current()) const;

private:
  Pointer first;
  int64_t start = 0;
};

/// Makes the barriers that this thread initialised visible to copies and to the cluster.
void mbarrier_init_fence(Place = Place::current());

void sync_warp(Place = Place::current());
void sync_threads(Place = Place::current());
/// Of threads that name the same barrier of 0 to 15: until so many have come, or without waiting.
void named_barrier(Num id, int64_t threads, Place = Place::current());
void named_barrier_arrive(Num id, int64_t threads, Place = Place::current());
void cluster_sync(Place = Place::current());
/// What was written to shared memory before is seen by TMA and wgmma after.
void fence_async_shared(Place = Place::current());
/// The warpgroup gives registers back, or takes more.
void set_max_registers(int registers, bool increase, Place = Place::current());

} // namespace tessera::dsl
