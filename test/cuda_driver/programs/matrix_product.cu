// A product of matrices through tiles in shared memory, with ragged edges.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Program.h"

template <int tile>
__global__ void multiply(const float *a, const float *b, float *c, int m, int n, int k) {
  __shared__ float as[tile][tile], bs[tile][tile + 1];
  int row = blockIdx.y * tile + threadIdx.y, column = blockIdx.x * tile + threadIdx.x;
  float sum = 0;
  for (int first = 0; first < k; first += tile) {
    int ka = first + threadIdx.x, kb = first + threadIdx.y;
    as[threadIdx.y][threadIdx.x] = row < m && ka < k ? a[row * k + ka] : 0;
    bs[threadIdx.y][threadIdx.x] = kb < k && column < n ? b[kb * n + column] : 0;
    __syncthreads();
    for (int i = 0; i < tile; ++i)
      sum += as[threadIdx.y][i] * bs[i][threadIdx.x];
    __syncthreads();
  }
  if (row < m && column < n)
    c[row * n + column] = sum;
}

int main() {
  constexpr int m = 70, n = 45, k = 53, tile = 16;
  std::vector<float> a = numbers(m * k), b = numbers(k * n, 7);
  float *da = upload(a), *db = upload(b), *dc = upload(std::vector<float>(m * n));
  multiply<tile><<<dim3((n + tile - 1) / tile, (m + tile - 1) / tile), dim3(tile, tile)>>>(
      da, db, dc, m, n, k);
  std::vector<float> c = download(dc, m * n);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      float sum = 0;
      for (int l = 0; l < k; ++l)
        sum += a[i * k + l] * b[l * n + j];
      REQUIRE(c[i * n + j] == sum);
    }
  return passed();
}
