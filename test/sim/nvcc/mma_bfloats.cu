// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda_bf16.h>

// The same of bfloats, A through ldmatrix from shared memory, whose rows are 16 bytes apart from
// those of the other half.
extern "C" __global__ void mma_bfloats(const __nv_bfloat16 *a, const __nv_bfloat16 *b, float *d) {
  __shared__ alignas(16) __nv_bfloat16 tile[16][16];
  unsigned lane = threadIdx.x, A[4], B[2];
  for (int i = lane; i < 256; i += 32)
    tile[i / 16][i % 16] = a[i];
  __syncwarp();
  unsigned at = __cvta_generic_to_shared(&tile[lane % 16][lane / 16 * 8]);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(A[0]), "=r"(A[1]), "=r"(A[2]), "=r"(A[3])
               : "r"(at));
  for (int i = 0; i < 2; ++i)
    B[i] = *(const unsigned *)(b + lane / 4 * 16 + lane % 4 * 2 + i * 8);
  float *D = d + lane / 4 * 8 + lane % 4 * 2;
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%10,%10,%10,%10};"
      : "=f"(D[0]), "=f"(D[1]), "=f"(D[64]), "=f"(D[65])
      : "r"(A[0]), "r"(A[1]), "r"(A[2]), "r"(A[3]), "r"(B[0]), "r"(B[1]), "f"(1.5f));
}
