// Barriers: mbarriers, named barriers and fences.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/dsl/Memory.h"

namespace tessera::dsl {

/// An mbarrier: 8 bytes of shared memory that count arrivals, and bytes that copies bring. A phase
/// ends when all expected ones have come. Parities of the phases are 0, 1, 0, ...
class Barrier {
public:
  static constexpr int64_t bytes = 8;

  Barrier() = default;
  explicit Barrier(Pointer at) : pointer(at) {}
  Pointer address() const { return pointer; }

  /// Called by one thread before any other thread uses the barrier. Call mbarrier_init_fence and
  /// then a barrier of the block after it.
  void init(Num arrivals, Place = Place::current()) const;
  /// Waits until the phase of this parity has ended. Right after init, parity 1 counts as ended.
  void wait(Num parity, Place = Place::current()) const;
  void arrive(Place = Place::current()) const;
  /// Arrives at the same barrier of block `rank` of the cluster. This signals that the thread has
  /// finished reading; its writes are released only to its own block.
  void arrive_cluster(Num rank, Place = Place::current()) const;
  /// Arrives, and makes the phase wait for `bytes` bytes too.
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
  /// The barriers from number n on. Their address is computed once.
  Barriers from(int64_t n, Place = Place::current()) const;

private:
  Pointer first;
  int64_t start = 0;
};

/// Makes the barriers that this thread initialised visible to copies and to the cluster.
void mbarrier_init_fence(Place = Place::current());

void sync_warp(Place = Place::current());
void sync_threads(Place = Place::current());
/// A named barrier, 0 to 15, of `threads` threads. The first function waits until all have arrived,
/// the second does not wait.
void named_barrier(Num id, int64_t threads, Place = Place::current());
void named_barrier_arrive(Num id, int64_t threads, Place = Place::current());
/// The barrier of all threads of the cluster: all arrive at it, and then wait. One that `releases`
/// makes earlier writes visible to those that wait.
void cluster_arrive(bool releases = true, Place = Place::current());
void cluster_wait(Place = Place::current());
void cluster_sync(Place = Place::current());
/// Makes earlier writes to shared memory visible to later TMA copies and wgmma.
void fence_async_shared(Place = Place::current());
/// The warpgroup gives registers back, or takes more.
void set_max_registers(int registers, bool increase, Place = Place::current());

} // namespace tessera::dsl
