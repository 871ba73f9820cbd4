// Graphs and nodes as the interface hands them in, and what its files on graphs share.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/cuda_driver/Driver.h"

namespace tessera::cuda_driver {

/// Calls the body with the driver if the graph lives; InvalidHandle if it does not.
template <class Body> Code onGraph(Graph *graph, Body &&body) {
  return call(
      [&](Driver &driver) { return Graph::lives(graph) ? body(driver) : code::InvalidHandle; });
}

/// The same of a node.
template <class Body> Code onNode(GraphNode *node, Body &&body) {
  return call(
      [&](Driver &driver) { return GraphNode::lives(node) ? body(driver) : code::InvalidHandle; });
}

/// What cuGraphDebugDotPrint writes.
std::string dotOf(const Graph &graph);

/// Whether the node is one of the graph.
bool has(const Graph &graph, const GraphNode *node);

/// The launch that a kernel node makes; fails as cuLaunchKernel does.
Code makeLaunchOf(const KernelCall &call, LaunchWork &out);

/// What a node of any kind does. Of an allocation the address is put into the parameters. A kind
/// that is not simulated is refused in the function's name.
Code makeWorkOf(const char *function, NodeParameters &, Work &out);

/// CUDA_KERNEL_NODE_PARAMS_v1 ends before the kernel and the context.
KernelCall whole(const KernelCall *v1);

/// Copies a graph's nodes and edges, and its children's, into an empty graph; `copies` says which
/// node stands for which.
void copyInto(const Graph &graph, Graph &out, NodeCopies &copies);

} // namespace tessera::cuda_driver
