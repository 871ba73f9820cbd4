// Prefix sums: of blocks, of their totals, and both together.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Program.h"

__global__ void scanBlocks(int *values, int *totals, int count) {
  extern __shared__ int shared[];
  int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x;
  shared[t] = i < count ? values[i] : 0;
  __syncthreads();
  for (int step = 1; step < blockDim.x; step *= 2) {
    int before = t >= step ? shared[t - step] : 0;
    __syncthreads();
    shared[t] += before;
    __syncthreads();
  }
  if (i < count)
    values[i] = shared[t];
  if (totals && t == blockDim.x - 1)
    totals[blockIdx.x] = shared[t];
}
__global__ void addTotals(int *values, const int *totals, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (blockIdx.x && i < count)
    values[i] += totals[blockIdx.x - 1];
}

int main() {
  constexpr int count = 3000, block = 128, blocks = (count + block - 1) / block;
  std::vector<int> in(count);
  for (int i = 0; i < count; ++i)
    in[i] = i % 13 - 4;
  int *values = upload(in), *totals = upload(std::vector<int>(blocks));
  scanBlocks<<<blocks, block, block * sizeof(int)>>>(values, totals, count);
  scanBlocks<<<1, block, block * sizeof(int)>>>(totals, nullptr, blocks);
  addTotals<<<blocks, block>>>(values, totals, count);
  std::vector<int> out = download(values, count);
  int sum = 0;
  for (int i = 0; i < count; ++i)
    REQUIRE(out[i] == (sum += in[i]));
  return passed();
}
