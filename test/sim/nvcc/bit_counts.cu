// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Leading ones and zeros, bits counted, reversed, found, put in and taken out, masks; of 32 and 64
// bits.
extern "C" __global__ void bit_counts(const unsigned long long *in, unsigned *out) {
  unsigned t = blockIdx.x * blockDim.x + threadIdx.x, x = in[t], r[7];
  unsigned long long y = in[t];
  asm("bfind.u32 %0, %1;" : "=r"(r[0]) : "r"(x >> t % 33));
  asm("bfind.s32 %0, %1;" : "=r"(r[1]) : "r"((int)x >> t % 31));
  asm("bfind.shiftamt.u64 %0, %1;" : "=r"(r[2]) : "l"(y >> t % 64));
  asm("bmsk.clamp.b32 %0, %1, %2;" : "=r"(r[3]) : "r"(t % 32), "r"(x % 40));
  asm("szext.wrap.s32 %0, %1, %2;" : "=r"(r[4]) : "r"(x), "r"(t % 32));
  asm("bfi.b32 %0, %1, %2, %3, 9;" : "=r"(r[5]) : "r"(x), "r"((unsigned)(y >> 32)), "r"(t % 32));
  asm("lop3.b32 %0, %1, %2, %3, 0x96;" : "=r"(r[6]) : "r"(x), "r"((unsigned)(y >> 32)), "r"(t));
  unsigned sum = __clz(x) + __clzll(y) * 100 + __ffsll(y) * 10000 + __popcll(y) * 1000000;
  for (int i = 0; i < 7; ++i)
    sum = sum * 5 + r[i];
  out[t] = sum ^ (unsigned)(__brevll(y) >> 7);
}
