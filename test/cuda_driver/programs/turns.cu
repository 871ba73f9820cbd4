// Streams that take turns: with events, with memory that comes and goes in their order, in a loop
// of a graph that is captured into its body, and with a stream for each thread of the host.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Program.h"

#include <thread>

__global__ void step(int *x, int more) { *x = *x * 2 + more; }
__global__ void fill(int *x, int count, int value) {
  for (int i = int(threadIdx.x); i < count; i += int(blockDim.x))
    x[i] = value;
}
__global__ void sum(const int *x, int count, int *out) {
  int all = 0;
  for (int i = 0; i < count; ++i)
    all += x[i];
  *out = all;
}
__global__ void countTo(int *x, int last, cudaGraphConditionalHandle handle) {
  if (++*x >= last)
    cudaGraphSetConditional(handle, 0);
}

int main() {
  constexpr int threads = 6;
  int *x, got[threads];
  CHECK(cudaMalloc(&x, sizeof got));
  auto begin = [&] {
    CHECK(cudaMemset(x, 0, sizeof got));
    CHECK(cudaDeviceSynchronize());
  };
  auto download = [&] { CHECK(cudaMemcpy(got, x, sizeof got, cudaMemcpyDeviceToHost)); };
  int least, greatest;
  CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  cudaStream_t streams[3];
  for (int i = 0; i < 3; ++i)
    CHECK(cudaStreamCreateWithPriority(&streams[i], cudaStreamNonBlocking, least - i));

  // Nine steps go round three streams.
  begin();
  cudaEvent_t ended[9];
  int expected = 0;
  for (int i = 0; i < 9; ++i) {
    CHECK(cudaEventCreateWithFlags(&ended[i], cudaEventDisableTiming));
    if (i)
      CHECK(cudaStreamWaitEvent(streams[i % 3], ended[i - 1]));
    step<<<1, 1, 0, streams[i % 3]>>>(x, i);
    CHECK(cudaEventRecord(ended[i], streams[i % 3]));
    expected = expected * 2 + i;
  }
  CHECK(cudaEventSynchronize(ended[8]));
  download();
  REQUIRE(got[0] == expected);

  // One stream allocates and fills, another sums and frees.
  begin();
  for (int round = 0; round < 4; ++round) {
    int *piece;
    CHECK(cudaMallocAsync(&piece, 4000, streams[0]));
    fill<<<1, 128, 0, streams[0]>>>(piece, 1000, round);
    CHECK(cudaEventRecord(ended[0], streams[0]));
    CHECK(cudaStreamWaitEvent(streams[1], ended[0]));
    sum<<<1, 1, 0, streams[1]>>>(piece, 1000, x + round);
    CHECK(cudaFreeAsync(piece, streams[1]));
  }
  CHECK(cudaStreamSynchronize(streams[1]));
  download();
  for (int round = 0; round < 4; ++round)
    REQUIRE(got[round] == 1000 * round);

  // A loop whose body is captured.
  begin();
  cudaGraph_t graph;
  CHECK(cudaGraphCreate(&graph, 0));
  cudaGraphConditionalHandle handle;
  CHECK(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault));
  cudaGraphNodeParams loop = {cudaGraphNodeTypeConditional};
  loop.conditional.handle = handle;
  loop.conditional.type = cudaGraphCondTypeWhile;
  loop.conditional.size = 1;
  cudaGraphNode_t node;
  CHECK(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &loop));
  CHECK(cudaStreamBeginCaptureToGraph(streams[0], loop.conditional.phGraph_out[0], nullptr, nullptr,
                                      0, cudaStreamCaptureModeGlobal));
  countTo<<<1, 1, 0, streams[0]>>>(x, 6, handle);
  CHECK(cudaStreamEndCapture(streams[0], nullptr));
  cudaGraphExec_t executable;
  CHECK(cudaGraphInstantiate(&executable, graph));
  CHECK(cudaGraphLaunch(executable, streams[0]));
  CHECK(cudaStreamSynchronize(streams[0]));
  download();
  REQUIRE(got[0] == 6);

  // Threads of the host.
  begin();
  std::vector<std::thread> all;
  for (int t = 0; t < threads; ++t)
    all.emplace_back([=] {
      for (int i = 0; i < 20; ++i)
        step<<<1, 1, 0, cudaStreamPerThread>>>(x + t, t);
      CHECK(cudaStreamSynchronize(cudaStreamPerThread));
    });
  for (std::thread &one : all)
    one.join();
  download();
  for (int t = 0; t < threads; ++t)
    REQUIRE(got[t] == t * ((1 << 20) - 1));
  return passed();
}
