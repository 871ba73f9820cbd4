// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of 16 x 8 x 256 bits: how many are set in both rows.
extern "C" __global__ void mma_bits(const unsigned *a, const unsigned *b, int *d) {
  unsigned lane = threadIdx.x, row = lane / 4, column = lane % 4, A[4], B[2];
  for (int i = 0; i < 4; ++i)
    A[i] = a[(row + i % 2 * 8) * 8 + column + i / 2 * 4];
  for (int i = 0; i < 2; ++i)
    B[i] = b[row * 8 + column + i * 4];
  int *D = d + row * 8 + column * 2;
  asm("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
      "{%8,%9}, {%10,%10,%10,%10};"
      : "=r"(D[0]), "=r"(D[1]), "=r"(D[64]), "=r"(D[65])
      : "r"(A[0]), "r"(A[1]), "r"(A[2]), "r"(A[3]), "r"(B[0]), "r"(B[1]), "r"(7));
}
