// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads leave at different places; the others still meet at barriers and in sums of warps.
extern "C" __global__ void early_exits(const unsigned *in, unsigned *out) {
  __shared__ unsigned sums[4];
  unsigned t = threadIdx.x, x = in[blockIdx.x * 128 + t];
  if (t >= 96 || (blockIdx.x == 2 && t >= 64))
    return;
  unsigned sum = __reduce_add_sync(~0u, x);
  if (t % 32 == 0)
    sums[t / 32] = sum;
  __syncthreads();
  if (x & 1)
    return;
  out[blockIdx.x * 128 + t] = sums[0] ^ sums[1] + x;
}
