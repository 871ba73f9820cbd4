// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda_fp16.h>

// D = A * B + C of 16 x 8 x 16 halves by one warp, sums in single precision; small integers.
extern "C" __global__ void mma_halves(const __half *a, const __half *b, const float *c, float *d) {
  unsigned lane = threadIdx.x, row = lane / 4, pair = lane % 4 * 2, A[4], B[2];
  for (int i = 0; i < 4; ++i)
    A[i] = *(const unsigned *)(a + (row + i % 2 * 8) * 16 + pair + i / 2 * 8);
  for (int i = 0; i < 2; ++i)
    B[i] = *(const unsigned *)(b + row * 16 + pair + i * 8);
  const float *C = c + row * 8 + pair;
  float *D = d + row * 8 + pair;
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%10,%11,%12,%13};"
      : "=f"(D[0]), "=f"(D[1]), "=f"(D[64]), "=f"(D[65])
      : "r"(A[0]), "r"(A[1]), "r"(A[2]), "r"(A[3]), "r"(B[0]), "r"(B[1]), "f"(C[0]), "f"(C[1]),
        "f"(C[64]), "f"(C[65]));
}
