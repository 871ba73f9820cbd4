// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of three bits, funnel shifts, bytes, fields.
extern "C" __global__ void bits(const unsigned *a, const unsigned *b, unsigned *out) {
  unsigned t = blockIdx.x * blockDim.x + threadIdx.x, x = a[t], y = b[t];
  unsigned mixed = (x & y) ^ (~x & (y >> 3)) ^ (x | 0x0f0f0f0f);
  mixed += __funnelshift_l(x, y, t) ^ __funnelshift_rc(y, x, t);
  mixed ^= __byte_perm(x, y, 0x6240) + __vabsdiffu4(x, y) + __vaddss2(x, y) + __sad(x, y, t);
  unsigned field;
  asm("bfe.u32 %0, %1, %2, 7;" : "=r"(field) : "r"(x), "r"(t % 32));
  out[t] = mixed + field + __mulhi((int)x, (int)y) + __uhadd(x, y);
}
