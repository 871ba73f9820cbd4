// Structs with padding, bit fields, unions and empty optionals, copied through every memory.
// Also: -G
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Program.h"

#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/std/array>
#include <cuda/std/complex>
#include <cuda/std/optional>
#include <cuda/std/tuple>
#include <cuda/std/variant>
struct Padded {
  char tag;
  double value;
  short tail;
};
struct Bits {
  unsigned a : 5, b : 11, c : 3;
  unsigned char d;
};
struct Nested {
  Padded p;
  Bits b;
  cuda::std::optional<int> maybe;
};
using Var = cuda::std::variant<char, double, int>;
__device__ __noinline__ Padded pass(Padded p) {
  p.value += 1;
  return p;
}
__device__ __noinline__ cuda::std::optional<float> half_of(int i) {
  if (i & 1)
    return {};
  return i * 0.5f;
}
__device__ __noinline__ Nested make(int i) {
  Nested n;
  n.p.tag = char(i);
  n.p.value = i;
  n.p.tail = short(i * 2);
  n.b.a = i;
  n.b.b = i * 3;
  n.b.c = i;
  n.b.d = (unsigned char)i;
  if (i % 3 == 0)
    n.maybe = i;
  return n;
}
__device__ __noinline__ Var var(int i) {
  if (i % 3 == 0)
    return Var(char(i));
  if (i % 3 == 1)
    return Var(i * 0.25);
  return Var(i * 7);
}
__global__ void run(Nested *far, Padded *out, double *sums, int n) {
  __shared__ Nested near[64];
  __shared__ Var vars[64];
  __shared__ cuda::std::tuple<char, int, double> tup[64];
  int i = threadIdx.x;
  near[i] = make(i);
  vars[i] = var(i);
  tup[i] = cuda::std::make_tuple(char(i), i * 2, i * 0.5);
  __syncthreads();
  int j = (i + 1) % 64;
  Nested other = near[j];
  far[i] = other;
  Padded p = pass(other.p);
  out[i] = p;
  auto h = half_of(j);
  auto v = vars[j];
  double s = p.value + other.b.b + (other.maybe ? *other.maybe : 0) + (h ? *h : 0.f);
  s += v.index() == 0   ? cuda::std::get<0>(v)
       : v.index() == 1 ? cuda::std::get<1>(v)
                        : cuda::std::get<2>(v);
  auto t = tup[j];
  s += cuda::std::get<1>(t) + cuda::std::get<2>(t) + cuda::std::get<0>(t);
  cuda::std::complex<float> z(i, 1), zz = z * z;
  s += zz.real() + zz.imag();
  cuda::std::array<short, 5> arr{};
  for (int k = 0; k < 5; ++k)
    if (k <= i % 5)
      arr[k] = short(k + i);
  for (short x : arr)
    s += x;
  short few[6];
  int cnt = 1 + i % 5;
  for (int k = 0; k < cnt; ++k)
    few[k] = short(k);
  for (int k = 0; k < cnt; ++k)
    s += few[k];
  sums[i] = s;
}
/// Copied to shared memory in one piece.
__global__ void near(const Padded *p, double *out) {
  __shared__ Padded s[64];
  auto block = cooperative_groups::this_thread_block();
  cooperative_groups::memcpy_async(block, s, p, sizeof(s));
  cooperative_groups::wait(block);
  Padded other = s[63 - threadIdx.x];
  out[threadIdx.x] = other.tag + other.value + other.tail;
}
/// A later kernel copies what the first one wrote.
__global__ void again(const Nested *far, Nested *to, int *tags) {
  int i = threadIdx.x;
  Nested n = far[i];
  to[63 - i] = n;
  tags[i] = n.p.tag + n.b.c + (n.maybe.has_value() ? 100 : 0);
}
int main() {
  Nested *far, *far2;
  Padded *out;
  double *sums;
  int *tags;
  CHECK(cudaMalloc(&far, 64 * sizeof(Nested)));
  CHECK(cudaMalloc(&far2, 64 * sizeof(Nested)));
  CHECK(cudaMalloc(&out, 64 * sizeof(Padded)));
  CHECK(cudaMalloc(&sums, 512));
  CHECK(cudaMalloc(&tags, 256));
  run<<<1, 64>>>(far, out, sums, 64);
  CHECK(cudaGetLastError());
  again<<<1, 64>>>(far, far2, tags);
  CHECK(cudaGetLastError());
  auto s = download(sums, 64);
  near<<<1, 64>>>(out, sums);
  CHECK(cudaGetLastError());
  auto turned = download(sums, 64);
  auto t = download(tags, 64);
  for (int i = 0; i < 64; ++i) {
    int j = (i + 1) % 64;
    double w = j + 1 + j * 3 % 2048 + (j % 3 == 0 ? j : 0) + (j & 1 ? 0 : j * 0.5);
    w += j % 3 == 0 ? char(j) : j % 3 == 1 ? j * 0.25 : j * 7;
    w += j * 2 + j * 0.5 + j;
    w += i * i - 1 + 2 * i;
    for (int k = 0; k <= i % 5; ++k)
      w += k + i;
    for (int k = 0; k < 1 + i % 5; ++k)
      w += k;
    REQUIRE(s[i] == w);
    REQUIRE(turned[63 - i] == j + (j + 1) + j * 2);
    REQUIRE(t[i] == j + (j & 7) + (j % 3 == 0 ? 100 : 0));
  }
  return passed();
}
