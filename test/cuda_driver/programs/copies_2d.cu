// Copies of rectangles, between devices that are one, and to parts of symbols.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Program.h"

__constant__ int weights[8];
__device__ short table[4][6];
__device__ int *where;

__global__ void weigh(const int *in, int *out, size_t pitch, int width, int height) {
  int x = threadIdx.x, y = blockIdx.x;
  if (x < width && y < height) {
    const int *row = reinterpret_cast<const int *>(reinterpret_cast<const char *>(in) + y * pitch);
    out[y * width + x] = row[x] * weights[x % 8] + table[y % 4][x % 6];
  }
  if (x == 0 && y == 0)
    *where = 77;
}

int main() {
  const int width = 37, height = 9;
  std::vector<int> host(width * height);
  for (size_t i = 0; i < host.size(); ++i)
    host[i] = int(i);
  char *rows = nullptr;
  size_t pitch = 0;
  CHECK(cudaMallocPitch(&rows, &pitch, width * 4, height));
  REQUIRE(pitch >= width * 4 && pitch % 32 == 0);
  CHECK(cudaMemset2D(rows, pitch, 0xff, width * 4, height));
  CHECK(
      cudaMemcpy2D(rows, pitch, host.data(), width * 4, width * 4, height, cudaMemcpyHostToDevice));
  // A rectangle within it moves down and to the right.
  CHECK(cudaMemcpy2DAsync(rows + 4 * pitch + 40, pitch, rows + pitch + 8, pitch, 20, 3,
                          cudaMemcpyDeviceToDevice, 0));
  std::vector<int> expected = host;
  for (int y = 0; y < 3; ++y)
    for (int x = 0; x < 5; ++x)
      expected[(4 + y) * width + 10 + x] = host[(1 + y) * width + 2 + x];
  std::vector<int> factors{1, 2, 3, 4, 5, 6, 7, 8};
  CHECK(cudaMemcpyToSymbol(weights, factors.data(), 32));
  int nine = 9;
  CHECK(cudaMemcpyToSymbolAsync(weights, &nine, 4, 12, cudaMemcpyHostToDevice, 0));
  factors[3] = 9;
  void *place = nullptr;
  size_t bytes = 0;
  CHECK(cudaGetSymbolAddress(&place, table));
  CHECK(cudaGetSymbolSize(&bytes, table));
  REQUIRE(bytes == 48);
  std::vector<short> filled(24);
  for (int i = 0; i < 24; ++i)
    filled[i] = short(i * 3 - 20);
  CHECK(cudaMemcpy2D(place, 12, filled.data(), 12, 12, 4, cudaMemcpyDefault));
  int *cell = nullptr;
  CHECK(cudaMalloc(&cell, 4));
  CHECK(cudaMemcpyToSymbol(where, &cell, sizeof cell));
  int *out = nullptr;
  CHECK(cudaMalloc(&out, host.size() * 4));
  weigh<<<height, 64>>>(reinterpret_cast<int *>(rows), out, pitch, width, height);
  int can = -1;
  REQUIRE(cudaDeviceCanAccessPeer(&can, 0, 0) == cudaSuccess && can == 0);
  REQUIRE(cudaDeviceCanAccessPeer(&can, 0, 99) == cudaErrorInvalidDevice);
  REQUIRE(cudaDeviceCanAccessPeer(&can, 99, 0) == cudaErrorInvalidDevice);
  cudaGetLastError();
  int *again = nullptr;
  CHECK(cudaMalloc(&again, host.size() * 4));
  CHECK(cudaMemcpyPeer(again, 0, out, 0, host.size() * 4));
  auto result = download(again, host.size());
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      REQUIRE(result[y * width + x] ==
              expected[y * width + x] * factors[x % 8] + filled[y % 4 * 6 + x % 6]);
  REQUIRE(download(cell, 1)[0] == 77);
  int one = 0;
  CHECK(cudaMemcpyFromSymbol(&one, weights, 4, 12));
  REQUIRE(one == 9);
  REQUIRE(cudaMemcpyToSymbol(weights, &one, 4, 32) == cudaErrorInvalidValue);
  REQUIRE(cudaMemcpy2D(rows, 8, host.data(), 16, 16, 2, cudaMemcpyHostToDevice) ==
          cudaErrorInvalidPitchValue);
  cudaGetLastError();
  return passed();
}
