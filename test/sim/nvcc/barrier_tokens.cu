// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda/barrier>

// Arrivals apart from waits, with tokens, and threads that leave the barrier for good.
extern "C" __global__ void barrier_tokens(const unsigned *in, unsigned *out, int rounds) {
  using Barrier = cuda::barrier<cuda::thread_scope_block>;
  __shared__ unsigned row[2][128];
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ Barrier barrier;
  unsigned t = threadIdx.x, sum = 0;
  if (t == 0)
    init(&barrier, blockDim.x);
  __syncthreads();
  for (int r = 0; r < rounds; ++r) {
    row[r & 1][t] = in[t] * (r + 1);
    if (t >= 96 && r == 2) {
      barrier.arrive_and_drop();
      break;
    }
    Barrier::arrival_token token = barrier.arrive();
    sum = sum * 3 + in[t];
    barrier.wait(std::move(token));
    sum += row[r & 1][t ^ 1];
  }
  out[t] = sum;
}
