// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shuffles of 64 bits: integers and doubles, up, down, across and from one lane, in parts of a
// warp.
extern "C" __global__ void shuffle_wide(const long long *in, const double *reals, long long *out,
                                        double *sums) {
  unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  long long x = in[t];
  double r = reals[t];
  long long up = __shfl_up_sync(~0u, x, 3, 16), down = __shfl_down_sync(~0u, x, 5);
  long long across = __shfl_xor_sync(~0u, x, 9), from = __shfl_sync(~0u, x, 7, 8);
  out[t] = up ^ down * 3 ^ across * 5 ^ from * 7;
  for (int step = 1; step < 32; step *= 2) {
    double before = __shfl_up_sync(~0u, r, step);
    if (threadIdx.x % 32 >= step)
      r = __dadd_rn(r, before);
  }
  sums[t] = r;
}
