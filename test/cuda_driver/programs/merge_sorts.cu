// CUB's merges, which fetch keys past their ends and drop them, and its warps in parts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Program.h"
#include <algorithm>
#include <cub/block/block_load.cuh>
#include <cub/block/block_merge_sort.cuh>
#include <cub/block/block_store.cuh>
#include <cub/warp/warp_merge_sort.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>
struct Less {
  template <class T> __device__ __host__ bool operator()(const T &a, const T &b) const {
    return a < b;
  }
};
__global__ void sortBlocks(const int *in, int *out, int valid) {
  using Load = cub::BlockLoad<int, 64, 5, cub::BLOCK_LOAD_WARP_TRANSPOSE>;
  using Store = cub::BlockStore<int, 64, 5, cub::BLOCK_STORE_WARP_TRANSPOSE>;
  using Sort = cub::BlockMergeSort<int, 64, 5>;
  __shared__ union {
    Load::TempStorage l;
    Store::TempStorage s;
    Sort::TempStorage m;
  } t;
  int v[5];
  Load(t.l).Load(in, v, valid, 1 << 30);
  __syncthreads();
  Sort(t.m).Sort(v, Less(), valid, 1 << 30);
  __syncthreads();
  Store(t.s).Store(out, v, valid);
}
__global__ void warps(const int *in, int *sum, int *scan, int *sorted, int valid) {
  using R = cub::WarpReduce<int>;
  using S = cub::WarpScan<int, 16>;
  using M = cub::WarpMergeSort<int, 3, 16>;
  __shared__ R::TempStorage r[2];
  __shared__ S::TempStorage s[4];
  __shared__ M::TempStorage m[4];
  int w = threadIdx.x / 32, q = threadIdx.x / 16, lane = threadIdx.x % 32;
  int mine;
  if (lane < valid)
    mine = in[threadIdx.x];
  int total = R(r[w]).Sum(mine, valid);
  if (lane == 0)
    sum[w] = total;
  int p;
  S(s[q]).InclusiveSum(in[threadIdx.x], p);
  scan[threadIdx.x] = p;
  int k[3];
  for (int i = 0; i < 3; ++i)
    k[i] = in[threadIdx.x * 3 + i];
  M(m[q]).Sort(k, Less());
  for (int i = 0; i < 3; ++i)
    sorted[threadIdx.x * 3 + i] = k[i];
}
int main() {
  int n = 320, valid = 251;
  std::vector<int> h(n);
  for (int i = 0; i < n; ++i)
    h[i] = int(unsigned(i) * 2654435761u >> 18);
  int *in = upload(h), *out = upload(std::vector<int>(n, -1));
  sortBlocks<<<1, 64>>>(in, out, valid);
  CHECK(cudaGetLastError());
  auto r = download(out, n);
  std::vector<int> w(h.begin(), h.begin() + valid);
  std::sort(w.begin(), w.end());
  for (int i = 0; i < n; ++i)
    REQUIRE(r[i] == (i < valid ? w[i] : -1));
  int *sum = upload(std::vector<int>(2)), *scan = upload(h), *sorted = upload(h);
  warps<<<1, 64>>>(in, sum, scan, sorted, 21);
  CHECK(cudaGetLastError());
  auto su = download(sum, 2), sc = download(scan, 64), so = download(sorted, 192);
  for (int x = 0; x < 2; ++x) {
    int t = 0;
    for (int i = 0; i < 21; ++i)
      t += h[x * 32 + i];
    REQUIRE(su[x] == t);
  }
  for (int i = 0; i < 64; ++i) {
    int t = 0;
    for (int k = i / 16 * 16; k <= i; ++k)
      t += h[k];
    REQUIRE(sc[i] == t);
  }
  for (int q = 0; q < 4; ++q) {
    std::vector<int> e(h.begin() + q * 48, h.begin() + q * 48 + 48);
    std::sort(e.begin(), e.end());
    for (int i = 0; i < 48; ++i)
      REQUIRE(so[q * 48 + i] == e[i]);
  }
  return passed();
}
