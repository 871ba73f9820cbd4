// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bytes chosen from two registers by every mode of prmt, and by selectors that repeat signs.
extern "C" __global__ void byte_selections(const unsigned *a, const unsigned *b, unsigned *out) {
  unsigned t = blockIdx.x * blockDim.x + threadIdx.x, x = a[t], y = b[t], r[6];
  asm("prmt.b32.f4e %0, %1, %2, %3;" : "=r"(r[0]) : "r"(x), "r"(y), "r"(t));
  asm("prmt.b32.b4e %0, %1, %2, %3;" : "=r"(r[1]) : "r"(x), "r"(y), "r"(t));
  asm("prmt.b32.rc8 %0, %1, %2, %3;" : "=r"(r[2]) : "r"(x), "r"(y), "r"(t));
  asm("prmt.b32.ecl %0, %1, %2, %3;" : "=r"(r[3]) : "r"(x), "r"(y), "r"(t));
  asm("prmt.b32.ecr %0, %1, %2, %3;" : "=r"(r[4]) : "r"(x), "r"(y), "r"(t));
  asm("prmt.b32.rc16 %0, %1, %2, %3;" : "=r"(r[5]) : "r"(x), "r"(y), "r"(t));
  out[t] = (r[0] ^ r[1] * 3 ^ r[2] * 5 ^ r[3] * 7 ^ r[4] * 11 ^ r[5] * 13) +
           __byte_perm(x, y, t * 2654435761u & 0x7777) * 17;
  unsigned sign;
  asm("prmt.b32 %0, %1, %2, 0xb3c8;" : "=r"(sign) : "r"(x), "r"(y));
  out[t] ^= sign;
}
