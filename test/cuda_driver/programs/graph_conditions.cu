// Nodes of graphs that run as a value says which a kernel sets. Target: sm_90
// GPU: needs the device runtime's library, which is not linked here
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Program.h"

using Handle = cudaGraphConditionalHandle;

__global__ void countDown(Handle goesOn, int *left, int *turns) {
  *turns += 1;
  if (--*left == 0)
    cudaGraphSetConditional(goesOn, 0);
}
__global__ void set(Handle condition, unsigned value) { cudaGraphSetConditional(condition, value); }
__global__ void add(int *sum, int value) { *sum += value; }

template <class... Arguments>
cudaGraphNode_t kernel(cudaGraph_t graph, cudaGraphNode_t after, void (*function)(Arguments...),
                       Arguments... arguments) {
  void *pointers[] = {&arguments...};
  cudaGraphNodeParams params{};
  params.type = cudaGraphNodeTypeKernel;
  params.kernel.func = reinterpret_cast<void *>(function);
  params.kernel.gridDim = params.kernel.blockDim = dim3(1);
  params.kernel.kernelParams = pointers;
  cudaGraphNode_t node;
  CHECK(cudaGraphAddNode(&node, graph, &after, nullptr, after ? 1 : 0, &params));
  return node;
}
struct Conditional {
  cudaGraphNode_t node;
  cudaGraph_t *bodies;
};
Conditional conditional(cudaGraph_t graph, cudaGraphNode_t after, Handle handle,
                        cudaGraphConditionalNodeType type, unsigned size) {
  cudaGraphNodeParams params{};
  params.type = cudaGraphNodeTypeConditional;
  params.conditional.handle = handle;
  params.conditional.type = type;
  params.conditional.size = size;
  Conditional out{};
  CHECK(cudaGraphAddNode(&out.node, graph, &after, nullptr, after ? 1 : 0, &params));
  out.bodies = params.conditional.phGraph_out;
  return out;
}
cudaGraph_t create() {
  cudaGraph_t graph;
  CHECK(cudaGraphCreate(&graph, 0));
  return graph;
}
Handle handleFor(cudaGraph_t graph, unsigned first = 0, unsigned flags = 0) {
  Handle handle;
  CHECK(cudaGraphConditionalHandleCreate(&handle, graph, first, flags));
  return handle;
}
/// Runs a graph as often as asked, each time with these numbers, and returns what it left.
std::vector<int> run(cudaGraph_t graph, int *numbers, std::vector<int> in, int times = 1) {
  cudaGraphExec_t executable;
  CHECK(cudaGraphInstantiate(&executable, graph, 0));
  CHECK(cudaGraphDestroy(graph));
  for (int i = 0; i < times; ++i) {
    CHECK(cudaMemcpy(numbers, in.data(), in.size() * sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaGraphLaunch(executable, nullptr));
  }
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaGraphExecDestroy(executable));
  return download(numbers, in.size());
}

int main() {
  int *numbers = nullptr;
  CHECK(cudaMalloc(&numbers, 64));

  // A loop, and a node after it. Each launch begins with the first value.
  cudaGraph_t graph = create();
  Handle goesOn = handleFor(graph, 1, cudaGraphCondAssignDefault);
  Conditional loop = conditional(graph, nullptr, goesOn, cudaGraphCondTypeWhile, 1);
  kernel(loop.bodies[0], nullptr, countDown, goesOn, numbers, numbers + 1);
  kernel(graph, loop.node, add, numbers + 2, 3);
  REQUIRE(run(graph, numbers, {10, 0, 0}, 2) == std::vector<int>({0, 10, 3}));

  // Two ways, and one of three, by what a kernel of the graph sets.
  for (unsigned value = 0; value < 4; ++value) {
    graph = create();
    Handle first = handleFor(graph), second = handleFor(graph);
    auto node = kernel(graph, nullptr, set, first, value);
    node = kernel(graph, node, set, second, value);
    Conditional either = conditional(graph, node, first, cudaGraphCondTypeIf, 2);
    kernel(either.bodies[0], nullptr, add, numbers, 1);
    kernel(either.bodies[1], nullptr, add, numbers, 10);
    Conditional chosen = conditional(graph, either.node, second, cudaGraphCondTypeSwitch, 3);
    for (int i = 0; i < 3; ++i)
      kernel(chosen.bodies[i], nullptr, add, numbers, 100 * (i + 1));
    cudaGraphNodeType type;
    CHECK(cudaGraphNodeGetType(chosen.node, &type));
    REQUIRE(type == cudaGraphNodeTypeConditional);
    const int expected = (value ? 1 : 10) + (value < 3 ? 100 * int(value + 1) : 0);
    REQUIRE(run(graph, numbers, {0}) == std::vector<int>{expected});
  }

  // A loop whose body has a fill and a choice: of the turns 5, 4, 3, 2, 1 all but the last add 7.
  graph = create();
  goesOn = handleFor(graph, 1, cudaGraphCondAssignDefault);
  loop = conditional(graph, nullptr, goesOn, cudaGraphCondTypeWhile, 1);
  Handle inner = handleFor(loop.bodies[0]);
  auto down = kernel(loop.bodies[0], nullptr, countDown, goesOn, numbers, numbers + 1);
  cudaMemsetParams clear{};
  clear.dst = numbers + 3;
  clear.elementSize = 4;
  clear.width = clear.height = 1;
  cudaGraphNode_t fill;
  CHECK(cudaGraphAddMemsetNode(&fill, loop.bodies[0], &down, 1, &clear));
  auto told = kernel(loop.bodies[0], fill, set, inner, 1u);
  Conditional choice = conditional(loop.bodies[0], told, inner, cudaGraphCondTypeIf, 1);
  kernel(choice.bodies[0], nullptr, add, numbers + 2, 7);
  REQUIRE(run(graph, numbers, {5, 0, 0, 9}) == std::vector<int>({0, 5, 35, 0}));

  // What is refused, as by an H200: sizes, a handle of another graph or used twice, host work in a
  // body, a clone, a child.
  graph = create();
  cudaGraph_t other = create();
  Handle handle = handleFor(graph);
  auto refused = [&](cudaGraph_t in, cudaGraphConditionalNodeType type, unsigned size) {
    cudaGraphNodeParams params{};
    params.type = cudaGraphNodeTypeConditional;
    params.conditional.handle = handle;
    params.conditional.type = type;
    params.conditional.size = size;
    cudaGraphNode_t node;
    return cudaGraphAddNode(&node, in, nullptr, nullptr, 0, &params) == cudaErrorInvalidValue;
  };
  REQUIRE(refused(graph, cudaGraphCondTypeIf, 0) && refused(graph, cudaGraphCondTypeIf, 3));
  REQUIRE(refused(graph, cudaGraphCondTypeWhile, 2) && refused(other, cudaGraphCondTypeIf, 1));
  Conditional one = conditional(graph, nullptr, handle, cudaGraphCondTypeIf, 1);
  REQUIRE(refused(graph, cudaGraphCondTypeIf, 1));
  cudaHostNodeParams host{[](void *) {}, nullptr};
  cudaGraphNode_t node;
  CHECK(cudaGraphAddHostNode(&node, one.bodies[0], nullptr, 0, &host));
  cudaGraphExec_t executable;
  REQUIRE(cudaGraphInstantiate(&executable, graph, 0) == cudaErrorInvalidValue);
  cudaGraph_t clone;
  REQUIRE(cudaGraphClone(&clone, graph) == cudaErrorNotSupported);
  REQUIRE(cudaGraphAddChildGraphNode(&node, other, nullptr, 0, graph) == cudaErrorNotSupported);
  return passed();
}
