// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Keeps the odd numbers of each block in their order: votes of warps and a sum over warps.
extern "C" __global__ void compaction(const unsigned *in, unsigned *out, unsigned *counts) {
  __shared__ unsigned of_warps[8];
  unsigned t = threadIdx.x, x = in[blockIdx.x * 256 + t];
  unsigned kept = __ballot_sync(~0u, x & 1), before, place;
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(before));
  if (t % 32 == 0)
    of_warps[t / 32] = __popc(kept);
  __syncthreads();
  place = __popc(kept & before);
  for (unsigned w = 0; w < t / 32; ++w)
    place += of_warps[w];
  if (x & 1)
    out[blockIdx.x * 256 + place] = x;
  if (t == 255)
    counts[blockIdx.x] = place + (x & 1);
}
