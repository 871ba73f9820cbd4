// What graphs hold: objects of the program, which end with the last graph, and memory of nodes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Program.h"

#include <atomic>
#include <chrono>
#include <thread>

static std::atomic<int> ended;
static void end(void *number) { ended += *static_cast<int *>(number); }
/// A driver may call `end` a little later.
static bool hasEnded(int sum) {
  for (int i = 0; i < 200 && ended != sum; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  return ended == sum;
}
__global__ void nothing() {}
__global__ void fill(int *p, int value) { p[threadIdx.x] = value; }
__global__ void increment(int *out, const int *in) { out[threadIdx.x] = in[threadIdx.x] + 1; }

static void objects() {
  int one = 1, ten = 10;
  cudaUserObject_t moved, kept;
  CHECK(cudaUserObjectCreate(&moved, &one, end, 1, cudaUserObjectNoDestructorSync));
  CHECK(cudaUserObjectCreate(&kept, &ten, end, 2, cudaUserObjectNoDestructorSync));
  cudaGraph_t graph, copy;
  CHECK(cudaGraphCreate(&graph, 0));
  CHECK(cudaGraphRetainUserObject(graph, moved, 1, cudaGraphUserObjectMove));
  CHECK(cudaGraphRetainUserObject(graph, kept, 1, 0));
  CHECK(cudaUserObjectRelease(kept, 2));
  REQUIRE(cudaGraphRetainUserObject(graph, kept, 0, 0) == cudaErrorInvalidValue);
  cudaKernelNodeParams kernel{};
  kernel.func = reinterpret_cast<void *>(nothing);
  kernel.gridDim = kernel.blockDim = dim3(1);
  cudaGraphNode_t node;
  CHECK(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &kernel));
  cudaGraphExec_t executable;
  CHECK(cudaGraphInstantiate(&executable, graph, 0));
  CHECK(cudaGraphClone(&copy, graph));
  CHECK(cudaGraphReleaseUserObject(graph, kept, 1));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaGraphLaunch(executable, nullptr));
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaGraphExecDestroy(executable));
  REQUIRE(ended == 0); // the copy holds both
  CHECK(cudaGraphDestroy(copy));
  REQUIRE(hasEnded(11));
}

static size_t amount(cudaGraphMemAttributeType which) {
  size_t out = 1;
  CHECK(cudaDeviceGetGraphMemAttribute(0, which, &out));
  return out;
}
static void memory() {
  constexpr int size = 64;
  int *out = nullptr, *between = nullptr;
  CHECK(cudaMalloc(&out, sizeof(int) * size));
  REQUIRE(amount(cudaGraphMemAttrUsedMemCurrent) == 0);
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  CHECK(cudaMallocAsync(&between, sizeof(int) * size, stream));
  fill<<<1, size, 0, stream>>>(between, 41);
  increment<<<1, size, 0, stream>>>(out, between);
  CHECK(cudaFreeAsync(between, stream));
  cudaGraph_t graph;
  CHECK(cudaStreamEndCapture(stream, &graph));
  cudaGraphExec_t executable;
  CHECK(cudaGraphInstantiate(&executable, graph, 0));
  for (int i = 0; i < 3; ++i)
    CHECK(cudaGraphLaunch(executable, stream));
  CHECK(cudaStreamSynchronize(stream));
  REQUIRE(download(out, size) == std::vector<int>(size, 42));
  // An H200 takes 32 MiB, and counts them as used until they are trimmed.
  for (auto which : {cudaGraphMemAttrUsedMemCurrent, cudaGraphMemAttrUsedMemHigh,
                     cudaGraphMemAttrReservedMemCurrent, cudaGraphMemAttrReservedMemHigh})
    REQUIRE(amount(which) == size_t(32) << 20);
  size_t zero = 0;
  CHECK(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &zero));
  REQUIRE(amount(cudaGraphMemAttrUsedMemHigh) == 0);
  CHECK(cudaGraphExecDestroy(executable));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaDeviceGraphMemTrim(0));
  REQUIRE(amount(cudaGraphMemAttrUsedMemCurrent) == 0);
  REQUIRE(amount(cudaGraphMemAttrReservedMemCurrent) == 0);
}

int main() {
  objects();
  memory();
  return passed();
}
