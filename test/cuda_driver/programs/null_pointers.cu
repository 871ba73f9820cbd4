// Null pointers where the runtime expects something: an error, and the program goes on.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Program.h"

#define REFUSES(call)                                                                              \
  do {                                                                                             \
    REQUIRE((call) == cudaErrorInvalidValue);                                                      \
    REQUIRE(cudaGetLastError() == cudaErrorInvalidValue);                                          \
  } while (false)

__global__ void one(int *x) { *x = 1; }

int main() {
  int *x = upload(std::vector<int>{0});
  cudaGraph_t graph;
  CHECK(cudaGraphCreate(&graph, 0));
  cudaGraphNode_t node;
  REFUSES(cudaGraphAddKernelNode(&node, graph, nullptr, 0, nullptr));
  REFUSES(cudaGraphAddMemcpyNode(&node, graph, nullptr, 0, nullptr));
  REFUSES(cudaGraphAddMemsetNode(&node, graph, nullptr, 0, nullptr));
  REFUSES(cudaGraphAddHostNode(&node, graph, nullptr, 0, nullptr));
  REFUSES(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, nullptr));
  cudaKernelNodeParams kernel{};
  void *arguments[] = {&x};
  kernel.func = reinterpret_cast<void *>(one);
  kernel.gridDim = kernel.blockDim = dim3(1);
  kernel.kernelParams = arguments;
  CHECK(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &kernel));
  REFUSES(cudaGraphKernelNodeSetParams(node, nullptr));
  REFUSES(cudaGraphKernelNodeGetParams(node, nullptr));
  REFUSES(cudaGraphGetNodes(graph, nullptr, nullptr));
  REFUSES(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, nullptr));
  REFUSES(cudaGraphNodeGetType(node, nullptr));
  cudaGraphExec_t executable;
  REFUSES(cudaGraphInstantiateWithParams(&executable, graph, nullptr));
  CHECK(cudaGraphInstantiate(&executable, graph, 0));
  REFUSES(cudaGraphExecKernelNodeSetParams(executable, node, nullptr));
  REFUSES(cudaMemcpy3D(nullptr));
  REFUSES(cudaMemcpy3DAsync(nullptr));
  REFUSES(cudaMalloc3D(nullptr, make_cudaExtent(4, 4, 4)));
  REFUSES(cudaStreamIsCapturing(nullptr, nullptr));
  CHECK(cudaMemset3D(make_cudaPitchedPtr(x, 0, 0, 0), 0, make_cudaExtent(0, 1, size_t(1) << 40)));
  CHECK(cudaGraphLaunch(executable, nullptr));
  REQUIRE(download(x, 1)[0] == 1);
  return passed();
}
