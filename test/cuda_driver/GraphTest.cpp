// Graphs and capture, by hand and by streams.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Harness.h"

#include "tessera/cuda_driver/Objects.h"
#include "tessera/cuda_driver/StreamOrder.h"

#include <filesystem>
#include <fstream>
#include <sstream>

namespace tessera::cuda_driver::test {
namespace {

void count(void *calls) { ++*static_cast<int *>(calls); }

TEST(Graph, HasNoNodesOfSemaphores) {
  ASSERT_EQ(start(), ok);
  Graph *graph = nullptr;
  ASSERT_EQ(cuGraphCreate(&graph, 0), ok);
  testing::internal::CaptureStderr();
  for (NodeType type : {NodeType::SignalSemaphore, NodeType::WaitSemaphore}) {
    GraphNode *node = nullptr;
    NodeParameters parameters{};
    parameters.type = type;
    EXPECT_EQ(cuGraphAddNode(&node, graph, nullptr, 0, &parameters), Code::NotSupported);
  }
  EXPECT_NE(testing::internal::GetCapturedStderr().find(
                "cuGraphAddNode is not available: nodes of semaphores are not simulated"),
            std::string::npos);
  EXPECT_EQ(cuGraphDestroy(graph), ok);
}

TEST(Graph, RunsInTheOrderOfItsEdges) {
  ASSERT_EQ(start(), ok);
  Graph *graph = nullptr;
  ASSERT_EQ(cuGraphCreate(&graph, 0), ok);
  DevicePointer data = upload({2});
  uint32_t one = 1;
  void *arguments[] = {&data, &one};
  KernelCall call{};
  call.function = kernelOf("scale");
  call.grid[0] = call.grid[1] = call.grid[2] = call.block[0] = call.block[1] = call.block[2] = 1;
  call.arguments = arguments;
  GraphNode *scale = nullptr, *host = nullptr, *fill = nullptr;
  int calls = 0;
  HostCall hostCall{count, &calls};
  Fill fillCall{data, 0, 100, 4, 1, 1, nullptr};
  // Made in the opposite order: the edges say that the fill comes first.
  ASSERT_EQ(cuGraphAddHostNode(&host, graph, nullptr, 0, &hostCall), ok);
  ASSERT_EQ(cuGraphAddKernelNode_v2(&scale, graph, nullptr, 0, &call), ok);
  ASSERT_EQ(cuGraphAddMemsetNode(&fill, graph, nullptr, 0, &fillCall, nullptr), ok);
  EXPECT_EQ(cuGraphAddDependencies(graph, &scale, &host, 1), ok);
  EXPECT_EQ(cuGraphAddDependencies(graph, &fill, &scale, 1), ok);
  EXPECT_EQ(cuGraphAddDependencies(graph, &fill, &scale, 1), Code::InvalidValue); // is there
  GraphExec *executable = nullptr;
  ASSERT_EQ(cuGraphInstantiateWithFlags(&executable, graph, 0), ok);
  data = 0; // what the node points to was read when it was made
  EXPECT_EQ(cuGraphLaunch(executable, nullptr), ok);
  EXPECT_EQ(download(fillCall.to, 1)[0], 300u);
  EXPECT_EQ(calls, 1);
  // Other parameters for the executable only.
  fillCall.value = 7;
  EXPECT_EQ(cuGraphExecMemsetNodeSetParams(executable, fill, &fillCall, nullptr), ok);
  EXPECT_EQ(cuGraphNodeSetEnabled(executable, host, 0), ok);
  EXPECT_EQ(cuGraphLaunch(executable, nullptr), ok);
  EXPECT_EQ(download(fillCall.to, 1)[0], 21u);
  EXPECT_EQ(calls, 1);
  // The edges as Graphviz draws them: the nodes were made as host, kernel, fill.
  const std::string path = testing::TempDir() + "tessera-graph.dot";
  EXPECT_EQ(cuGraphDebugDotPrint(graph, path.c_str(), 0), ok);
  std::ifstream file(path);
  std::stringstream dot;
  dot << file.rdbuf();
  for (const char *line : {"digraph", "n0 [label=\"host\"]", "n1 [label=\"kernel\\n",
                           "n2 [label=\"fill\"]", "n1 -> n0;", "n2 -> n1;"})
    EXPECT_NE(dot.str().find(line), std::string::npos) << dot.str();
  std::filesystem::remove(path);
  EXPECT_EQ(cuGraphDebugDotPrint(graph, nullptr, 0), Code::InvalidValue);
  EXPECT_EQ(cuGraphDebugDotPrint(graph, "/nowhere/graph.dot", 0), Code::OperatingSystem);
  // A circle cannot be launched.
  EXPECT_EQ(cuGraphAddDependencies(graph, &host, &fill, 1), ok);
  EXPECT_EQ(cuGraphInstantiateWithFlags(&executable, graph, 0), Code::InvalidValue);
  EXPECT_EQ(cuGraphDestroy(graph), ok);
  NodeType type;
  EXPECT_EQ(cuGraphNodeGetType(host, &type), Code::InvalidHandle);
}

/// CUDA's documents: a node of an executable is named by that of the graph that it was made of. An
/// update by another graph leaves that so, and the other graph's nodes name them, too.
TEST(Graph, NodesKeepTheirNamesWhenAnExecutableIsUpdated) {
  ASSERT_EQ(start(), ok);
  const DevicePointer data = upload({0});
  Graph *graphs[2];
  GraphNode *fills[2], *children[2];
  for (uint32_t i = 0; i < 2; ++i) {
    Graph *inner = nullptr;
    ASSERT_EQ(cuGraphCreate(&inner, 0), ok);
    ASSERT_EQ(cuGraphCreate(&graphs[i], 0), ok);
    const Fill fill{data, 0, 1 + i, 4, 1, 1, nullptr};
    ASSERT_EQ(cuGraphAddMemsetNode(&fills[i], graphs[i], nullptr, 0, &fill, nullptr), ok);
    ASSERT_EQ(cuGraphAddChildGraphNode(&children[i], graphs[i], &fills[i], 1, inner), ok);
  }
  GraphExec *executable = nullptr;
  ASSERT_EQ(cuGraphInstantiateWithFlags(&executable, graphs[0], 0), ok);
  UpdateResult result{};
  ASSERT_EQ(cuGraphExecUpdate_v2(executable, graphs[1], &result), ok);
  auto left = [&] {
    EXPECT_EQ(cuGraphLaunch(executable, nullptr), ok);
    return download(data, 1)[0];
  };
  EXPECT_EQ(left(), 2u);
  Fill fill{data, 0, 10, 4, 1, 1, nullptr};
  for (GraphNode *node : fills) {
    ++fill.value;
    EXPECT_EQ(cuGraphExecMemsetNodeSetParams(executable, node, &fill, nullptr), ok);
    EXPECT_EQ(left(), fill.value);
  }
  EXPECT_EQ(cuGraphNodeSetEnabled(executable, fills[0], 0), ok);
  unsigned isOn = 1;
  EXPECT_EQ(cuGraphNodeGetEnabled(executable, fills[1], &isOn), ok);
  EXPECT_EQ(isOn, 0u);
  // Once more, by the first: all names go on.
  ASSERT_EQ(cuGraphExecUpdate_v2(executable, graphs[0], &result), ok);
  EXPECT_EQ(left(), 1u);
  fill.value = 20;
  EXPECT_EQ(cuGraphExecMemsetNodeSetParams(executable, fills[1], &fill, nullptr), ok);
  EXPECT_EQ(left(), 20u);
}

TEST(Graph, CaptureKnowsForksAndJoins) {
  ASSERT_EQ(start(), ok);
  Stream *streams[2];
  Event *events[2];
  for (int i : {0, 1}) {
    ASSERT_EQ(cuStreamCreate(&streams[i], 0), ok);
    ASSERT_EQ(cuEventCreate(&events[i], 0), ok);
  }
  DevicePointer data = upload({1, 1});
  auto fill = [&](int which, uint32_t value) {
    EXPECT_EQ(cuMemsetD32Async(data + 4 * DevicePointer(which), value, 1, streams[which]), ok);
  };
  auto fork = [&](int from, int to) {
    EXPECT_EQ(cuEventRecord(events[from], streams[from]), ok);
    EXPECT_EQ(cuStreamWaitEvent(streams[to], events[from], 0), ok);
  };
  Graph *graph = nullptr;
  EXPECT_EQ(cuStreamBeginCapture_v2(nullptr, 0), Code::CaptureUnsupported);
  ASSERT_EQ(cuStreamBeginCapture_v2(streams[0], 0), ok);
  fill(0, 5);
  fork(0, 1);
  fill(1, 6);
  fork(1, 0);
  fill(0, 8);
  ASSERT_EQ(cuStreamEndCapture(streams[0], &graph), ok);
  EXPECT_EQ(download(data, 2), (std::vector<uint32_t>{1, 1}));
  size_t nodes = 0, edges = 0;
  EXPECT_EQ(cuGraphGetNodes(graph, nullptr, &nodes), ok);
  EXPECT_EQ(cuGraphGetEdges(graph, nullptr, nullptr, &edges), ok);
  EXPECT_EQ(nodes, 3u);
  EXPECT_EQ(edges, 3u); // 5 before 6, 5 and 6 before 8
  GraphExec *executable = nullptr;
  ASSERT_EQ(cuGraphInstantiateWithFlags(&executable, graph, 0), ok);
  EXPECT_EQ(cuGraphLaunch(executable, streams[1]), ok);
  EXPECT_EQ(download(data, 2), (std::vector<uint32_t>{8, 6}));
  // What would not wait for what is captured is refused, and there is no graph then.
  int status = 0;
  auto refuses = [&](Code expected, auto call) {
    ASSERT_EQ(cuStreamBeginCapture_v2(streams[0], 0), ok);
    fill(0, 5);
    fork(0, 1);
    EXPECT_EQ(call(), expected);
    for (Stream *stream : streams) {
      EXPECT_EQ(cuStreamIsCapturing(stream, &status), ok);
      EXPECT_EQ(status, 2); // CU_STREAM_CAPTURE_STATUS_INVALIDATED
      EXPECT_EQ(cuMemsetD32Async(data, 9, 1, stream), Code::CaptureInvalidated);
    }
    EXPECT_EQ(cuStreamEndCapture(streams[0], &graph), Code::CaptureInvalidated);
    EXPECT_EQ(graph, nullptr);
    for (Stream *stream : streams) {
      EXPECT_EQ(cuStreamIsCapturing(stream, &status), ok);
      EXPECT_EQ(status, 0);
      EXPECT_EQ(cuStreamSynchronize(stream), ok);
    }
    EXPECT_EQ(download(data, 2), (std::vector<uint32_t>{8, 6}));
  };
  uint32_t word = 0;
  refuses(Code::CaptureImplicit, [&] { return cuMemcpyDtoH_v2(&word, data, 4); });
  refuses(Code::CaptureImplicit, [&] { return cuMemsetD32_v2(data, 9, 1); });
  refuses(Code::CaptureUnsupported, [&] { return cuStreamSynchronize(streams[1]); });
  refuses(Code::CaptureUnsupported, [&] { return cuStreamQuery(streams[0]); });
  refuses(Code::CapturedEvent, [&] { return cuEventSynchronize(events[0]); });
  // A stream that is not joined.
  ASSERT_EQ(cuStreamBeginCapture_v2(streams[0], 0), ok);
  fork(0, 1);
  fill(1, 6);
  EXPECT_EQ(cuStreamEndCapture(streams[1], &graph), Code::CaptureUnmatched);
  EXPECT_EQ(cuStreamEndCapture(streams[0], &graph), Code::CaptureUnjoined);
  status = 1;
  EXPECT_EQ(cuStreamIsCapturing(streams[1], &status), ok);
  EXPECT_EQ(status, 0);
}

TEST(Graph, ComesAfterItsOwnLaunchesAndNotAfterThoseOfAnotherAtItsAddress) {
  Stream legacy, one, other;
  StreamOrder order(legacy);
  std::optional<Graph> graph; // where each next one has the same address
  auto launch = [&](Stream &stream) {
    StreamOrder::Turn turn(order, stream);
    StreamOrder::Nodes nodes(order, *graph);
    GraphNode node(Work(), {}, &*graph);
    nodes.begin(node);
    sanitize::WorkStep ran = order.now;
    nodes.end(node);
    return ran;
  };
  graph.emplace();
  const sanitize::WorkPoint first = launch(one).point;
  EXPECT_TRUE(launch(other).after.covers(first));
  const sanitize::WorkPoint last = launch(one).point;
  graph.emplace();
  Stream third;
  EXPECT_FALSE(launch(third).after.covers(last));
}

} // namespace
} // namespace tessera::cuda_driver::test
