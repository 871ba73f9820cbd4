// Kernels launch kernels: sorts, chains of tails, copies and fills, parameters of any kind.
// Flags: -rdc=true -lcudadevrt
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Program.h"

#include <algorithm>

// Each part in a launch of its own, as deep as 24 launches in each other allow.
__global__ void sort(unsigned *d, int first, int last, int depth) {
  if (depth > 12 || last - first < 8) {
    for (int i = first; i <= last; ++i)
      for (int j = i + 1; j <= last; ++j)
        if (d[j] < d[i]) {
          const unsigned t = d[i];
          d[i] = d[j];
          d[j] = t;
        }
    return;
  }
  const unsigned pivot = d[(first + last) / 2];
  int left = first, right = last;
  while (left <= right) {
    while (d[left] < pivot)
      ++left;
    while (d[right] > pivot)
      --right;
    if (left <= right) {
      const unsigned t = d[left];
      d[left++] = d[right];
      d[right--] = t;
    }
  }
  for (int side = 0; side < 2; ++side) {
    const int from = side ? left : first, to = side ? last : right;
    if (from >= to)
      continue;
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    sort<<<1, 1, 0, stream>>>(d, from, to, depth + 1);
    cudaStreamDestroy(stream);
  }
}

// What is launched as a tail begins when everything else of a launch has ended.
__device__ int told[128], count;
__global__ void tell(int value) {
  if (threadIdx.x == 0)
    told[count++] = value;
}
__global__ void chain(int n) {
  if (n < 40)
    chain<<<1, 1, 0, cudaStreamTailLaunch>>>(n + 1);
  tell<<<1, 32>>>(2 * n);
  tell<<<1, 32>>>(2 * n + 1);
}

// In the order of a stream: a fill, a kernel that reads it, a copy of what the kernel wrote.
__global__ void add(int *x, int n) { x[threadIdx.x] += n; }
__global__ void inOrder(int *x) {
  cudaMemsetAsync(x, 1, 64 * sizeof(int), 0);
  add<<<1, 64>>>(x, 5);
  cudaMemcpyAsync(x + 64, x, 64 * sizeof(int), cudaMemcpyDeviceToDevice, 0);
  add<<<1, 64>>>(x, 1);
}

struct Many {
  double x[10];
  char k;
};
__global__ void fromMany(Many m, int *out, char last) {
  extern __shared__ int turned[];
  turned[threadIdx.y * 5 + threadIdx.x] = int(m.x[threadIdx.y * 5 + threadIdx.x]) + m.k + last;
  __syncthreads();
  if (threadIdx.y == 0)
    for (int i = threadIdx.x; i < 10; i += 5)
      out[blockIdx.x * 10 + i] = turned[9 - i];
}
__global__ void many(int *out) {
  Many m;
  for (int i = 0; i < 10; ++i)
    m.x[i] = i * int(threadIdx.x);
  m.k = char(threadIdx.x);
  fromMany<<<2, dim3(5, 2), 10 * sizeof(int)>>>(m, out + threadIdx.x * 20, 3);
}

int main() {
  std::vector<unsigned> values(1500);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = unsigned(i * 2654435761u >> 7) % 5000;
  unsigned *d = upload(values);
  sort<<<1, 1>>>(d, 0, int(values.size()) - 1, 0);
  CHECK(cudaGetLastError());
  std::sort(values.begin(), values.end());
  REQUIRE(download(d, values.size()) == values);

  chain<<<1, 1>>>(0);
  CHECK(cudaDeviceSynchronize());
  int order[128];
  CHECK(cudaMemcpyFromSymbol(order, told, sizeof order));
  for (int i = 0; i < 82; ++i)
    REQUIRE(order[i] == i);

  int *x = upload(std::vector<int>(160));
  inOrder<<<1, 1>>>(x);
  for (int i = 0; i < 128; ++i)
    REQUIRE(download(x, 128)[i] == 0x01010106 + (i < 64));

  many<<<1, 8>>>(x);
  for (int t = 0; t < 8; ++t)
    for (int i = 0; i < 20; ++i)
      REQUIRE(download(x, 160)[t * 20 + i] == (9 - i % 10) * t + t + 3);
  return passed();
}
