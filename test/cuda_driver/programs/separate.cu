// Files that are compiled apart and linked: each uses what the other defines, and one name twice.
// With: parts/separate.cu
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Program.h"

struct Shape {
  __device__ virtual int area(int width) const = 0;
};
extern __device__ int counter;
extern __constant__ float table[4];
extern __device__ int (*pointer)(int);
__device__ int tripled(int x);
__device__ Shape *makeShape(int height);
__global__ void ofTheOther(int *out);

static __device__ __noinline__ int own(int x) { return x + 1; }

__global__ void use(int *out) {
  int t = threadIdx.x;
  out[t] = tripled(t) + int(table[t % 4]) + own(t) + pointer(t);
  if (t == 0) {
    Shape *shape = makeShape(5);
    out[0] += 1000 * shape->area(2);
    delete shape;
  }
  atomicAdd(&counter, 1);
}

int main() {
  constexpr int threads = 64;
  int *out = upload(std::vector<int>(threads));
  use<<<1, threads>>>(out);
  std::vector<int> result = download(out, threads);
  for (int i = 0; i < threads; ++i)
    REQUIRE(result[i] == 3 * i + (i % 4 + 1) + (i + 1) + i * i + (i ? 0 : 10000));
  int count = 0;
  CHECK(cudaMemcpyFromSymbol(&count, counter, sizeof count));
  REQUIRE(count == 10 + threads);
  ofTheOther<<<1, 1>>>(out);
  REQUIRE(download(out, 1)[0] == 10 + threads - 5);
  return passed();
}
