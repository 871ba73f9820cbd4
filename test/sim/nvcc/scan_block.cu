// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inclusive sums within blocks, doubling steps.
extern "C" __global__ void scan_block(const unsigned *in, unsigned *out) {
  __shared__ unsigned sums[2][256];
  unsigned t = threadIdx.x, now = 0;
  sums[0][t] = in[blockIdx.x * 256 + t];
  __syncthreads();
  for (unsigned step = 1; step < 256; step *= 2) {
    sums[!now][t] = sums[now][t] + (t >= step ? sums[now][t - step] : 0);
    now = !now;
    __syncthreads();
  }
  out[blockIdx.x * 256 + t] = sums[now][t];
}
