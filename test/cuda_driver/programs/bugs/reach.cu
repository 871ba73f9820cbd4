// Faults of what a pointer reaches, and of values that nobody wrote, one in each. Target: sm_90
// Cases: 21
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../Program.h"
#include "Inline.h"

#include <cooperative_groups.h>
#include <cuda_fp16.h>
#include <mma.h>

namespace cg = cooperative_groups;

struct Row {
  int v[16];
};
__global__ void pastParameter(Row row, const int *in, int *out) {
  out[threadIdx.x] = row.v[in[threadIdx.x]]; // REPORT 0: OutOfBounds
}
__global__ void pastDynamic(const int *in, int *out) {
  extern __shared__ int s[];
  s[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = s[in[threadIdx.x] + 1]; // REPORT 1: OutOfBounds
}
__global__ void __cluster_dims__(2, 1, 1) pastOther(const int *in, int *out) {
  __shared__ int s[64];
  s[threadIdx.x] = in[threadIdx.x];
  auto cluster = cg::this_cluster();
  cluster.sync();
  int *other = cluster.map_shared_rank(s, cluster.block_rank() ^ 1);
  out[threadIdx.x] = other[in[threadIdx.x] + 1]; // REPORT 2: OutOfBounds
  cluster.sync();
}
__global__ void wideStore(int *out) {
  reinterpret_cast<int4 *>(out)[threadIdx.x] = int4{1, 2, 3, 4}; // REPORT 3: OutOfBounds
}
__global__ void copyPast(const int *in, int *out) {
  __shared__ alignas(16) int s[128];
  fetch16(s + threadIdx.x * 4, in + threadIdx.x * 4); // REPORT 4: OutOfBounds
  asm volatile("cp.async.wait_all;");
  out[threadIdx.x] = s[threadIdx.x * 4];
}
__global__ void bulkPast(const int *in, int *out) {
  __shared__ alignas(16) int s[48]; // 64 are copied
  __shared__ uint64_t bar;
  if (threadIdx.x == 0)
    start(bar, 1);
  proxyFence();
  __syncthreads();
  if (threadIdx.x == 0)
    fetch(s, in, bar, 256); // REPORT 5: OutOfBounds
  awaitPhase(bar, 0);
  out[threadIdx.x] = s[threadIdx.x];
}
__global__ void leadingTooLong(const half *in, float *out) {
  using namespace nvcuda;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
  wmma::load_matrix_sync(a, in, 24); // REPORT 6: OutOfBounds
  out[threadIdx.x] = __half2float(a.x[0]);
}
__global__ void bin(const int *in, int *bins) {
  atomicAdd(bins + in[threadIdx.x], 1); // REPORT 7: OutOfBounds
}
__global__ void managed(int *p) {
  p[threadIdx.x + 1] = 1; // REPORT 8: OutOfBounds
}
__global__ void mapped(const int *p, int *out) {
  out[threadIdx.x] = p[threadIdx.x + 1]; // REPORT 9: OutOfBounds
}
__device__ int table[32];
__global__ void before(const int *in) {
  table[in[threadIdx.x] - 1] = 2; // REPORT 10: OutOfBounds
}
__constant__ int fixed[8];
__global__ void writeConstant(int *out) {
  int *p = const_cast<int *>(fixed) + threadIdx.x;
  asm volatile("st.u32 [%0], %1;" ::"l"(p), "r"(1) : "memory"); // REPORT 11: ConstantWritten
  *out = 0;
}
__global__ void notAligned(const int *in, int *out) {
  __shared__ alignas(16) int s[68];
  s[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  if (threadIdx.x < 16) {
    int4 v = *reinterpret_cast<int4 *>(s + threadIdx.x * 3); // REPORT 12: Misaligned
    out[threadIdx.x] = v.x + v.y;
  }
}
__global__ void afterFree(const int *p, int *out) {
  out[threadIdx.x] = p[threadIdx.x]; // REPORT 13: OutOfBounds
}
__global__ void localArray(const int *in, int *out) {
  int mine[8];
  for (int i = 0; i < 7; ++i) // one too few
    mine[i] = in[i];
  out[threadIdx.x] = mine[in[threadIdx.x] & 7] * 3; // REPORT 14: Unwritten
}
__global__ void branchOnHeap(int *out) {
  int *p = static_cast<int *>(malloc(8));
  if (p[1] > 3) // REPORT 15: Unwritten
    out[threadIdx.x] = 1;
  free(p);
}
__global__ void partly(const int *in, int *out) {
  __shared__ int s[32];
  if (threadIdx.x < 31)
    s[threadIdx.x] = in[threadIdx.x];
  __syncwarp();
  int sum = s[31 - threadIdx.x] + 1; // REPORT 16: Unwritten
  out[threadIdx.x] = sum;
}
__global__ void pastRow(const half *in, float *out) {
  __shared__ alignas(16) half s[16 * 16];
  for (int i = threadIdx.x; i < 240; i += 32) // a row too few
    s[i] = in[i];
  __syncwarp();
  using namespace nvcuda;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
  wmma::fill_fragment(c, 0);
  wmma::fill_fragment(b, half(1));
  wmma::load_matrix_sync(a, s, 16); // REPORT 17: Unwritten
  wmma::mma_sync(c, a, b, c);
  wmma::store_matrix_sync(out, c, 16, wmma::mem_row_major);
}
__global__ void otherLocal(const int *in, int *out) {
  __shared__ int *place;
  int mine[4] = {in[threadIdx.x], in[threadIdx.x] + 1, in[1], in[2]};
  if (threadIdx.x == 0)
    place = mine;
  __syncthreads();
  out[threadIdx.x] = place[threadIdx.x & 3]; // REPORT 18: OtherLocal
}
__device__ __noinline__ int *dangling(int v) {
  int mine[4] = {v, v + 1, v + 2, v + 3};
  int *p = mine;
  asm volatile("" : "+l"(p)::"memory");
  return p;
}
__global__ void returned(const int *in, int *out) {
  int *p = dangling(in[threadIdx.x]);
  out[threadIdx.x] = p[in[threadIdx.x] & 3]; // REPORT 19: Unwritten, as the frame has ended
}
__global__ void atomicOnNothing(int *bins, const int *in) {
  atomicAdd(bins + (in[threadIdx.x] & 3), 1); // REPORT 20: Unwritten
}

int main(int, char **arguments) {
  std::vector<int> numbers(64);
  for (int i = 0; i < 64; ++i)
    numbers[i] = i;
  int *in = upload(numbers), *out = upload(std::vector<int>(64));
  int *p = nullptr;
  switch (std::atoi(arguments[1])) {
  case 0: pastParameter<<<1, 17>>>(Row{}, in, out); break;
  case 1: pastDynamic<<<1, 64, 256>>>(in, out); break;
  case 2: pastOther<<<2, 64>>>(in, out); break;
  case 3: wideStore<<<1, 17>>>(out); break;
  case 4: copyPast<<<1, 17>>>(in, out); break;
  case 5: bulkPast<<<1, 32>>>(in, out); break;
  case 6:
    leadingTooLong<<<1, 32>>>(upload(std::vector<half>(256)), upload(std::vector<float>(32)));
    break;
  case 7: bin<<<1, 64>>>(in, upload(std::vector<int>(63))); break;
  case 8:
    CHECK(cudaMallocManaged(&p, 256));
    managed<<<1, 64>>>(p);
    break;
  case 9:
    CHECK(cudaHostAlloc(&p, 256, cudaHostAllocMapped));
    for (int i = 0; i < 64; ++i)
      p[i] = i;
    mapped<<<1, 64>>>(p, out);
    break;
  case 10: before<<<1, 32>>>(in); break;
  case 11: writeConstant<<<1, 1>>>(out); break;
  case 12: notAligned<<<1, 64>>>(in, out); break;
  case 13:
    CHECK(cudaMallocAsync(&p, 256, nullptr));
    CHECK(cudaMemsetAsync(p, 0, 256));
    CHECK(cudaFreeAsync(p, nullptr));
    afterFree<<<1, 64>>>(p, out);
    break;
  case 14: localArray<<<1, 8>>>(in, out); break;
  case 15: branchOnHeap<<<1, 1>>>(out); break;
  case 16: partly<<<1, 32>>>(in, out); break;
  case 17:
    pastRow<<<1, 32>>>(upload(std::vector<half>(256)), upload(std::vector<float>(256)));
    break;
  case 18: otherLocal<<<1, 32>>>(in, out); break;
  case 19: returned<<<1, 32>>>(in, out); break;
  case 20:
    CHECK(cudaMalloc(&p, 16));
    atomicOnNothing<<<1, 32>>>(p, in);
    break;
  default: return 2;
  }
  cudaError_t code = cudaDeviceSynchronize();
  std::printf("%s\n", cudaGetErrorName(code));
}
