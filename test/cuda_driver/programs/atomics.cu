// Atomics of all kinds, and a loop of compare and swap.
// Also: -G
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Program.h"

__device__ float atomicMultiply(float *at, float by) {
  unsigned *bits = reinterpret_cast<unsigned *>(at), old = *bits, seen;
  do
    old = atomicCAS(bits, seen = old, __float_as_uint(__uint_as_float(old) * by));
  while (old != seen);
  return __uint_as_float(old);
}

__global__ void all(int *x, unsigned long long *wide, float *real, double *large) {
  int me = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(x, me);
  atomicMin(x + 1, me - 100);
  atomicMax(x + 2, me);
  atomicAnd(x + 3, ~(1 << me % 32));
  atomicOr(x + 4, 1 << me % 32);
  atomicXor(x + 5, me);
  atomicInc(reinterpret_cast<unsigned *>(x + 6), 9);
  atomicSub(x + 7, 1);
  atomicAdd(wide, 1ull << 33);
  atomicAdd(real, 0.5f);
  atomicAdd(large, 0.25);
  if (me < 10)
    atomicMultiply(real + 1, 2);
}

int main() {
  constexpr int threads = 192;
  int *x = upload(std::vector<int>{0, 0, 0, -1, 0, 0, 0, 0});
  unsigned long long *wide = upload(std::vector<unsigned long long>{0});
  float *real = upload(std::vector<float>{0, 1});
  double *large = upload(std::vector<double>{0});
  all<<<3, threads / 3>>>(x, wide, real, large);
  int bits = 0;
  for (int i = 0; i < threads; ++i)
    bits ^= i;
  REQUIRE(download(x, 8) == std::vector<int>({threads * (threads - 1) / 2, -100, threads - 1, 0, -1,
                                              bits, threads % 10, -threads}));
  REQUIRE(download(wide, 1)[0] == (1ull << 33) * threads);
  REQUIRE(download(real, 2) == std::vector<float>({threads / 2, 1024}));
  REQUIRE(download(large, 1)[0] == threads / 4);
  return passed();
}
