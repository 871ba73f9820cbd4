// Misuse of barriers, masks, spaces and copies, one in each. Target: sm_90
// Cases: 30
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../Program.h"
#include "Inline.h"

#include <cooperative_groups.h>
#include <cuda/atomic>

namespace cg = cooperative_groups;

__constant__ int table[8];
__device__ int board[64];

__global__ void pastLocal(const int *in, int *out) {
  int mine[8];
  for (int i = 0; i < 8; ++i)
    mine[i] = in[i] * 3;
  out[threadIdx.x] = mine[in[threadIdx.x]]; // REPORT 0: OutOfBounds
}
__global__ void pastConstant(const int *in, int *out) {
  out[threadIdx.x] = table[in[threadIdx.x]]; // REPORT 1: VariableBounds
}
__global__ void pastVariable(const int *in, int *out) {
  out[threadIdx.x] = board[in[threadIdx.x] + 40]; // REPORT 2: VariableBounds
}
__global__ void voteOfOthers(const int *in, int *out) {
  if (threadIdx.x < 8)
    out[threadIdx.x] = __ballot_sync(~0u, in[threadIdx.x]); // REPORT 3: Deadlock
  else
    __syncwarp();
}
__global__ void notInMask(const int *in, int *out) {
  out[threadIdx.x] = __shfl_sync(0xffff, in[threadIdx.x], 0); // REPORT 4: LaneNotMember
}
__global__ void barrierOfHalf(const int *in, int *out) {
  __shared__ int s[128];
  s[threadIdx.x] = in[threadIdx.x];
  if (threadIdx.x < 64)
    asm volatile("bar.sync 0, 128;" ::: "memory"); // REPORT 5: Deadlock
  out[threadIdx.x] = s[threadIdx.x];
}
__global__ void barrierInBranch(const int *in, int *out) {
  __shared__ int s[32];
  s[threadIdx.x] = in[threadIdx.x];
  if (threadIdx.x % 2)
    __syncthreads(); // REPORT 6: AlignedApart
  else
    __syncthreads(); // REPORT 6: AlignedApart, REPORT 6: Deadlock
  out[threadIdx.x] = s[31 - threadIdx.x];
}
__global__ void tooManyArrivals(int *out) {
  __shared__ uint64_t bar;
  if (threadIdx.x == 0)
    start(bar, 16);
  __syncwarp();
  arriveEarly(bar); // REPORT 7: MbarrierCompletes
  out[threadIdx.x] = 1;
}
__global__ void noMbarrier(int *out) {
  __shared__ uint64_t bar;
  arrive(bar); // REPORT 8: MbarrierNone
  out[threadIdx.x] = 1;
}
__global__ void touched(int *out) {
  __shared__ uint64_t bar;
  if (threadIdx.x == 0)
    start(bar, 32);
  __syncwarp();
  if (threadIdx.x == 3)
    bar = 7; // REPORT 9: MbarrierTouched
  out[threadIdx.x] = 1;
}
__global__ void bytesTooFew(const int *in, int *out) {
  __shared__ alignas(16) int s[64];
  __shared__ uint64_t bar;
  if (threadIdx.x == 0) {
    start(bar, 1);
    proxyFence();
    fetch(s, in, bar, 512);
  }
  __syncwarp();
  awaitPhase(bar, 0); // REPORT 10: Deadlock
  out[threadIdx.x] = s[threadIdx.x];
}
__global__ void wrongParity(const int *in, int *out) {
  __shared__ alignas(16) int s[64];
  __shared__ uint64_t bar;
  if (threadIdx.x == 0) {
    start(bar, 1);
    proxyFence();
    fetch(s, in, bar, 256);
  }
  __syncwarp();
  awaitPhase(bar, 1);
  out[threadIdx.x] = s[threadIdx.x]; // REPORT 11: Race
}
__global__ void __cluster_dims__(2) leftEarly(const int *in, int *out) {
  __shared__ int s[32];
  auto cluster = cg::this_cluster();
  s[threadIdx.x] = in[threadIdx.x];
  cluster.sync();
  int *other = cluster.map_shared_rank(s, 1 - cluster.block_rank());
  out[blockIdx.x * 32 + threadIdx.x] = other[threadIdx.x]; // REPORT 12: BlockEnded
} // REPORT 12: BlockVisited
__global__ void volatileWarp(const int *in, int *out) {
  __shared__ volatile int s[64];
  s[threadIdx.x] = in[threadIdx.x];
  if (threadIdx.x < 32)
    for (int step = 32; step; step /= 2)
      s[threadIdx.x] = s[threadIdx.x] + s[threadIdx.x + step];
  if (threadIdx.x == 0)
    *out = s[0]; // REPORT 13: Unwritten
}
__device__ int lock;
__global__ void unlocked(int *sum) {
  if (threadIdx.x)
    return;
  while (atomicCAS(&lock, 0, 1))
    ;
  *sum += 1; // REPORT 14: Race
  atomicExch(&lock, 0);
}
__global__ void twoBuffers(const int *in, int *out) {
  __shared__ int s[2][64];
  for (int k = 0; k < 4; ++k) {
    s[0][threadIdx.x] = in[k * 64 + threadIdx.x]; // REPORT 15: Race
    __syncthreads();
    out[k * 64 + threadIdx.x] = s[0][63 - threadIdx.x]; // REPORT 15: Race
  }
}
__global__ void storeAgain(int *out) {
  __shared__ alignas(16) int s[64];
  for (int k = 0; k < 2; ++k) {
    s[threadIdx.x] = k; // REPORT 16: Race
    proxyFence();
    __syncthreads();
    if (threadIdx.x == 0)
      send(out + k * 64, s); // REPORT 16: Race
  }
  asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}
__global__ void twiceFreed(int *out) {
  int *p = static_cast<int *>(malloc(64));
  *out = p != nullptr;
  free(p);
  free(p); // REPORT 17: HeapFree
}
__global__ void oddCopy(const int *in, int *out) {
  __shared__ alignas(16) int s[64];
  fetch16(s + threadIdx.x, in + threadIdx.x * 4); // REPORT 18: Misaligned
  asm volatile("cp.async.wait_all;");
  out[threadIdx.x] = s[threadIdx.x];
}
__global__ void rowsOutside(const int *in, int *out) {
  __shared__ alignas(16) int s[32];
  s[threadIdx.x] = in[threadIdx.x];
  __syncwarp();
  const char *row = reinterpret_cast<const char *>(s) + threadIdx.x % 16 * 16;
  out[threadIdx.x] = rows(row); // REPORT 19: OutOfBounds
}
__global__ void noGridSync(int *data, int *out) {
  auto grid = cg::this_grid();
  data[grid.thread_rank()] = 1; // REPORT 20: Race
  __syncthreads();
  out[grid.thread_rank()] = data[grid.size() - 1 - grid.thread_rank()]; // REPORT 20: Race
}
__global__ void publish(int *data, int *flag, int *out) {
  if (blockIdx.x == 0) {
    data[0] = 42;
    *(volatile int *)flag = 1; // __threadfence() is missing
  } else {
    while (*(volatile int *)flag == 0)
      ;
    __threadfence();
    out[0] = data[0]; // REPORT 21: Race
  }
}
__global__ void plainCounter(int *count) {
  *count = *count + 1; // REPORT 22: Race
}
__global__ void atomicAndPlain(int *count, int *out) {
  atomicAdd(count, 1); // REPORT 23: Race
  if (threadIdx.x == 0)
    out[blockIdx.x] = *count; // REPORT 23: Race
}
__global__ void nullStruct(int **list) {
  *list[threadIdx.x] = 1; // REPORT 25: OutOfBounds
}
__global__ void namedBarriers(const int *in, int *out) {
  __shared__ int s[64];
  if (threadIdx.x < 32) {
    s[threadIdx.x] = in[threadIdx.x];
    asm volatile("bar.arrive 1, 64;" ::: "memory");
  } else {
    asm volatile("bar.sync 2, 32;" ::: "memory");
    out[threadIdx.x] = s[threadIdx.x - 32]; // REPORT 26: Race
    asm volatile("bar.sync 1, 64;" ::: "memory");
  }
}
__global__ void noReturn(const int *in, int *out) {
  if (in[threadIdx.x] > 1000) // never
    out[0] = 1;
  __shared__ int s[32];
  s[threadIdx.x] = in[threadIdx.x];
  int sum = 0;
  for (int i = 0; i < 32; ++i)
    sum += s[i]; // REPORT 27: Race
  out[threadIdx.x] = sum;
}
__global__ void reduceMask(const int *in, int *out) {
  if (threadIdx.x < 16)
    out[threadIdx.x] = __reduce_add_sync(0xff, in[threadIdx.x]); // REPORT 28: LaneNotMember
}
__global__ void relaxedFlag(int *data, int *flag, int *out) {
  cuda::atomic_ref<int, cuda::thread_scope_device> ready(*flag);
  if (blockIdx.x == 0) {
    *data = 42;
    ready.store(1, cuda::memory_order_relaxed);
  } else {
    while (!ready.load(cuda::memory_order_acquire)) {
    }
    *out = *data; // REPORT 29: Race
  }
}
__global__ void wholeWarp(const int *in, int *out) {
  __shared__ int s[2];
  int v = in[threadIdx.x];
  for (int d = 16; d; d /= 2)
    v += __shfl_down_sync(~0u, v, d);
  if (threadIdx.x % 32 == 0)
    s[threadIdx.x / 32] = v; // REPORT 24: Race
  if (threadIdx.x == 0)      // __syncthreads() is missing
    *out = s[0] + s[1];      // REPORT 24: Unwritten
}

int main(int, char **arguments) {
  std::vector<int> numbers(256);
  for (int i = 0; i < 256; ++i)
    numbers[i] = i;
  int *in = upload(numbers), *out = upload(std::vector<int>(1024)),
      *flag = upload(std::vector<int>(1)), *data = upload(std::vector<int>(256));
  switch (std::atoi(arguments[1])) {
  case 0: pastLocal<<<1, 32>>>(in, out); break;
  case 1: pastConstant<<<1, 32>>>(in, out); break;
  case 2: pastVariable<<<1, 32>>>(in, out); break;
  case 3: voteOfOthers<<<1, 32>>>(in, out); break;
  case 4: notInMask<<<1, 32>>>(in, out); break;
  case 5: barrierOfHalf<<<1, 128>>>(in, out); break;
  case 6: barrierInBranch<<<1, 32>>>(in, out); break;
  case 7: tooManyArrivals<<<1, 32>>>(out); break;
  case 8: noMbarrier<<<1, 32>>>(out); break;
  case 9: touched<<<1, 32>>>(out); break;
  case 10: bytesTooFew<<<1, 32>>>(in, out); break;
  case 11: wrongParity<<<1, 32>>>(in, out); break;
  case 12: leftEarly<<<2, 32>>>(in, out); break;
  case 13: volatileWarp<<<1, 64>>>(in, out); break;
  case 14: unlocked<<<4, 32>>>(out); break;
  case 15: twoBuffers<<<1, 64>>>(in, out); break;
  case 16: storeAgain<<<1, 64>>>(out); break;
  case 17: twiceFreed<<<1, 1>>>(out); break;
  case 18: oddCopy<<<1, 8>>>(in, out); break;
  case 19: rowsOutside<<<1, 32>>>(in, out); break;
  case 20: noGridSync<<<2, 64>>>(data, out); break;
  case 21: publish<<<2, 1>>>(data, flag, out); break;
  case 22: plainCounter<<<2, 32>>>(data); break;
  case 23: atomicAndPlain<<<2, 32>>>(data, out); break;
  case 25: nullStruct<<<1, 1>>>(reinterpret_cast<int **>(data)); break;
  case 26: namedBarriers<<<1, 64>>>(in, out); break;
  case 27: noReturn<<<1, 32>>>(in, out); break;
  case 28: reduceMask<<<1, 32>>>(in, out); break;
  case 29: relaxedFlag<<<2, 1>>>(data, flag, out); break;
  case 24: wholeWarp<<<1, 64>>>(in, out); break;
  }
  return passed();
}
