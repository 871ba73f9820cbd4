// Sums and largest elements by shuffles, shared memory and one atomic a block.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Program.h"

struct Sum {
  static constexpr int neutral = 0;
  __device__ int operator()(int a, int b) const { return a + b; }
  __device__ static void put(int *to, int value) { atomicAdd(to, value); }
};
struct Largest {
  static constexpr int neutral = -2147483647;
  __device__ int operator()(int a, int b) const { return a > b ? a : b; }
  __device__ static void put(int *to, int value) { atomicMax(to, value); }
};

template <class Op> __global__ void reduce(const int *in, int *out, int count) {
  Op op;
  int value = Op::neutral;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
    value = op(value, in[i]);
  for (int step = 16; step; step /= 2)
    value = op(value, __shfl_down_sync(~0u, value, step));
  __shared__ int ofWarps[32];
  if (threadIdx.x % 32 == 0)
    ofWarps[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x < 32) {
    value = threadIdx.x < blockDim.x / 32 ? ofWarps[threadIdx.x] : Op::neutral;
    for (int step = 16; step; step /= 2)
      value = op(value, __shfl_down_sync(~0u, value, step));
    if (threadIdx.x == 0)
      Op::put(out, value);
  }
}

int main() {
  constexpr int count = 10007;
  std::vector<int> in(count);
  int sum = 0, largest = Largest::neutral;
  for (int i = 0; i < count; ++i) {
    in[i] = int(i * 7919u % 2003) - 1000;
    sum += in[i];
    largest = std::max(largest, in[i]);
  }
  int *from = upload(in), *to = upload(std::vector<int>{Sum::neutral, Largest::neutral});
  reduce<Sum><<<7, 192>>>(from, to, count);
  reduce<Largest><<<7, 256>>>(from, to + 1, count);
  std::vector<int> out = download(to, 2);
  REQUIRE(out[0] == sum);
  REQUIRE(out[1] == largest);
  return passed();
}
