// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <mma.h>

using namespace nvcuda;

// wmma of doubles, 8 x 8 x 4, A by columns; the sums go out by columns.
extern "C" __global__ void wmma_doubles(const double *a, const double *b, double *c) {
  wmma::fragment<wmma::matrix_a, 8, 8, 4, double, wmma::col_major> left;
  wmma::fragment<wmma::matrix_b, 8, 8, 4, double, wmma::col_major> right;
  wmma::fragment<wmma::accumulator, 8, 8, 4, double> sums;
  wmma::load_matrix_sync(sums, c, 8, wmma::mem_row_major);
  wmma::load_matrix_sync(left, a, 8);
  wmma::load_matrix_sync(right, b, 4);
  wmma::mma_sync(sums, left, right, sums);
  wmma::store_matrix_sync(c + 64, sums, 8, wmma::mem_col_major);
}
