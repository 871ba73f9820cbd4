// Rings of stages between warps: those that threads fill, and those of tcgen05. PipelineTmaAsync
// stands in Shared.h.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A producer acquires an empty stage, fills it and commits it; a consumer waits for a full stage,
// reads it and releases it. Each keeps a PipelineState, which it advances. All threads of a block
// make a pipeline, and wait for each other there.
#pragma once

#include "tessera/cute_cxx/Blackwell.h"

namespace tessera::cute {

namespace detail {
/// The barriers of a ring: `full` and `empty` of each stage.
class Ring {
public:
  Ring(const char *call, int stages, int full_arrivals, int empty_arrivals, Place);
  PipelineState make_producer_start_state() const { return {0, 1, stages}; } // all are empty
  PipelineState make_consumer_start_state() const { return {0, 0, stages}; }
  void producer_acquire(const PipelineState &s, Place at = Place::current()) const {
    empty.at(s.index, at).wait(s.phase, at);
  }
  Barrier producer_get_barrier(const PipelineState &s, Place at = Place::current()) const {
    return full.at(s.index, at);
  }
  void consumer_wait(const PipelineState &s, Place at = Place::current()) const {
    full.at(s.index, at).wait(s.phase, at);
  }
  /// Waits until all stages are empty: called by the producer at the end.
  void producer_tail(PipelineState, Place = Place::current()) const;

protected:
  int stages;
  BarrierArray full, empty;
};
} // namespace detail

/// Threads fill a stage, with as many arrivals, and threads empty it.
class PipelineAsync : public detail::Ring {
public:
  PipelineAsync(int of_stages, int producer_arrivals, int consumer_arrivals,
                Place at = Place::current())
      : Ring("PipelineAsync", of_stages, producer_arrivals, consumer_arrivals, at) {}
  void producer_commit(const PipelineState &s, Place at = Place::current()) const {
    full.at(s.index, at).arrive(at);
  }
  void consumer_release(const PipelineState &s, Place at = Place::current()) const {
    empty.at(s.index, at).arrive(at);
  }
};

/// TMA fills a stage with so many bytes, and products of tcgen05 empty it when they are done. One
/// warp calls the functions of the producer, and one those of the consumer.
class PipelineTmaUmmaAsync : public detail::Ring {
public:
  PipelineTmaUmmaAsync(int of_stages, int bytes_of_stage, Place at = Place::current());
  /// Waits until the stage is empty. Its barrier then expects the bytes.
  void producer_acquire(const PipelineState &, Place = Place::current()) const;
  /// Does nothing: the copy's bytes fill the stage.
  void producer_commit(const PipelineState &) const {}
  void consumer_release(const PipelineState &s, Place at = Place::current()) const {
    umma_arrive(empty.at(s.index, at), at);
  }

private:
  int bytes;
};

/// Products of tcgen05 fill a stage of tensor memory, and threads empty it.
class PipelineUmmaAsync : public detail::Ring {
public:
  PipelineUmmaAsync(int of_stages, int consumer_arrivals, Place at = Place::current())
      : Ring("PipelineUmmaAsync", of_stages, 1, consumer_arrivals, at) {}
  void producer_commit(const PipelineState &s, Place at = Place::current()) const {
    umma_arrive(full.at(s.index, at), at);
  }
  void consumer_release(const PipelineState &s, Place at = Place::current()) const {
    empty.at(s.index, at).arrive(at);
  }
};

/// Stores by TMA from a ring of stages of shared memory, begun by one thread.
template <int Stages> class PipelineTmaStore {
public:
  /// Waits until the stage that comes next may be written again.
  void producer_acquire(Place at = Place::current()) const { tma_store_wait<Stages - 1>(at); }
  void producer_commit(Place at = Place::current()) const { tma_store_arrive(at); }
  void producer_tail(Place at = Place::current()) const { tma_store_wait<0>(at); }
};

} // namespace tessera::cute
