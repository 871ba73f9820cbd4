// Nodes that are changed by the interface of any node, other children, other events and copies.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Program.h"

__device__ int variable[2];
__global__ void add(int *to, int value) { atomicAdd(to, value); }

int main() {
  int *sum = upload(std::vector<int>{0}), value = 1;
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  auto launch = [&](cudaGraphExec_t executable) {
    CHECK(cudaGraphLaunch(executable, stream));
    CHECK(cudaStreamSynchronize(stream));
    return download(sum, 1)[0];
  };
  void *arguments[] = {&sum, &value};
  cudaGraphNodeParams parameters{};
  parameters.type = cudaGraphNodeTypeKernel;
  parameters.kernel.func = reinterpret_cast<void *>(add);
  parameters.kernel.gridDim = parameters.kernel.blockDim = 1;
  parameters.kernel.kernelParams = arguments;

  cudaGraph_t graph, child, other;
  cudaGraphNode_t kernel, inner, node, copied;
  CHECK(cudaGraphCreate(&graph, 0));
  CHECK(cudaGraphCreate(&child, 0));
  CHECK(cudaGraphAddNode(&kernel, graph, nullptr, nullptr, 0, &parameters));
  CHECK(cudaGraphAddNode(&inner, child, nullptr, nullptr, 0, &parameters));
  CHECK(cudaGraphAddChildGraphNode(&node, graph, &kernel, 1, child));
  cudaGraphExec_t executable;
  CHECK(cudaGraphInstantiate(&executable, graph, 0));
  REQUIRE(launch(executable) == 2);
  value = 10;
  CHECK(cudaGraphExecNodeSetParams(executable, kernel, &parameters));
  REQUIRE(launch(executable) == 2 + 11);
  CHECK(cudaGraphClone(&other, child));
  CHECK(cudaGraphNodeFindInClone(&copied, inner, other));
  value = 100;
  CHECK(cudaGraphNodeSetParams(copied, &parameters));
  CHECK(cudaGraphExecChildGraphNodeSetParams(executable, node, other));
  REQUIRE(launch(executable) == 13 + 110);
  parameters.type = cudaGraphNodeTypeEmpty;
  REQUIRE(cudaGraphExecNodeSetParams(executable, kernel, &parameters) == cudaErrorInvalidValue);

  cudaEvent_t first, second, asked;
  CHECK(cudaEventCreate(&first));
  CHECK(cudaEventCreate(&second));
  cudaGraph_t events;
  cudaGraphNode_t record, wait;
  CHECK(cudaGraphCreate(&events, 0));
  CHECK(cudaGraphAddEventRecordNode(&record, events, nullptr, 0, first));
  CHECK(cudaGraphAddEventWaitNode(&wait, events, &record, 1, first));
  CHECK(cudaGraphEventRecordNodeSetEvent(record, second));
  CHECK(cudaGraphEventWaitNodeSetEvent(wait, second));
  CHECK(cudaGraphEventRecordNodeGetEvent(record, &asked));
  REQUIRE(asked == second);
  CHECK(cudaGraphInstantiate(&executable, events, 0));
  CHECK(cudaGraphExecEventRecordNodeSetEvent(executable, record, first));
  CHECK(cudaGraphExecEventWaitNodeSetEvent(executable, wait, first));
  launch(executable);
  CHECK(cudaEventRecord(second, stream));
  CHECK(cudaEventSynchronize(second));
  float milliseconds = -1;
  CHECK(cudaEventElapsedTime(&milliseconds, first, second)); // so the first was recorded
  REQUIRE(milliseconds >= 0);

  int from[3] = {5, 6, 7}, back = 0;
  cudaGraph_t copies;
  cudaGraphNode_t to, out;
  CHECK(cudaGraphCreate(&copies, 0));
  CHECK(cudaGraphAddMemcpyNodeToSymbol(&to, copies, nullptr, 0, variable, from, 4, 0,
                                       cudaMemcpyHostToDevice));
  CHECK(cudaGraphAddMemcpyNodeFromSymbol(&out, copies, &to, 1, &back, variable, 4, 0,
                                         cudaMemcpyDeviceToHost));
  CHECK(cudaGraphMemcpyNodeSetParamsToSymbol(to, variable, from + 1, 4, 4, cudaMemcpyHostToDevice));
  CHECK(cudaGraphMemcpyNodeSetParamsFromSymbol(out, &back, variable, 4, 4, cudaMemcpyDeviceToHost));
  CHECK(cudaGraphInstantiate(&executable, copies, 0));
  launch(executable);
  REQUIRE(back == 6);
  CHECK(cudaGraphExecMemcpyNodeSetParamsToSymbol(executable, to, variable, from + 2, 4, 0,
                                                 cudaMemcpyHostToDevice));
  CHECK(cudaGraphExecMemcpyNodeSetParamsFromSymbol(executable, out, &back, variable, 4, 0,
                                                   cudaMemcpyDeviceToHost));
  launch(executable);
  REQUIRE(back == 7);
  return passed();
}
