// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The eight largest of a block's numbers with their places; of equal ones the first.
extern "C" __global__ void top_k(const unsigned *in, unsigned *values, unsigned *places) {
  __shared__ unsigned long long best;
  unsigned t = threadIdx.x;
  unsigned long long mine = (unsigned long long)(in[blockIdx.x * 256 + t] >> 24) << 32 | (255 - t);
  for (unsigned k = 0; k < 8; ++k) {
    if (t == 0)
      best = 0;
    __syncthreads();
    unsigned long long most = mine;
    for (unsigned step = 16; step; step /= 2)
      most = max(most, __shfl_xor_sync(~0u, most, step));
    if (t % 32 == 0)
      atomicMax(&best, most);
    __syncthreads();
    if (t == 0)
      values[blockIdx.x * 8 + k] = best >> 32, places[blockIdx.x * 8 + k] = 255 - (unsigned)best;
    if (mine == best)
      mine = 0;
    __syncthreads();
  }
}
