// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions of a warp by one instruction, each by the lanes of one parity.
extern "C" __global__ void warp_reduce(const unsigned *in, unsigned *out) {
  unsigned t = blockIdx.x * blockDim.x + threadIdx.x, x = in[t], sum;
  unsigned mask = t & 1 ? 0xaaaaaaaa : 0x55555555;
  if (t & 1)
    sum = __reduce_add_sync(mask, x) ^ __reduce_min_sync(mask, x) ^ __reduce_and_sync(mask, x | 3);
  else
    sum = __reduce_max_sync(mask, (int)x) ^ __reduce_or_sync(mask, x & 0x11110000) ^
          __reduce_xor_sync(mask, x);
  out[t] = sum;
}
