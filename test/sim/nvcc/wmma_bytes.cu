// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <mma.h>

using namespace nvcuda;

// wmma of signed bytes, 8 x 32 x 16, B by rows.
extern "C" __global__ void wmma_bytes(const signed char *a, const signed char *b, int *c) {
  wmma::fragment<wmma::matrix_a, 8, 32, 16, signed char, wmma::row_major> left;
  wmma::fragment<wmma::matrix_b, 8, 32, 16, signed char, wmma::row_major> right;
  wmma::fragment<wmma::accumulator, 8, 32, 16, int> sums;
  wmma::fill_fragment(sums, -3);
  for (int k = 0; k < 32; k += 16) {
    wmma::load_matrix_sync(left, a + k, 32);
    wmma::load_matrix_sync(right, b + k * 32, 32);
    wmma::mma_sync(sums, left, right, sums);
  }
  wmma::store_matrix_sync(c, sums, 32, wmma::mem_row_major);
}
