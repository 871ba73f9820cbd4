// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inclusive sums over the whole grid in one pass: each block waits for the sum of those before it.
// state: a ticket, then flag and sum of each block.
extern "C" __global__ void scan_chained(const unsigned *in, unsigned *out, unsigned *state) {
  __shared__ unsigned sums[8], block, before;
  unsigned t = threadIdx.x, lane = t % 32;
  if (t == 0)
    block = atomicAdd(state, 1);
  __syncthreads();
  unsigned at = block * 256 + t, x = in[at];
  for (unsigned step = 1; step < 32; step *= 2) {
    unsigned other = __shfl_up_sync(~0u, x, step);
    x += lane >= step ? other : 0;
  }
  if (lane == 31)
    sums[t / 32] = x;
  __syncthreads();
  for (unsigned w = 0; w < t / 32; ++w)
    x += sums[w];
  if (t == 255) {
    volatile unsigned *flags = state + 1;
    unsigned start = 0;
    if (block) {
      while (!flags[2 * (block - 1)])
        ;
      __threadfence();
      start = flags[2 * (block - 1) + 1];
    }
    flags[2 * block + 1] = start + x;
    __threadfence();
    flags[2 * block] = 1;
    before = start;
  }
  __syncthreads();
  out[at] = before + x;
}
