// Shared memory of a block: tensors and barriers, given out in the order in which they are made.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A struct of a kernel's shared memory is a struct of these:
//
//   struct SharedStorage {
//     Tensor A = make_smem_tensor<half_t>(sA_layout), B = make_smem_tensor<half_t>(sB_layout);
//     BarrierArray full = make_barriers(3);
//   };
//   SharedStorage smem; // in the kernel
//
// The launch asks for as much as the kernel gave out.
#pragma once

#include "tessera/cute_cxx/Tensors.h"

namespace tessera::cute {

namespace detail {
Pointer allocate(Format, const Num &elements, int alignment, Place);
Tensor shared(Format, const Layout<> &, int alignment, Place);
} // namespace detail

/// The next so many elements, at a multiple of `alignment` bytes.
template <ElementType T>
Pointer allocate_smem(const Num &elements, int alignment = 128, Place at = Place::current()) {
  return detail::allocate(format_of<T>, elements, alignment, at);
}
/// A tensor of this layout there.
template <ElementType T>
Tensor make_smem_tensor(const Layout<> &l, int alignment = 1024, Place at = Place::current()) {
  return detail::shared(format_of<T>, l, alignment, at);
}

/// The numbers of a warp, or of a block of so many threads, combined; all threads get the result.
Num warp_reduce(const Num &, const std::function<Num(Num, Num)> &combine, Place = Place::current());
Num block_reduce(const Num &, int threads, const std::function<Num(Num, Num)> &combine,
                 Place = Place::current());
Num block_sum(const Num &, int threads, Place = Place::current());
Num block_max(const Num &, int threads, Place = Place::current());

/// An mbarrier: it counts arrivals, and bytes that copies bring. Each time all have come its phase
/// ends; phases are 0, 1, 0, ...
class Barrier : public Value {
public:
  using Value::Value;
  Barrier() = default;
  // By one thread, before any other uses it; fence_barrier_init and __syncthreads follow.
  void init(const Num &arrivals, Place = Place::current()) const;
  void wait(const Num &phase, Place = Place::current()) const;
  void arrive(Place = Place::current()) const;
  /// At the same barrier of another block of the cluster.
  void arrive(const Num &block, Place = Place::current()) const;
  /// Arrives, and has the phase wait for so many bytes too.
  void arrive_and_expect_tx(const Num &bytes, Place = Place::current()) const;
};
using ClusterBarrier = Barrier;
using ClusterTransactionBarrier = Barrier;

class BarrierArray : public Value {
public:
  using Value::Value;
  BarrierArray() = default;
  Barrier operator[](const Num &i) const { return at(i); }
  Barrier at(const Num &, Place = Place::current()) const;
};
BarrierArray make_barriers(int count, Place = Place::current());
/// Makes the barriers that this thread initialised visible to copies and to the cluster.
void fence_barrier_init(Place = Place::current());

/// Where a ring of stages is: the stage, and the phase of its barriers.
struct PipelineState {
  Num index, phase;
  int stages = 1;

  /// The stage after it.
  void advance(Place = Place::current());
  PipelineState &operator++() {
    advance();
    return *this;
  }
};

/// A ring of stages that TMA fills and threads empty.
class PipelineTmaAsync {
public:
  /// So many arrivals empty a stage. By all threads of the block, which wait for each other.
  PipelineTmaAsync(int stages, int consumer_arrivals, int bytes, Place = Place::current());
  PipelineState make_producer_start_state(Place = Place::current()) const; // all are empty
  PipelineState make_consumer_start_state(Place = Place::current()) const;
  /// By a warp of the producer: until the stage is empty; its barrier then waits for the bytes.
  void producer_acquire(const PipelineState &, Place = Place::current()) const;
  Barrier producer_get_barrier(const PipelineState &, Place = Place::current()) const;
  void consumer_wait(const PipelineState &, Place = Place::current()) const;
  /// By those whose arrivals empty the stage.
  void consumer_release(const PipelineState &, Place = Place::current()) const;

private:
  int stages, bytes;
  BarrierArray full, empty;
};

} // namespace tessera::cute
