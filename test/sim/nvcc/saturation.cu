// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums that stop at the ends, conversions that clamp, and shifts past the width.
extern "C" __global__ void saturation(const int *a, const int *b, int *out) {
  unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  int x = a[t], y = b[t], sum, less, narrow, bytes, product;
  unsigned left, right;
  asm("add.sat.s32 %0, %1, %2;" : "=r"(sum) : "r"(x), "r"(y));
  asm("sub.sat.s32 %0, %1, %2;" : "=r"(less) : "r"(x), "r"(y));
  asm("{ .reg .s16 h; cvt.sat.s16.s32 h, %1; cvt.s32.s16 %0, h; }"
      : "=r"(narrow)
      : "r"(x >> t % 32));
  asm("cvt.sat.u8.s32 %0, %1;" : "=r"(bytes) : "r"(y >> t % 32));
  asm("mad.hi.sat.s32 %0, %1, %2, %1;" : "=r"(product) : "r"(x), "r"(y));
  asm("shl.b32 %0, %1, %2;" : "=r"(left) : "r"(x), "r"(t % 40));
  asm("shr.s32 %0, %1, %2;" : "=r"(right) : "r"(y), "r"(t % 40));
  out[t] = sum ^ less * 3 ^ narrow * 5 ^ bytes * 7 ^ product ^ left ^ right;
}
