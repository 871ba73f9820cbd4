// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrices of 8 x 8 halves go through registers, and are stored transposed.
extern "C" __global__ void matrix_moves(const unsigned *in, unsigned *out) {
  __shared__ alignas(16) unsigned tiles[2][4][8][4];
  unsigned lane = threadIdx.x, r[4];
  for (int i = lane; i < 128; i += 32)
    (&tiles[0][0][0][0])[i] = in[i];
  __syncwarp();
  auto row = [&](int which) {
    return (unsigned)__cvta_generic_to_shared(tiles[which][lane / 8][lane % 8]);
  };
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(row(0)));
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1,%2,%3,%4};" ::"r"(row(1)),
               "r"(r[1]), "r"(r[0]), "r"(r[3]), "r"(r[2])
               : "memory");
  asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %0;" : "+r"(r[0]));
  __syncwarp();
  for (int i = lane; i < 128; i += 32)
    out[i] = (&tiles[1][0][0][0])[i];
  out[128 + lane] = r[0];
}
