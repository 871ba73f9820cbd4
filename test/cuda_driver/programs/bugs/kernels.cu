// Faults of kernels in many styles, one in each. Target: sm_90
// Cases: 20
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../Program.h"

#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/ptx>
#include <cuda_fp16.h>
#include <mma.h>

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

__global__ void sumOfBlock(const int *in, int *out) {
  __shared__ int s[128];
  s[threadIdx.x] = in[threadIdx.x];      // REPORT 0: Race
  for (int step = 64; step; step /= 2) { // the barrier is missing
    if (threadIdx.x < step)
      s[threadIdx.x] += s[threadIdx.x + step]; // REPORT 0: Race
  }
  if (threadIdx.x == 0)
    *out = s[0]; // REPORT 0: Unwritten, as the sum has what was not there yet
}
__global__ void turnInTile(const int *in, int *out) {
  __shared__ int s[128];
  auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  int first = threadIdx.x / 16 * 16;
  s[threadIdx.x] = in[threadIdx.x];                      // tile.sync() is missing
  out[threadIdx.x] = s[first + 15 - tile.thread_rank()]; // REPORT 1: Race
}
__global__ void asyncCopy(const int *in, int *out) {
  __shared__ alignas(16) int s[128];
  auto to = unsigned(__cvta_generic_to_shared(s + threadIdx.x));
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(in + threadIdx.x));
  asm volatile("cp.async.commit_group;");
  __syncthreads();                   // the wait is missing
  out[threadIdx.x] = s[threadIdx.x]; // REPORT 2: Race
  asm volatile("cp.async.wait_all;");
}
__global__ void __cluster_dims__(2) toNeighbour(const int *in, int *out) {
  __shared__ int s[128];
  cg::cluster_group cluster = cg::this_cluster();
  cluster.sync();
  *cluster.map_shared_rank(s + threadIdx.x, 1 - cluster.block_rank()) = in[threadIdx.x];
  __syncthreads();                   // of the block only
  out[threadIdx.x] = s[threadIdx.x]; // REPORT 3: Race
  cluster.sync();
}
__global__ void pastEnd(const int *in, int *out, int count) {
  int i = threadIdx.x;
  if (i <= count)
    out[i % 4] = in[i]; // REPORT 4: OutOfBounds
}
__global__ void afterFree(const int *in, int *out) {
  out[threadIdx.x] = in[threadIdx.x]; // REPORT 5: OutOfBounds
}
__global__ void unwritten(const int *in, int *out) {
  int value = in[threadIdx.x]; // REPORT 6: Unwritten
  out[threadIdx.x] = value > 0 ? value * 3 : 1;
}
__global__ void flagOfBlock(int *data, int *flag, int *out) {
  cuda::atomic_ref<int, cuda::thread_scope_block> ready(*flag); // between blocks
  if (blockIdx.x == 0) {
    *data = 42;
    ready.store(1, cuda::memory_order_release); // MAYBE 7: NarrowScope
  } else {
    while (!ready.load(cuda::memory_order_acquire)) { // REPORT 7: NarrowScope
    }
    *out = *data; // REPORT 7: Race
  }
}
__global__ void stages(const int *in, int *out) {
  using Barrier = cuda::barrier<cuda::thread_scope_block>;
  __shared__ int s[64];
  __shared__ Barrier full;
  if (threadIdx.x == 0)
    init(&full, 128);
  __syncthreads();
  for (int k = 0; k < 3; ++k)
    if (threadIdx.x < 64) {
      s[threadIdx.x] = in[threadIdx.x] + k;
      (void)full.arrive(); // does not wait for the consumers, and so ends phases alone
    } else {
      full.arrive_and_wait(); // REPORT 8: Deadlock
      out[threadIdx.x - 64] = s[127 - threadIdx.x];
    }
}
__global__ void fragments(const half *in, float *out) {
  namespace wmma = nvcuda::wmma;
  __shared__ alignas(32) half s[256];
  for (int i = threadIdx.x; i < 256; i += 32)
    s[i] = in[i]; // __syncwarp() is missing
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
  wmma::fill_fragment(c, 0.0f);
  wmma::load_matrix_sync(a, s, 16);
  wmma::load_matrix_sync(b, s, 16); // REPORT 9: Race
  wmma::mma_sync(c, a, b, c);
  wmma::store_matrix_sync(out, c, 16, wmma::mem_row_major);
}
__global__ void bulkStore(const int *in, int *out) {
  __shared__ alignas(128) int s[128];
  s[threadIdx.x] = in[threadIdx.x]; // fence.proxy.async is missing
  __syncthreads();
  if (threadIdx.x == 0) {
    const auto to = ptx::space_global;
    ptx::cp_async_bulk(to, ptx::space_shared, out, s, sizeof s); // REPORT 10: ProxyFence
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
  }
}
__global__ void dynamicShared(const int *in, int *out) {
  extern __shared__ int s[];
  s[threadIdx.x + 1] = in[threadIdx.x]; // REPORT 11: OutOfBounds
  __syncthreads();
  out[threadIdx.x] = s[threadIdx.x];
}
__global__ void misaligned(const int *in, int *out) {
  int2 both = *reinterpret_cast<const int2 *>(in + threadIdx.x); // REPORT 12: Misaligned
  out[threadIdx.x] = both.x + both.y;
}
__device__ unsigned arrived;
__global__ void lastBlock(const int *in, int *sums, int *out) {
  __shared__ bool isLast;
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  int sum = cg::reduce(warp, in[blockIdx.x * 32 + threadIdx.x], cg::plus<int>());
  if (threadIdx.x == 0) {
    sums[blockIdx.x] = sum; // __threadfence() is missing
    isLast = atomicAdd(&arrived, 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (isLast && threadIdx.x == 0)
    for (unsigned i = 0; i < gridDim.x; ++i)
      *out += sums[i]; // REPORT 13: Race
}
__global__ void heap(int *out) {
  int *p = static_cast<int *>(malloc(16));
  p[0] = 3;
  free(p);
  out[threadIdx.x] = p[0]; // REPORT 14: HeapBounds
}
__global__ void sharedUnwritten(const int *in, int *out) {
  __shared__ int s[128];
  if (threadIdx.x < 100)
    s[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = s[threadIdx.x] + 1; // REPORT 15: Unwritten
}
__global__ void shuffles(const int *in, int *out) {
  int value = in[threadIdx.x];
  if (threadIdx.x < 16)
    value += __shfl_sync(0xffff, value, threadIdx.x + 16); // REPORT 16: ShuffledFrom
  out[threadIdx.x] = value;
}
__global__ void groupCopy(const int *in, int *out) {
  __shared__ alignas(16) int s[128];
  auto block = cg::this_thread_block();
  cg::memcpy_async(block, s, in, sizeof s); // REPORT 17: Race; cg::wait() is missing
  block.sync();
  out[threadIdx.x] = s[127 - threadIdx.x]; // REPORT 17: Race
  cg::wait(block);
}
__global__ void pipelined(const int *in, int *out) {
  __shared__ alignas(16) int s[2][128];
  cuda::pipeline<cuda::thread_scope_thread> pipe = cuda::make_pipeline();
  for (int k = 0; k < 2; ++k) {
    pipe.producer_acquire();
    cuda::memcpy_async(&s[k][threadIdx.x], in + k * 128 + threadIdx.x, 4, pipe);
    pipe.producer_commit();
  }
  for (int k = 0; k < 2; ++k) {
    cuda::pipeline_consumer_wait_prior<1>(pipe);    // of the last stage too few
    out[k * 128 + threadIdx.x] = s[k][threadIdx.x]; // REPORT 18: Race
  }
  cuda::pipeline_consumer_wait_prior<0>(pipe);
}
__device__ int recursive(int n, const int *in) {
  if (n == 0)
    return in[1000]; // REPORT 19: OutOfBounds
  return recursive(n - 1, in) + n;
}
__global__ void calls(const int *in, int *out) { *out = recursive(3, in); }

int main(int, char **arguments) {
  std::vector<int> numbers(256);
  for (int i = 0; i < 256; ++i)
    numbers[i] = i;
  int *in = upload(numbers), *out = upload(std::vector<int>(512)),
      *few = upload(std::vector<int>(8));
  int *flag = upload(std::vector<int>{0}), *data = upload(std::vector<int>{0}), *nothing = nullptr;
  CHECK(cudaMalloc(&nothing, 1024));
  half *halves = upload(std::vector<half>(256, __float2half(1)));
  switch (std::atoi(arguments[1])) {
  case 0: sumOfBlock<<<1, 128>>>(in, out); break;
  case 1: turnInTile<<<1, 128>>>(in, out); break;
  case 2: asyncCopy<<<1, 128>>>(in, out); break;
  case 3: toNeighbour<<<2, 128>>>(in, out); break;
  case 4: pastEnd<<<1, 32>>>(few, out, 8); break;
  case 5:
    CHECK(cudaFree(few));
    afterFree<<<1, 8>>>(few, out);
    break;
  case 6: unwritten<<<1, 32>>>(nothing, out); break;
  case 7: flagOfBlock<<<2, 1>>>(data, flag, out); break;
  case 8: stages<<<1, 128>>>(in, out); break;
  case 9: fragments<<<1, 32>>>(halves, reinterpret_cast<float *>(out)); break;
  case 10: bulkStore<<<1, 128>>>(in, out); break;
  case 11: dynamicShared<<<1, 128, 512>>>(in, out); break;
  case 12: misaligned<<<1, 32>>>(in, out); break;
  case 13: lastBlock<<<4, 32>>>(in, few, out); break;
  case 14: heap<<<1, 1>>>(out); break;
  case 15: sharedUnwritten<<<1, 128>>>(in, out); break;
  case 16: shuffles<<<1, 32>>>(in, out); break;
  case 17: groupCopy<<<1, 128>>>(in, out); break;
  case 18: pipelined<<<1, 128>>>(in, out); break;
  case 19: calls<<<1, 1>>>(in, out); break;
  }
  return passed();
}
