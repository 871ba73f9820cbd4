// A captured graph with a fork and a join, launched again, changed and updated.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Program.h"

__global__ void add(int *x, int value) { atomicAdd(x, value); }
__global__ void both(int *to, const int *a, const int *b) { *to = *a * 1000 + *b; }

int main() {
  int *x = upload(std::vector<int>{0, 0, 0});
  cudaStream_t main_, side;
  cudaEvent_t forked, joined;
  CHECK(cudaStreamCreate(&main_));
  CHECK(cudaStreamCreate(&side));
  CHECK(cudaEventCreate(&forked));
  CHECK(cudaEventCreate(&joined));
  auto capture = [&](int step) {
    cudaGraph_t graph;
    CHECK(cudaStreamBeginCapture(main_, cudaStreamCaptureModeGlobal));
    CHECK(cudaEventRecord(forked, main_));
    CHECK(cudaStreamWaitEvent(side, forked, 0));
    add<<<1, 4, 0, main_>>>(x, step);
    add<<<1, 3, 0, side>>>(x + 1, step);
    CHECK(cudaEventRecord(joined, side));
    CHECK(cudaStreamWaitEvent(main_, joined, 0));
    both<<<1, 1, 0, main_>>>(x + 2, x, x + 1);
    CHECK(cudaStreamEndCapture(main_, &graph));
    return graph;
  };
  cudaGraph_t graph = capture(1);
  size_t nodes = 0;
  CHECK(cudaGraphGetNodes(graph, nullptr, &nodes));
  REQUIRE(nodes == 3);
  REQUIRE(download(x, 3)[2] == 0); // nothing has run
  cudaGraphExec_t executable;
  CHECK(cudaGraphInstantiate(&executable, graph, 0));
  for (int i = 0; i < 3; ++i)
    CHECK(cudaGraphLaunch(executable, main_));
  CHECK(cudaStreamSynchronize(main_));
  REQUIRE(download(x, 3)[2] == 12 * 1000 + 9);
  cudaGraph_t other = capture(2);
  cudaGraphExecUpdateResultInfo result;
  CHECK(cudaGraphExecUpdate(executable, other, &result));
  CHECK(cudaGraphLaunch(executable, main_));
  CHECK(cudaStreamSynchronize(main_));
  REQUIRE(download(x, 3)[2] == 20 * 1000 + 15);
  CHECK(cudaGraphExecDestroy(executable));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaGraphDestroy(other));
  return passed();
}
