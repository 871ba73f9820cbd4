// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Running sums that begin anew at each head; warps, then the block, carry (sum, flag) pairs.
extern "C" __global__ void segmented_scan(const unsigned *in, unsigned *out) {
  __shared__ unsigned sums[8], flags[8];
  unsigned t = threadIdx.x, at = blockIdx.x * blockDim.x + t, lane = t % 32, warp = t / 32;
  unsigned x = in[at], sum = x >> 4, flag = (x & 15) == 0 || t == 0;
  for (unsigned step = 1; step < 32; step *= 2) {
    unsigned s = __shfl_up_sync(~0u, sum, step), f = __shfl_up_sync(~0u, flag, step);
    if (lane >= step) {
      sum += flag ? 0 : s;
      flag |= f;
    }
  }
  if (lane == 31)
    sums[warp] = sum, flags[warp] = flag;
  __syncthreads();
  unsigned carry = 0;
  for (unsigned w = 0; w < warp; ++w)
    carry = flags[w] ? sums[w] : carry + sums[w];
  out[at] = flag ? sum : sum + carry;
}
