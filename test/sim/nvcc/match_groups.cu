// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lanes with the same number: any of 32 and of 64 bits, and whether all have it.
extern "C" __global__ void match_groups(const unsigned *in, unsigned *out) {
  unsigned t = blockIdx.x * blockDim.x + threadIdx.x, x = in[t] & 7;
  unsigned long long wide = (unsigned long long)(x & 3) << 40 | 5;
  int same, whole;
  unsigned any = __match_any_sync(~0u, x), far = __match_any_sync(~0u, wide);
  unsigned all = __match_all_sync(~0u, x, &same), ones = __match_all_sync(~0u, t / 32, &whole);
  out[t] = any + far * 3 + all + (same ? 5 : 0) + ones * 7 + (whole ? 11 : 0) +
           __popc(any) * (__ffs(far) + 100);
}
