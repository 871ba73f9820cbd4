// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Barriers of a block that count, and, or.
extern "C" __global__ void block_votes(const unsigned *in, unsigned *out) {
  unsigned t = blockIdx.x * blockDim.x + threadIdx.x, x = in[t];
  unsigned odd = __syncthreads_count(x & 1), large = __syncthreads_or(x > 0xfff00000),
           nonzero = __syncthreads_and(x != 0), rare = __syncthreads_and(x % 200 != 3);
  out[t] = x + odd * 3 + (large ? 1000 : 0) + (nonzero ? 2000 : 0) + (rare ? 4000 : 0);
}
