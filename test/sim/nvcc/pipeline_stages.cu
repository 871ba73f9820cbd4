// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cooperative_groups.h>
#include <cuda/pipeline>

namespace cg = cooperative_groups;

// cuda::pipeline with two stages that the whole block fills and empties.
extern "C" __global__ void pipeline_stages(const unsigned *in, unsigned *out, int pieces) {
  constexpr int stages = 2;
  __shared__ unsigned ring[stages][64];
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, stages> state;
  auto block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  auto fill = [&](int p) {
    pipe.producer_acquire();
    cuda::memcpy_async(block, ring[p % stages], in + p * 64, sizeof(ring[0]), pipe);
    pipe.producer_commit();
  };
  fill(0);
  for (int p = 0; p < pieces; ++p) {
    if (p + 1 < pieces)
      fill(p + 1);
    pipe.consumer_wait();
    out[p * 64 + threadIdx.x] = ring[p % stages][63 - threadIdx.x] + p;
    pipe.consumer_release();
  }
}
