// Values in memory that streams write and wait for, one by one, in batches and as nodes of graphs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cuda_driver/Api.h"
#include "tessera/cuda_driver/api/GraphHandles.h"

using namespace tessera::cuda_driver;

namespace {

Code submitAll(Stream *stream, const MemoryOperations &given) {
  return call([&](Driver &driver) {
    if (!driver.find(stream))
      return Code::InvalidHandle;
    MemoryWork work;
    Code made = makeMemoryWork(given, work);
    return made == Code::Success ? submit(stream, std::move(work)) : made;
  });
}
Code submitOne(Stream *stream, MemoryOperation::Kind kind, DevicePointer address, uint64_t value,
               unsigned flags) {
  MemoryOperation one{};
  one.kind = kind;
  one.address = address;
  one.value = value;
  one.flags = flags;
  return submitAll(stream, {nullptr, 1, &one, 0});
}

} // namespace

CUDA_API(cuStreamWaitValue32_v2)
(Stream *stream, DevicePointer address, uint32_t value, unsigned flags) {
  return submitOne(stream, MemoryOperation::Wait32, address, value, flags);
}
CUDA_API(cuStreamWaitValue64_v2)
(Stream *stream, DevicePointer address, uint64_t value, unsigned flags) {
  return submitOne(stream, MemoryOperation::Wait64, address, value, flags);
}
CUDA_API(cuStreamWriteValue32_v2)
(Stream *stream, DevicePointer address, uint32_t value, unsigned flags) {
  return submitOne(stream, MemoryOperation::Write32, address, value, flags);
}
CUDA_API(cuStreamWriteValue64_v2)
(Stream *stream, DevicePointer address, uint64_t value, unsigned flags) {
  return submitOne(stream, MemoryOperation::Write64, address, value, flags);
}
CUDA_API(cuStreamBatchMemOp_v2)
(Stream *stream, unsigned count, MemoryOperation *operations, unsigned flags) {
  return submitAll(stream, {nullptr, count, operations, flags});
}

//===--- Nodes -------------------------------------------------------------------------------===//

CUDA_API(cuGraphAddBatchMemOpNode)
(GraphNode **out, Graph *graph, GraphNode *const *after, size_t count,
 const MemoryOperations *operations) {
  if (!operations)
    return Code::InvalidValue;
  NodeParameters parameters{};
  parameters.type = NodeType::BatchMemory;
  parameters.memory = *operations;
  return cuGraphAddNode(out, graph, after, count, &parameters);
}
CUDA_API(cuGraphBatchMemOpNodeGetParams)(GraphNode *node, MemoryOperations *out) {
  return onNode(node, [&](Driver &) {
    auto *work = std::get_if<MemoryWork>(&node->work);
    if (!work || !out)
      return Code::InvalidValue;
    *out = {work->context, unsigned(work->operations.size()), work->operations.data(), 0};
    return Code::Success;
  });
}
CUDA_API(cuGraphBatchMemOpNodeSetParams)(GraphNode *node, const MemoryOperations *operations) {
  if (!operations)
    return Code::InvalidValue;
  NodeParameters parameters{};
  parameters.type = NodeType::BatchMemory;
  parameters.memory = *operations;
  return cuGraphNodeSetParams(node, &parameters);
}
CUDA_API(cuGraphExecBatchMemOpNodeSetParams)
(GraphExec *executable, GraphNode *node, const MemoryOperations *operations) {
  if (!operations)
    return Code::InvalidValue;
  NodeParameters parameters{};
  parameters.type = NodeType::BatchMemory;
  parameters.memory = *operations;
  return cuGraphExecNodeSetParams(executable, node, &parameters);
}
