// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <mma.h>

using namespace nvcuda;

// C = A * B + C of 32 x 32 x 48 halves, a warp for each tile of 16 x 16; sums in single precision,
// scaled by 1/2.
extern "C" __global__ void wmma_tiles(const half *a, const half *b, float *c) {
  int row = blockIdx.y * 16, column = blockIdx.x * 16;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums;
  wmma::load_matrix_sync(sums, c + row * 32 + column, 32, wmma::mem_row_major);
  for (int k = 0; k < 48; k += 16) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> left;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> right;
    wmma::load_matrix_sync(left, a + row * 48 + k, 48);
    wmma::load_matrix_sync(right, b + column * 48 + k, 48);
    wmma::mma_sync(sums, left, right, sums);
  }
  for (int i = 0; i < sums.num_elements; ++i)
    sums.x[i] *= 0.5f;
  wmma::store_matrix_sync(c + row * 32 + column, sums, 32, wmma::mem_row_major);
}
