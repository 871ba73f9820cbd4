// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda/barrier>

using Barrier = cuda::barrier<cuda::thread_scope_block>;

// The first two warps write, the other two read: two barriers hand one buffer back and forth.
extern "C" __global__ void cuda_barrier(const unsigned *in, unsigned *out, int rounds) {
  __shared__ Barrier ready, done;
  __shared__ unsigned buffer[64];
  if (threadIdx.x == 0)
    init(&ready, 128), init(&done, 128);
  __syncthreads();
  for (int r = 0; r < rounds; ++r) {
    if (threadIdx.x < 64) {
      buffer[threadIdx.x] = in[r * 64 + threadIdx.x] ^ r;
      (void)ready.arrive();
      done.arrive_and_wait();
    } else {
      ready.arrive_and_wait();
      unsigned t = threadIdx.x - 64;
      out[r * 64 + t] = buffer[63 - t];
      done.arrive_and_wait();
    }
  }
}
