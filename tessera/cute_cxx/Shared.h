// Shared memory of a block: tensors and barriers, allocated in the order in which they are made.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A struct of a kernel's shared memory has members of these types:
//
//   struct SharedStorage {
//     Tensor A = make_smem_tensor<half_t>(sA_layout), B = make_smem_tensor<half_t>(sB_layout);
//     BarrierArray full = make_barriers(3);
//   };
//   SharedStorage smem; // in the kernel
//
// The launch asks for the memory that the kernel allocated.
#pragma once

#include "tessera/cute_cxx/Tensors.h"

#include <tuple>

namespace tessera::cute {

namespace detail {
Pointer allocate(Format, const Num &elements, int alignment, Place);
Tensor shared(Format, const Layout<> &, int alignment, Place);
} // namespace detail

/// Allocates `elements` elements at a multiple of `alignment` bytes.
template <ElementType T>
Pointer allocate_smem(const Num &elements, int alignment = 128, Place at = Place::current()) {
  return detail::allocate(format_of<T>, elements, alignment, at);
}
/// Allocates a tensor with this layout.
template <ElementType T>
Tensor make_smem_tensor(const Layout<> &l, int alignment = 1024, Place at = Place::current()) {
  return detail::shared(format_of<T>, l, alignment, at);
}

/// Combines the numbers of a warp, or of a block of `threads` threads. All threads get the result.
Num warp_reduce(const Num &, const std::function<Num(Num, Num)> &combine, Place = Place::current());
Num block_reduce(const Num &, int threads, const std::function<Num(Num, Num)> &combine,
                 Place = Place::current());
Num block_sum(const Num &, int threads, Place = Place::current());
Num block_max(const Num &, int threads, Place = Place::current());

/// An mbarrier: it counts arrivals, and bytes that copies bring. A phase ends when all expected
/// ones have come; phases are 0, 1, 0, ...
class Barrier : public Value {
public:
  using Value::Value;
  Barrier() = default;
  // Called by one thread before any other uses it. fence_barrier_init and __syncthreads follow.
  void init(const Num &arrivals, Place = Place::current()) const;
  void wait(const Num &phase, Place = Place::current()) const;
  void arrive(Place = Place::current()) const;
  /// At the same barrier of another block of the cluster.
  void arrive(const Num &block, Place = Place::current()) const;
  /// Arrives, and makes the phase wait for `bytes` bytes too.
  void arrive_and_expect_tx(const Num &bytes, Place = Place::current()) const;
  /// CUTLASS's name for it.
  void arrive_and_expect_transaction(const Num &bytes, Place at = Place::current()) const {
    arrive_and_expect_tx(bytes, at);
  }
};
using ClusterBarrier = Barrier;
using ClusterTransactionBarrier = Barrier;

namespace detail {
/// A number that selects, and the author's line that states it.
struct Position {
  template <class T>
    requires std::constructible_from<Num, const T &>
  Position(const T &n, Place where = Place::current()) : number(n), at(where) {}
  Num number;
  Place at;
};
} // namespace detail
// The same by CuTe C++'s names.
inline void initialize_barrier(const Barrier &b, const Num &arrivals = 1,
                               Place at = Place::current()) {
  b.init(arrivals, at);
}
inline void set_barrier_transaction_bytes(const Barrier &b, const Num &bytes,
                                          Place at = Place::current()) {
  b.arrive_and_expect_tx(bytes, at);
}
inline void wait_barrier(const Barrier &b, const Num &phase, Place at = Place::current()) {
  b.wait(phase, at);
}
inline void arrive_barrier(const Barrier &b, Place at = Place::current()) { b.arrive(at); }

class BarrierArray : public Value {
public:
  using Value::Value;
  BarrierArray() = default;
  Barrier operator[](const detail::Position &i) const { return at(i.number, i.at); }
  Barrier at(const Num &, Place = Place::current()) const;

private:
  friend BarrierArray make_barriers(int, Place);
  int count = 0; // 0: not known
};
BarrierArray make_barriers(int count, Place = Place::current());
/// Makes the barriers that this thread initialised visible to copies and to the cluster.
void fence_barrier_init(Place = Place::current());

/// A place in a ring of stages: the stage, and the phase of its barriers.
struct PipelineState {
  Num index = 0, phase = 0;
  int stages = 1;
  auto members() { return std::tie(index, phase); } // loops carry it

  /// Moves on to the next stage.
  void advance(Place = Place::current());
  /// Moves on, and gives the state after it, as CUTLASS's. There is no state++.
  PipelineState &operator++() {
    advance();
    return *this;
  }
};

/// A ring of stages that TMA fills and threads empty.
class PipelineTmaAsync {
public:
  /// `consumer_arrivals` arrivals empty a stage. Called by all threads of the block, which wait for
  /// each other.
  PipelineTmaAsync(int stages, int consumer_arrivals, int bytes, Place = Place::current());
  PipelineState make_producer_start_state(Place = Place::current()) const; // all stages are empty
  PipelineState make_consumer_start_state(Place = Place::current()) const;
  /// Called by a warp of the producer: waits until the stage is empty. Its barrier then expects the
  /// bytes.
  void producer_acquire(const PipelineState &, Place = Place::current()) const;
  Barrier producer_get_barrier(const PipelineState &, Place = Place::current()) const;
  void consumer_wait(const PipelineState &, Place = Place::current()) const;
  /// Called by the threads whose arrivals empty the stage.
  void consumer_release(const PipelineState &, Place = Place::current()) const;
  /// The same of the stage of another block of the cluster, which loads what this one reads.
  void consumer_release(const PipelineState &, const Num &block, Place = Place::current()) const;
  /// Does nothing: the copy's bytes fill the stage.
  void producer_commit(const PipelineState &) const {}
  /// Called by the producer at the end: waits until its stages are empty, so that no block of the
  /// cluster leaves while others arrive at its barriers.
  void producer_tail(PipelineState, Place = Place::current()) const;

private:
  int stages, bytes;
  BarrierArray full, empty;
};

} // namespace tessera::cute
