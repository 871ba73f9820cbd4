// Memory in stream order, from the default pool and one of the program's own.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Program.h"

__global__ void fill(int *x, int value) { x[blockIdx.x * blockDim.x + threadIdx.x] = value; }
__global__ void copy(int *to, const int *from) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  to[i] = from[i] + i;
}

int main() {
  constexpr int count = 512;
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  cudaMemPool_t pool, standard;
  CHECK(cudaDeviceGetDefaultMemPool(&standard, 0));
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location = {cudaMemLocationTypeDevice, 0};
  CHECK(cudaMemPoolCreate(&pool, &properties));
  uint64_t threshold = 1 << 20, read = 0;
  CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
  CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &read));
  REQUIRE(read == threshold);
  std::vector<int> out(count);
  for (int round = 0; round < 3; ++round) {
    int *a = nullptr, *b = nullptr;
    CHECK(cudaMallocAsync(&a, count * sizeof(int), stream));
    CHECK(cudaMallocFromPoolAsync(&b, count * sizeof(int), pool, stream));
    fill<<<2, count / 2, 0, stream>>>(a, round);
    copy<<<4, count / 4, 0, stream>>>(b, a);
    CHECK(cudaMemcpyAsync(out.data(), b, count * sizeof(int), cudaMemcpyDeviceToHost, stream));
    CHECK(cudaFreeAsync(a, stream));
    CHECK(cudaFreeAsync(b, stream));
    CHECK(cudaStreamSynchronize(stream));
    for (int i = 0; i < count; ++i)
      REQUIRE(out[i] == round + i);
  }
  CHECK(cudaMemPoolTrimTo(pool, 0));
  CHECK(cudaMemPoolDestroy(pool));
  return passed();
}
