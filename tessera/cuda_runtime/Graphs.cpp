// Nodes of graphs whose parameters the runtime has in its own form; Functions.def has the others.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cuda_runtime/Runtime.h"

#include <cstring>

using namespace tessera::cuda_runtime;

namespace {

using Nodes = GraphNode *const *;

Fill fillOf(const MemsetCall &m) {
  return {address(m.to), m.pitch, m.value, m.elementBytes, m.width, m.height, nullptr};
}
Code kernelCall(const KernelNode &node, KernelCall &out) {
  out = {.function = nullptr,
         .grid = {node.grid.x, node.grid.y, node.grid.z},
         .block = {node.block.x, node.block.y, node.block.z},
         .sharedBytes = node.sharedBytes,
         .arguments = node.arguments,
         .extra = node.extra,
         .kernel = nullptr,
         .context = nullptr};
  return kernelOf(node.function, &out.function);
}

/// What a kernel node is called with, given to the driver.
template <class Body> Code withKernel(const KernelNode &node, Body &&body) {
  return enter([&] {
    KernelCall kernel{};
    Code code = kernelCall(node, kernel);
    return code == Code::Success ? body(kernel) : code;
  });
}

Code addCopy(GraphNode **out, Graph *graph, Nodes after, size_t count, const Copy3d &copy) {
  return cuGraphAddMemcpyNode(out, graph, after, count, &copy, nullptr);
}

/// A copy to or from a variable.
template <class Body>
Code withSymbol(const void *symbol, size_t bytes, size_t offset, Body &&body) {
  return enter([&] {
    DevicePointer at = 0;
    size_t size = 0;
    Code code = variableOf(symbol, &at, &size);
    if (code == Code::Success && (offset > size || bytes > size - offset))
      code = Code::InvalidValue;
    return code == Code::Success ? body(reinterpret_cast<void *>(at + offset)) : code;
  });
}

/// cudaGraphNodeParams as CUgraphNodeParams.
Code translate(const NodeCall &call, NodeParameters &out) {
  out = {};
  out.type = call.type;
  switch (call.type) {
  case NodeType::Kernel: return kernelCall(call.kernel, out.kernel);
  case NodeType::Copy: out.copy.copy = copyOf(call.copy.copy); break;
  case NodeType::Fill: out.fill = fillOf(call.memset); break;
  default: std::memcpy(out.reserved1, call.reserved1, sizeof out.reserved1);
  }
  return Code::Success;
}

template <class Body> Code withParameters(const NodeCall &call, Body &&body) {
  return enter([&] {
    NodeParameters parameters;
    Code code = translate(call, parameters);
    return code == Code::Success ? body(parameters) : code;
  });
}

} // namespace

CUDA_RUNTIME(cudaGraphAddKernelNode)
(GraphNode **out, Graph *graph, Nodes after, size_t count, const KernelNode *node) {
  if (!node)
    return keep(Code::InvalidValue);
  return withKernel(*node, [&](const KernelCall &kernel) {
    return cuGraphAddKernelNode_v2(out, graph, after, count, &kernel);
  });
}
CUDA_RUNTIME(cudaGraphKernelNodeSetParams)(GraphNode *node, const KernelNode *parameters) {
  if (!parameters)
    return keep(Code::InvalidValue);
  return withKernel(*parameters, [&](const KernelCall &kernel) {
    return cuGraphKernelNodeSetParams_v2(node, &kernel);
  });
}
CUDA_RUNTIME(cudaGraphExecKernelNodeSetParams)
(GraphExec *executable, GraphNode *node, const KernelNode *parameters) {
  if (!parameters)
    return keep(Code::InvalidValue);
  return withKernel(*parameters, [&](const KernelCall &kernel) {
    return cuGraphExecKernelNodeSetParams_v2(executable, node, &kernel);
  });
}
CUDA_RUNTIME(cudaGraphKernelNodeGetParams)(GraphNode *node, KernelNode *out) {
  if (!out)
    return keep(Code::InvalidValue);
  return enter([&] {
    KernelCall k{};
    Code code = cuGraphKernelNodeGetParams_v2(node, &k);
    if (code == Code::Success)
      *out = {functionOf(k.function),
              {k.grid[0], k.grid[1], k.grid[2]},
              {k.block[0], k.block[1], k.block[2]},
              k.sharedBytes,
              k.arguments,
              k.extra};
    return code;
  });
}

CUDA_RUNTIME(cudaGraphAddMemcpyNode)
(GraphNode **out, Graph *graph, Nodes after, size_t count, const VolumeCopy *copy) {
  if (!copy)
    return keep(Code::InvalidValue);
  return enter([&] { return addCopy(out, graph, after, count, copyOf(*copy)); });
}
CUDA_RUNTIME(cudaGraphAddMemcpyNode1D)
(GraphNode **out, Graph *graph, Nodes after, size_t count, void *to, const void *from, size_t bytes,
 CopyKind kind) {
  return enter([&] { return addCopy(out, graph, after, count, rowOf(to, from, bytes, kind)); });
}
CUDA_RUNTIME(cudaGraphAddMemcpyNodeToSymbol)
(GraphNode **out, Graph *graph, Nodes after, size_t count, const void *symbol, const void *from,
 size_t bytes, size_t offset, CopyKind kind) {
  return withSymbol(symbol, bytes, offset, [&](void *to) {
    return addCopy(out, graph, after, count, rowOf(to, from, bytes, kind));
  });
}
CUDA_RUNTIME(cudaGraphAddMemcpyNodeFromSymbol)
(GraphNode **out, Graph *graph, Nodes after, size_t count, void *to, const void *symbol,
 size_t bytes, size_t offset, CopyKind kind) {
  return withSymbol(symbol, bytes, offset, [&](void *from) {
    return addCopy(out, graph, after, count, rowOf(to, from, bytes, kind));
  });
}
CUDA_RUNTIME(cudaGraphMemcpyNodeSetParams)(GraphNode *node, const VolumeCopy *volume) {
  if (!volume)
    return keep(Code::InvalidValue);
  return enter([&] {
    Copy3d copy = copyOf(*volume);
    return cuGraphMemcpyNodeSetParams(node, &copy);
  });
}
CUDA_RUNTIME(cudaGraphMemcpyNodeSetParams1D)
(GraphNode *node, void *to, const void *from, size_t bytes, CopyKind kind) {
  return enter([&] {
    Copy3d copy = rowOf(to, from, bytes, kind);
    return cuGraphMemcpyNodeSetParams(node, &copy);
  });
}
CUDA_RUNTIME(cudaGraphExecMemcpyNodeSetParams)
(GraphExec *executable, GraphNode *node, const VolumeCopy *volume) {
  if (!volume)
    return keep(Code::InvalidValue);
  return enter([&] {
    Copy3d copy = copyOf(*volume);
    return cuGraphExecMemcpyNodeSetParams(executable, node, &copy, nullptr);
  });
}
CUDA_RUNTIME(cudaGraphExecMemcpyNodeSetParams1D)
(GraphExec *executable, GraphNode *node, void *to, const void *from, size_t bytes, CopyKind kind) {
  return enter([&] {
    Copy3d copy = rowOf(to, from, bytes, kind);
    return cuGraphExecMemcpyNodeSetParams(executable, node, &copy, nullptr);
  });
}
CUDA_RUNTIME(cudaGraphMemcpyNodeSetParamsToSymbol)
(GraphNode *node, const void *symbol, const void *from, size_t bytes, size_t offset,
 CopyKind kind) {
  return withSymbol(symbol, bytes, offset, [&](void *to) {
    Copy3d copy = rowOf(to, from, bytes, kind);
    return cuGraphMemcpyNodeSetParams(node, &copy);
  });
}
CUDA_RUNTIME(cudaGraphMemcpyNodeSetParamsFromSymbol)
(GraphNode *node, void *to, const void *symbol, size_t bytes, size_t offset, CopyKind kind) {
  return withSymbol(symbol, bytes, offset, [&](void *from) {
    Copy3d copy = rowOf(to, from, bytes, kind);
    return cuGraphMemcpyNodeSetParams(node, &copy);
  });
}
CUDA_RUNTIME(cudaGraphExecMemcpyNodeSetParamsToSymbol)
(GraphExec *executable, GraphNode *node, const void *symbol, const void *from, size_t bytes,
 size_t offset, CopyKind kind) {
  return withSymbol(symbol, bytes, offset, [&](void *to) {
    Copy3d copy = rowOf(to, from, bytes, kind);
    return cuGraphExecMemcpyNodeSetParams(executable, node, &copy, nullptr);
  });
}
CUDA_RUNTIME(cudaGraphExecMemcpyNodeSetParamsFromSymbol)
(GraphExec *executable, GraphNode *node, void *to, const void *symbol, size_t bytes, size_t offset,
 CopyKind kind) {
  return withSymbol(symbol, bytes, offset, [&](void *from) {
    Copy3d copy = rowOf(to, from, bytes, kind);
    return cuGraphExecMemcpyNodeSetParams(executable, node, &copy, nullptr);
  });
}

CUDA_RUNTIME(cudaGraphAddMemsetNode)
(GraphNode **out, Graph *graph, Nodes after, size_t count, const MemsetCall *memset) {
  if (!memset)
    return keep(Code::InvalidValue);
  return enter([&] {
    Fill fill = fillOf(*memset);
    return cuGraphAddMemsetNode(out, graph, after, count, &fill, nullptr);
  });
}
CUDA_RUNTIME(cudaGraphMemsetNodeSetParams)(GraphNode *node, const MemsetCall *memset) {
  if (!memset)
    return keep(Code::InvalidValue);
  return enter([&] {
    Fill fill = fillOf(*memset);
    return cuGraphMemsetNodeSetParams(node, &fill);
  });
}
CUDA_RUNTIME(cudaGraphMemsetNodeGetParams)(GraphNode *node, MemsetCall *out) {
  if (!out)
    return keep(Code::InvalidValue);
  return enter([&] {
    Fill f{};
    Code code = cuGraphMemsetNodeGetParams(node, &f);
    *out = {reinterpret_cast<void *>(f.to), f.pitch, f.value, f.elementBytes, f.width, f.height};
    return code;
  });
}
CUDA_RUNTIME(cudaGraphExecMemsetNodeSetParams)
(GraphExec *executable, GraphNode *node, const MemsetCall *memset) {
  if (!memset)
    return keep(Code::InvalidValue);
  return enter([&] {
    Fill fill = fillOf(*memset);
    return cuGraphExecMemsetNodeSetParams(executable, node, &fill, nullptr);
  });
}

CUDA_RUNTIME(cudaGraphAddNode)
(GraphNode **out, Graph *graph, Nodes after, const EdgeData *edges, size_t count, NodeCall *call) {
  if (!call)
    return keep(Code::InvalidValue);
  return enter([&] {
    NodeParameters parameters;
    Code code = translate(*call, parameters);
    if (code == Code::Success && call->type == NodeType::Conditional)
      code = cuCtxGetCurrent(&parameters.condition.context);
    if (code == Code::Success)
      code = cuGraphAddNode_v2(out, graph, after, edges, count, &parameters);
    if (code == Code::Success && call->type == NodeType::Allocate)
      call->allocate.pointer = parameters.allocate.pointer;
    if (code == Code::Success && call->type == NodeType::Conditional)
      call->condition.bodies = parameters.condition.bodies;
    return code;
  });
}
CUDA_RUNTIME(cudaGraphNodeSetParams)(GraphNode *node, const NodeCall *call) {
  if (!call)
    return keep(Code::InvalidValue);
  return withParameters(*call, [&](NodeParameters &p) { return cuGraphNodeSetParams(node, &p); });
}
CUDA_RUNTIME(cudaGraphExecNodeSetParams)
(GraphExec *executable, GraphNode *node, const NodeCall *call) {
  if (!call)
    return keep(Code::InvalidValue);
  return withParameters(
      *call, [&](NodeParameters &p) { return cuGraphExecNodeSetParams(executable, node, &p); });
}
