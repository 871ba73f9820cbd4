// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Predicates, selections, comparisons and jumps by hand.
extern "C" __global__ void predicates(const int *a, const int *b, unsigned *out) {
  unsigned t = blockIdx.x * blockDim.x + threadIdx.x, r[5];
  int x = a[t], y = b[t];
  asm("{ .reg .pred p, q; setp.lt.s32 p|q, %1, %2; selp.u32 %0, 3, 5, p; @q add.u32 %0, %0, 8; }"
      : "=r"(r[0])
      : "r"(x), "r"(y));
  asm("{ .reg .pred p, q; setp.ne.u32 p, %3, 0; setp.gt.xor.u32 q, %1, %2, !p; selp.u32 %0, 1, 2, "
      "q; }"
      : "=r"(r[1])
      : "r"(x), "r"(y), "r"(x & 1));
  asm("set.le.u32.s32 %0, %1, %2;" : "=r"(r[2]) : "r"(x), "r"(y));
  asm("slct.u32.s32 %0, %1, %2, %3;" : "=r"(r[3]) : "r"(t), "r"(~t), "r"(y));
  asm("{ .reg .pred p; .reg .u32 i; mov.u32 i, %1; mov.u32 %0, 0; loop: setp.eq.u32 p, i, 0; @p "
      "bra "
      "done; and.b32 i, i, %2; add.u32 %0, %0, 1; sub.u32 i, i, 1; and.b32 i, i, 15; bra.uni loop; "
      "done: }"
      : "=&r"(r[4])
      : "r"(x & 15), "r"(0x7fffffff));
  out[t] = r[0] ^ r[1] << 4 ^ r[2] << 8 ^ r[3] ^ r[4] << 16;
}
