// A transpose through shared memory, of rows with a pitch.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Program.h"

constexpr int tile = 16;

__global__ void transpose(const float *in, size_t pitchIn, float *out, size_t pitchOut, int rows,
                          int columns) {
  __shared__ float box[tile][tile + 1];
  int x = blockIdx.x * tile + threadIdx.x, y = blockIdx.y * tile + threadIdx.y;
  if (x < columns && y < rows)
    box[threadIdx.y][threadIdx.x] = in[y * pitchIn + x];
  __syncthreads();
  x = blockIdx.y * tile + threadIdx.x, y = blockIdx.x * tile + threadIdx.y;
  if (x < rows && y < columns)
    out[y * pitchOut + x] = box[threadIdx.x][threadIdx.y];
}

int main() {
  constexpr int rows = 37, columns = 61;
  std::vector<float> in = numbers(rows * columns), out(rows * columns);
  float *from = nullptr, *to = nullptr;
  size_t pitchFrom = 0, pitchTo = 0;
  CHECK(cudaMallocPitch(&from, &pitchFrom, columns * sizeof(float), rows));
  CHECK(cudaMallocPitch(&to, &pitchTo, rows * sizeof(float), columns));
  REQUIRE(pitchFrom >= columns * sizeof(float) && pitchFrom % 256 == 0);
  CHECK(cudaMemset2D(to, pitchTo, 0xff, rows * sizeof(float), columns));
  CHECK(cudaMemcpy2D(from, pitchFrom, in.data(), columns * sizeof(float), columns * sizeof(float),
                     rows, cudaMemcpyHostToDevice));
  transpose<<<dim3((columns + tile - 1) / tile, (rows + tile - 1) / tile), dim3(tile, tile)>>>(
      from, pitchFrom / sizeof(float), to, pitchTo / sizeof(float), rows, columns);
  CHECK(cudaMemcpy2D(out.data(), rows * sizeof(float), to, pitchTo, rows * sizeof(float), columns,
                     cudaMemcpyDeviceToHost));
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j)
      REQUIRE(out[j * rows + i] == in[i * columns + j]);
  return passed();
}
