// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of 16 x 8 x 32 bytes, signed by unsigned, with sums that stop at the ends.
extern "C" __global__ void mma_bytes(const unsigned *a, const unsigned *b, const int *c, int *d) {
  unsigned lane = threadIdx.x, row = lane / 4, column = lane % 4, A[4], B[2];
  for (int i = 0; i < 4; ++i)
    A[i] = a[(row + i % 2 * 8) * 8 + column + i / 2 * 4];
  for (int i = 0; i < 2; ++i)
    B[i] = b[row * 8 + column + i * 4];
  const int *C = c + row * 8 + column * 2;
  int *D = d + row * 8 + column * 2;
  asm("mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.u8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
      "{%8,%9}, {%10,%11,%12,%13};"
      : "=r"(D[0]), "=r"(D[1]), "=r"(D[64]), "=r"(D[65])
      : "r"(A[0]), "r"(A[1]), "r"(A[2]), "r"(A[3]), "r"(B[0]), "r"(B[1]), "r"(C[0]), "r"(C[1]),
        "r"(C[64]), "r"(C[65]));
}
