// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of 16 x 8 x 8 singles of which 10 bits of the mantissa count, rounded by cvt.rna.
extern "C" __global__ void mma_tf32(const float *a, const float *b, float *d) {
  unsigned lane = threadIdx.x, row = lane / 4, column = lane % 4, A[4], B[2];
  auto narrow = [](float x) {
    unsigned r;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(r) : "f"(x));
    return r;
  };
  for (int i = 0; i < 4; ++i)
    A[i] = narrow(a[(row + i % 2 * 8) * 8 + column + i / 2 * 4] + 0x1p-14f);
  for (int i = 0; i < 2; ++i)
    B[i] = narrow(b[row * 8 + column + i * 4]);
  float *D = d + row * 8 + column * 2;
  asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%10,%10,%10,%10};"
      : "=f"(D[0]), "=f"(D[1]), "=f"(D[64]), "=f"(D[65])
      : "r"(A[0]), "r"(A[1]), "r"(A[2]), "r"(A[3]), "r"(B[0]), "r"(B[1]), "f"(0.0f));
}
