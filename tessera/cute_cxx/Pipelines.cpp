// Pipelines as operations of the program.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute_cxx/Pipelines.h"

#include "tessera/cute_cxx/Control.h"
#include "tessera/cute_cxx/Node.h"

using namespace tessera;

namespace tessera::cute {

static constexpr int64_t most = (int64_t(1) << 20) - 1; // of PTX: arrivals and bytes of a phase

detail::Ring::Ring(const char *call, int stages, int ofFull, int ofEmpty, Place at)
    : stages(stages) {
  if (!isWithin(call, "arrivals of a full stage", ofFull, 1, most, at) ||
      !isWithin(call, "arrivals of an empty stage", ofEmpty, 1, most, at)) {
    full = empty = made<BarrierArray>(dsl::Barriers(dsl::Pointer(mlir::Value())));
    return;
  }
  full = make_barriers(stages, at);
  empty = make_barriers(stages, at);
  branch(
      canonical_warp_idx_sync(at) == Operand(0, at), {},
      [&] {
        branch(
            elect_one_sync(at), {},
            [&] {
              for (int i = 0; i < stages; ++i) {
                full.at(i, at).init(ofFull, at);
                empty.at(i, at).init(ofEmpty, at);
              }
              fence_barrier_init(at);
            },
            {}, at);
      },
      {}, at);
  __syncthreads(at);
}
void detail::Ring::producer_tail(PipelineState state, Place at) const {
  for (int i = 0; i < stages; ++i, state.advance(at))
    empty.at(state.index, at).wait(state.phase, at);
}

PipelineTmaUmmaAsync::PipelineTmaUmmaAsync(int stages, int ofStage, Place at)
    : Ring("PipelineTmaUmmaAsync", stages, 1, 1, at), bytes(ofStage) {
  isWithin("PipelineTmaUmmaAsync", "bytes of a stage", bytes, 0, most, at);
}
void PipelineTmaUmmaAsync::producer_acquire(const PipelineState &s, Place at) const {
  Ring::producer_acquire(s, at);
  dsl::expect_bytes(held<dsl::Barrier>(full.at(s.index, at)), bytes, at);
}

} // namespace tessera::cute
