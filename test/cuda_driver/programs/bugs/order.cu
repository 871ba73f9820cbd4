// Faults of fences, scopes, atomics, groups of copies and programmatic launches. Target: sm_90
// Cases: 27
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../Program.h"
#include "Inline.h"

#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/atomic>
#include <cuda/pipeline>

namespace cg = cooperative_groups;

// Two threads of a block, or two blocks, where `first` says which one this is.
__global__ void counterIsNoOrder(int *data, int *count, int *out) {
  data[blockIdx.x] = 7;
  atomicAdd(count, 1); // relaxed: the barrier of the grid that is meant has no fences
  while (atomicAdd(count, 0) < 2)
    ;
  out[blockIdx.x] = data[blockIdx.x ^ 1]; // REPORT 0: Race
}
__global__ void counterInShared(const int *in, int *out) {
  __shared__ int s[64], count;
  if (threadIdx.x == 0)
    count = 0;
  __syncthreads();
  s[threadIdx.x] = in[threadIdx.x];
  atomicAdd(&count, 1);
  while (atomicAdd(&count, 0) < 64)
    ;
  out[threadIdx.x] = s[63 - threadIdx.x]; // REPORT 1: Race
}
__global__ void fenceOfBlock(int *data, int *flag, int *out) {
  if (blockIdx.x == 0) {
    *data = 42;
    __threadfence_block(); // __threadfence() is meant
    atomicExch(flag, 1);
  } else {
    while (atomicAdd(flag, 0) == 0)
      ;
    __threadfence();
    *out = *data; // REPORT 2: Race
  }
}
__global__ void fenceOfReader(int *data, int *flag, int *out) {
  if (blockIdx.x == 0) {
    *data = 42;
    __threadfence();
    atomicExch(flag, 1);
  } else {
    while (atomicAdd(flag, 0) == 0)
      ;
    *out = *data; // REPORT 3: Race
  }
}
__global__ void fenceAfterFlag(int *data, int *flag, int *out) {
  cuda::atomic_ref<int, cuda::thread_scope_device> ready(*flag);
  if (blockIdx.x == 0) {
    *data = 42;
    ready.store(1, cuda::memory_order_relaxed);
    __threadfence(); // after it is too late
  } else {
    while (!ready.load(cuda::memory_order_acquire))
      ;
    *out = *data; // REPORT 4: Race
  }
}
__global__ void atomicsOfBlocks(int *count) {
  atomicAdd_block(count, 1); // REPORT 5: NarrowScope
}
__global__ void resetBeside(int *count, int *out) {
  if (threadIdx.x == 0)
    *count = 0;
  out[threadIdx.x] = atomicAdd(count, 1); // REPORT 6: Race
}
__global__ void bytesBeside(char *text, int *out) {
  if (threadIdx.x % 4 == 0)
    reinterpret_cast<int *>(text)[threadIdx.x / 4] = 0;
  text[threadIdx.x] = char(threadIdx.x); // REPORT 7: Race
  out[threadIdx.x] = 0;
}
struct Bits {
  unsigned a : 4, b : 4;
};
__global__ void bitsBeside(Bits *bits) {
  if (threadIdx.x == 0)
    bits->a = 3;
  else
    bits->b = 5; // no line: nvcc makes one access of both; REPORT 8 has none: Race
}
__global__ void waitForOne(const int *in, int *out) {
  __shared__ alignas(16) int s[2][128];
  fetch16(s[0] + threadIdx.x * 4, in + threadIdx.x * 4);
  asm volatile("cp.async.commit_group;");
  fetch16(s[1] + threadIdx.x * 4, in + threadIdx.x * 4);
  asm volatile("cp.async.commit_group;");
  asm volatile("cp.async.wait_group 1;" ::: "memory");              // 0 is meant
  out[threadIdx.x] = s[0][threadIdx.x * 4] + s[1][threadIdx.x * 4]; // REPORT 9: Race
}
__global__ void waitForOwn(const int *in, int *out) {
  __shared__ alignas(16) int s[256];
  fetch16(s + threadIdx.x * 4, in + threadIdx.x * 4);
  asm volatile("cp.async.wait_all;" ::: "memory"); // of this thread's copies only
  out[threadIdx.x] = s[threadIdx.x];               // REPORT 10: Race
}
__global__ void noExpected(const int *in, int *out) {
  __shared__ alignas(16) int s[64];
  __shared__ uint64_t bar;
  if (threadIdx.x == 0)
    start(bar, 1);
  proxyFence();
  __syncthreads();
  if (threadIdx.x == 0) {
    arrive(bar); // arrive.expect_tx is meant
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], "
                 "256, [%2];" ::"r"(shared32(s)),
                 "l"(in), "r"(shared32(&bar))
                 : "memory");
  }
  awaitPhase(bar, 0);
  out[threadIdx.x] = s[threadIdx.x]; // REPORT 11: Race
}
__global__ void bulkIntoOther(const int *in, int *out) {
  __shared__ alignas(16) int s[64];
  __shared__ uint64_t bar;
  if (threadIdx.x == 0)
    start(bar, 1);
  proxyFence();
  __syncthreads();
  if (threadIdx.x == 0)
    fetch(s, in, bar, 256);
  __syncthreads();                   // does not wait for the copy
  out[threadIdx.x] = s[threadIdx.x]; // REPORT 12: Race
  awaitPhase(bar, 0);
}
__global__ void __cluster_dims__(2, 1, 1) noClusterSync(const int *in, int *out) {
  __shared__ int s[64];
  auto cluster = cg::this_cluster();
  s[threadIdx.x] = in[threadIdx.x];                                      // REPORT 13: Race
  __syncthreads();                                                       // cluster.sync() is meant
  out[threadIdx.x] =                                                     // REPORT 13: Race
      cluster.map_shared_rank(s, cluster.block_rank() ^ 1)[threadIdx.x]; // REPORT 13: Race
  cluster.sync();
}
__global__ void __cluster_dims__(2, 1, 1) relaxedCluster(const int *in, int *out) {
  __shared__ int s[64];
  auto cluster = cg::this_cluster();
  s[threadIdx.x] = in[threadIdx.x];
  asm volatile("barrier.cluster.arrive.relaxed;\nbarrier.cluster.wait;" ::: "memory");
  int *other = cluster.map_shared_rank(s, cluster.block_rank() ^ 1);
  out[blockIdx.x * 64 + threadIdx.x] = other[threadIdx.x]; // REPORT 14: Race
  cluster.sync();
}
__global__ void arriveBefore(const int *in, int *out) {
  __shared__ int s[32];
  if (threadIdx.x < 32) {
    asm volatile("bar.arrive 1, 64;" ::: "memory"); // the store has to come first
    s[threadIdx.x] = in[threadIdx.x];
  } else {
    asm volatile("bar.sync 1, 64;" ::: "memory");
    out[threadIdx.x] = s[threadIdx.x - 32]; // REPORT 15: Race
  }
}
__global__ void arrivalsTooFew(const int *in, int *out) {
  __shared__ int s[64];
  __shared__ uint64_t bar;
  if (threadIdx.x == 0)
    start(bar, 32); // 64 arrive
  __syncthreads();
  s[threadIdx.x] = in[threadIdx.x]; // REPORT 16: Race
  arrive(bar);
  awaitPhase(bar, 0);                     // REPORT 16: Deadlock, as two phases end
  out[threadIdx.x] = s[63 - threadIdx.x]; // REPORT 16: Unwritten
}
__global__ void waitPrior(const int *in, int *out) {
  __shared__ alignas(16) int s[2][64];
  auto block = cg::this_thread_block();
  cg::memcpy_async(block, s[0], in, 256);
  cg::memcpy_async(block, s[1], in + 64, 256); // REPORT 17: Race
  cg::wait_prior<1>(block);
  out[threadIdx.x] = s[0][threadIdx.x] + s[1][63 - threadIdx.x]; // REPORT 17: Race
  cg::wait(block);
}
__global__ void lockWithoutFence(int *lock, int *sum) {
  while (atomicCAS(lock, 0, 1))
    ;
  *sum += 1; // REPORT 18: Race
  atomicExch(lock, 0);
}
__global__ void volatileFlag(const int *in, int *out) {
  __shared__ int s;
  __shared__ volatile int ready;
  if (threadIdx.x == 0)
    ready = 0;
  __syncthreads();
  if (threadIdx.x == 32) {
    s = in[5];
    ready = 1; // no fence
  }
  if (threadIdx.x == 0) {
    while (!ready)
      ;
    *out = s; // REPORT 19: Race
  }
}
__global__ void first(int *data) {
  asm volatile("griddepcontrol.launch_dependents;");
  data[threadIdx.x] = 1;
}
__global__ void second(const int *data, int *out) {
  out[threadIdx.x] = data[threadIdx.x]; // REPORT 20 26: StreamRace
  asm volatile("griddepcontrol.wait;" ::: "memory");
}
__global__ void secondWaits(const int *data, int *out) {
  if (threadIdx.x == 0)
    asm volatile("griddepcontrol.wait;" ::: "memory");
  if (threadIdx.x >= 32)                  // whom no barrier tells
    out[threadIdx.x] = data[threadIdx.x]; // REPORT 21: StreamRace
}
__device__ void keep40() {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL                       // nvcc compiles for sm_90 too
  asm volatile("setmaxnreg.dec.sync.aligned.u32 40;"); // REPORT 22: RegistersApart
#endif
}
__device__ void keep48() {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  asm volatile("setmaxnreg.dec.sync.aligned.u32 48;"); // REPORT 23: RegistersDiffer
#endif
}
__global__ void registersOfHalf(int *out) {
  if (threadIdx.x < 64)
    keep40();
  out[threadIdx.x] = 1;
}
__global__ void registersDiffer(int *out) {
  if (threadIdx.x < 64)
    keep40();
  else
    keep48();
  out[threadIdx.x] = 1;
}
__global__ void reducesBeside(int *sum, int *out) {
  asm volatile("red.relaxed.gpu.global.add.u32 [%0], 1;" ::"l"(sum) : "memory");
  __syncwarp();
  if (threadIdx.x == 64)
    *out = *sum; // REPORT 24: Race
}
__global__ void lastBlockReads(const int *in, int *sums, unsigned *done, int *out) {
  if (threadIdx.x == 0) {
    sums[blockIdx.x] = in[blockIdx.x];
    __threadfence();
    if (atomicInc(done, gridDim.x) == gridDim.x - 1) { // no fence after it
      int sum = 0;
      for (unsigned i = 0; i < gridDim.x; ++i)
        sum += sums[i]; // REPORT 25: Race
      *out = sum;
    }
  }
}

int main(int, char **arguments) {
  std::vector<int> numbers(1024);
  for (int i = 0; i < 1024; ++i)
    numbers[i] = i;
  int *in = upload(numbers), *out = upload(std::vector<int>(1024)),
      *flag = upload(std::vector<int>(1)), *data = upload(std::vector<int>(256));
  auto programmatic = [&](auto kernel, cudaStream_t stream = nullptr) {
    first<<<1, 64, 0, stream>>>(data);
    cudaLaunchAttribute attribute{};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(1);
    config.blockDim = dim3(64);
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = 1;
    CHECK(cudaLaunchKernelEx(&config, kernel, static_cast<const int *>(data), out));
  };
  switch (std::atoi(arguments[1])) {
  case 0: counterIsNoOrder<<<2, 1>>>(data, flag, out); break;
  case 1: counterInShared<<<1, 64>>>(in, out); break;
  case 2: fenceOfBlock<<<2, 1>>>(data, flag, out); break;
  case 3: fenceOfReader<<<2, 1>>>(data, flag, out); break;
  case 4: fenceAfterFlag<<<2, 1>>>(data, flag, out); break;
  case 5: atomicsOfBlocks<<<2, 32>>>(flag); break;
  case 6: resetBeside<<<1, 64>>>(flag, out); break;
  case 7: bytesBeside<<<1, 64>>>(reinterpret_cast<char *>(data), out); break;
  case 8: bitsBeside<<<1, 2>>>(reinterpret_cast<Bits *>(data)); break;
  case 9: waitForOne<<<1, 32>>>(in, out); break;
  case 10: waitForOwn<<<1, 64>>>(in, out); break;
  case 11: noExpected<<<1, 64>>>(in, out); break;
  case 12: bulkIntoOther<<<1, 64>>>(in, out); break;
  case 13: noClusterSync<<<2, 64>>>(in, out); break;
  case 14: relaxedCluster<<<2, 64>>>(in, out); break;
  case 15: arriveBefore<<<1, 64>>>(in, out); break;
  case 16: arrivalsTooFew<<<1, 64>>>(in, out); break;
  case 17: waitPrior<<<1, 64>>>(in, out); break;
  case 18: lockWithoutFence<<<4, 1>>>(flag, out); break;
  case 19: volatileFlag<<<1, 64>>>(in, out); break;
  case 20: programmatic(second); break;
  case 21: programmatic(secondWaits); break;
  case 22: registersOfHalf<<<1, 128>>>(out); break;
  case 23: registersDiffer<<<1, 128>>>(out); break;
  case 24: reducesBeside<<<1, 96>>>(flag, out); break;
  case 25: lastBlockReads<<<4, 32>>>(in, data, reinterpret_cast<unsigned *>(flag), out); break;
  case 26: {
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    programmatic(second, stream);
    cudaGraph_t graph;
    CHECK(cudaStreamEndCapture(stream, &graph));
    cudaGraphExec_t executable;
    CHECK(cudaGraphInstantiate(&executable, graph, 0));
    CHECK(cudaGraphLaunch(executable, stream));
    break;
  }
  default: return 2;
  }
  cudaError_t code = cudaDeviceSynchronize();
  std::printf("%s\n", cudaGetErrorName(code));
}
