// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda_fp16.h>

// Two of four halves of A are there, and metadata say which; small integers.
extern "C" __global__ void mma_sparse(const __half *a, const __half *b, const unsigned *which,
                                      float *d) {
  unsigned lane = threadIdx.x, row = lane / 4, pair = lane % 4 * 2, A[2], B[2];
  for (int i = 0; i < 2; ++i)
    A[i] = *(const unsigned *)(a + (row + i * 8) * 8 + pair);
  for (int i = 0; i < 2; ++i)
    B[i] = *(const unsigned *)(b + row * 16 + pair + i * 8);
  float *D = d + row * 8 + pair;
  asm("mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, "
      "{%4,%5}, {%6,%7}, {%8,%8,%8,%8}, %9, 0x0;"
      : "=f"(D[0]), "=f"(D[1]), "=f"(D[64]), "=f"(D[65])
      : "r"(A[0]), "r"(A[1]), "r"(B[0]), "r"(B[1]), "f"(0.0f), "r"(which[lane]));
}
