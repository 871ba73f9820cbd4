// Sums of two vectors whose length is not a multiple of the block.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Program.h"

__global__ void add(const float *a, const float *b, float *c, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    c[i] = a[i] + b[i];
}

int main() {
  constexpr int count = 5000;
  std::vector<float> a = numbers(count), b = numbers(count, count);
  float *onDevice[] = {upload(a), upload(b), upload(std::vector<float>(count))};
  add<<<(count + 255) / 256, 256>>>(onDevice[0], onDevice[1], onDevice[2], count);
  CHECK(cudaGetLastError());
  std::vector<float> c = download(onDevice[2], count);
  for (int i = 0; i < count; ++i)
    REQUIRE(c[i] == a[i] + b[i]);
  for (float *p : onDevice)
    CHECK(cudaFree(p));
  return passed();
}
