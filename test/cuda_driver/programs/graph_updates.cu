// An executable graph that takes over another graph; nodes that are found, switched off and copied.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Program.h"

__global__ void axpy(int n, float a, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] += a * x[i];
}
__global__ void scale(int n, float a, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] *= a;
}
int calls = 0;
void count(void *p) { *static_cast<int *>(p) += 1; }

int main() {
  int n = 1000;
  auto hx = numbers(n), hy = numbers(n, 5);
  float *x = upload(hx), *y = upload(hy);
  cudaStream_t s;
  CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
  auto capture = [&](float a, float b) {
    cudaGraph_t g;
    CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal));
    axpy<<<8, 128, 0, s>>>(n, a, x, y);
    scale<<<8, 128, 0, s>>>(n, b, y);
    CHECK(cudaLaunchHostFunc(s, count, &calls));
    CHECK(cudaStreamEndCapture(s, &g));
    return g;
  };
  cudaGraph_t g1 = capture(2, 3), g2 = capture(1, 0.5f);
  cudaGraphExec_t e;
  CHECK(cudaGraphInstantiate(&e, g1, 0));
  CHECK(cudaGraphLaunch(e, s));
  CHECK(cudaStreamSynchronize(s));
  for (int i = 0; i < n; ++i)
    hy[i] = (hy[i] + 2 * hx[i]) * 3;
  REQUIRE(download(y, n) == hy);
  cudaGraphExecUpdateResultInfo info{};
  CHECK(cudaGraphExecUpdate(e, g2, &info));
  REQUIRE(info.result == cudaGraphExecUpdateSuccess);
  CHECK(cudaGraphLaunch(e, s));
  CHECK(cudaStreamSynchronize(s));
  for (int i = 0; i < n; ++i)
    hy[i] = (hy[i] + hx[i]) * 0.5f;
  REQUIRE(download(y, n) == hy);
  REQUIRE(calls == 2);
  size_t count = 0;
  CHECK(cudaGraphGetNodes(g2, nullptr, &count));
  REQUIRE(count == 3);
  std::vector<cudaGraphNode_t> nodes(count);
  CHECK(cudaGraphGetNodes(g2, nodes.data(), &count));
  cudaGraphNode_t axpyNode{};
  for (auto nd : nodes) {
    cudaGraphNodeType t;
    CHECK(cudaGraphNodeGetType(nd, &t));
    if (t == cudaGraphNodeTypeKernel) {
      cudaKernelNodeParams p{};
      CHECK(cudaGraphKernelNodeGetParams(nd, &p));
      if (p.func == (void *)axpy)
        axpyNode = nd;
    }
  }
  REQUIRE(axpyNode != nullptr);
  // A graph of its own, with a child and a clone.
  cudaGraph_t big;
  CHECK(cudaGraphCreate(&big, 0));
  cudaGraphNode_t child, set;
  CHECK(cudaGraphAddChildGraphNode(&child, big, nullptr, 0, g2));
  cudaMemsetParams ms{};
  ms.dst = y;
  ms.value = 0;
  ms.elementSize = 4;
  ms.width = n;
  ms.height = 1;
  CHECK(cudaGraphAddMemsetNode(&set, big, &child, 1, &ms));
  cudaGraphNode_t ev;
  cudaEvent_t event;
  CHECK(cudaEventCreate(&event));
  CHECK(cudaGraphAddEventRecordNode(&ev, big, &set, 1, event));
  cudaGraphExec_t be;
  CHECK(cudaGraphInstantiate(&be, big, 0));
  CHECK(cudaGraphLaunch(be, s));
  CHECK(cudaEventSynchronize(event));
  for (float v : download(y, n))
    REQUIRE(v == 0);
  CHECK(cudaGraphNodeSetEnabled(be, set, 0));
  unsigned on = 1;
  CHECK(cudaGraphNodeGetEnabled(be, set, &on));
  REQUIRE(on == 0);
  CHECK(cudaGraphLaunch(be, s));
  CHECK(cudaStreamSynchronize(s));
  auto r = download(y, n);
  for (int i = 0; i < n; ++i)
    REQUIRE(r[i] == hx[i] * 0.5f);
  cudaGraph_t copy;
  CHECK(cudaGraphClone(&copy, big));
  cudaGraphNode_t setCopy;
  CHECK(cudaGraphNodeFindInClone(&setCopy, set, copy));
  CHECK(cudaGraphDestroyNode(setCopy));
  CHECK(cudaGraphExecDestroy(be));
  CHECK(cudaGraphExecDestroy(e));
  CHECK(cudaGraphDestroy(copy));
  CHECK(cudaGraphDestroy(big));
  return passed();
}
