// GraphHandles: graphs and nodes as the interface passes them, and helpers of its files on graphs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/cuda_driver/Driver.h"

namespace tessera::cuda_driver {

/// Calls the body with the driver if the graph lives; InvalidHandle if it does not.
template <class Body> Code onGraph(Graph *graph, Body &&body) {
  return call(
      [&](Driver &driver) { return Graph::lives(graph) ? body(driver) : Code::InvalidHandle; });
}

/// The same for a node.
template <class Body> Code onNode(GraphNode *node, Body &&body) {
  return call(
      [&](Driver &driver) { return GraphNode::lives(node) ? body(driver) : Code::InvalidHandle; });
}

/// The text that cuGraphDebugDotPrint writes.
std::string dotOf(const Graph &graph);

/// Whether the graph has a node of a condition: it can be neither cloned nor a child.
bool hasConditions(const Graph &graph);

/// Whether the node is one of the graph.
bool has(const Graph &graph, const GraphNode *node);

/// The launch that a kernel node makes; fails as cuLaunchKernel does.
Code makeLaunchOf(const KernelCall &call, LaunchWork &out);

/// The work of a node of any kind. The address of an allocation is written into the parameters. A
/// kind that is not simulated is refused in the function's name.
Code makeWorkOf(const char *function, NodeParameters &, Work &out);

/// CUDA_KERNEL_NODE_PARAMS_v1 ends before the kernel and the context.
KernelCall whole(const KernelCall *v1);

/// Copies a graph's nodes and edges, and its children's, into an empty graph; `copies` maps the
/// nodes of the original to the new ones.
void copyInto(const Graph &graph, Graph &out, NodeCopies &copies);

} // namespace tessera::cuda_driver
