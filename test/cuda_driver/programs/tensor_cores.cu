// A product of matrices on tensor cores by wmma.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Program.h"

#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;

__global__ void multiply(const __half *a, const __half *b, float *c, int n, int k) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
  wmma::fill_fragment(fc, 0.0f);
  for (int i = 0; i < k; i += 16) {
    wmma::load_matrix_sync(fa, a + blockIdx.y * 16 * k + i, k);
    wmma::load_matrix_sync(fb, b + blockIdx.x * 16 * k + i, k);
    wmma::mma_sync(fc, fa, fb, fc);
  }
  wmma::store_matrix_sync(c + blockIdx.y * 16 * n + blockIdx.x * 16, fc, n, wmma::mem_row_major);
}

int main() {
  constexpr int m = 32, n = 48, k = 64;
  std::vector<float> a = numbers(m * k), b = numbers(n * k, 3);
  std::vector<__half> ha(a.begin(), a.end()), hb(b.begin(), b.end());
  float *c = upload(std::vector<float>(m * n));
  multiply<<<dim3(n / 16, m / 16), 32>>>(upload(ha), upload(hb), c, n, k);
  std::vector<float> out = download(c, m * n);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      float sum = 0;
      for (int l = 0; l < k; ++l)
        sum += a[i * k + l] * b[j * k + l];
      REQUIRE(out[i * n + j] == sum);
    }
  return passed();
}
