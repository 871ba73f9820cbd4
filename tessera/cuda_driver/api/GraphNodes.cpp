// Nodes of graphs: made, asked, changed.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cuda_driver/Api.h"
#include "tessera/cuda_driver/api/GraphHandles.h"

#include <algorithm>
#include <cstring>

using namespace tessera::cuda_driver;

Code tessera::cuda_driver::makeLaunchOf(const KernelCall &call, LaunchWork &out) {
  LaunchConfig config{.grid = {call.grid[0], call.grid[1], call.grid[2]},
                      .block = {call.block[0], call.block[1], call.block[2]},
                      .sharedBytes = call.sharedBytes};
  return makeLaunch(config, call.function ? call.function : call.kernel, call.arguments, call.extra,
                    out);
}

KernelCall tessera::cuda_driver::whole(const KernelCall *v1) {
  KernelCall out{};
  std::memcpy(static_cast<void *>(&out), v1, offsetof(KernelCall, kernel));
  return out;
}

namespace {
Code allocateFor(AllocateCall &call) {
  tessera::Result<uint64_t> address = Driver::get().machine->memory().allocate(call.bytes);
  if (!address)
    return Code::OutOfMemory;
  Driver::get().given.insert(*address);
  call.pointer = *address;
  return Code::Success;
}
} // namespace

Code tessera::cuda_driver::makeWorkOf(const char *function, NodeParameters &parameters, Work &out) {
  auto put = [&](Work work) {
    out = std::move(work);
    return Code::Success;
  };
  switch (parameters.type) {
  case NodeType::Kernel: {
    LaunchWork work;
    Code made = makeLaunchOf(parameters.kernel, work);
    return made == Code::Success ? put(std::move(work)) : made;
  }
  case NodeType::Copy: return put(parameters.copy.copy);
  case NodeType::Fill: return put(parameters.fill);
  case NodeType::Host: return put(parameters.host);
  case NodeType::Empty: return put(EmptyWork());
  case NodeType::WaitEvent: return put(WaitWork{parameters.event});
  case NodeType::RecordEvent: return put(RecordWork{parameters.event});
  case NodeType::Free: return put(FreeWork{parameters.free});
  case NodeType::BatchMemory: {
    MemoryWork work;
    Code made = makeMemoryWork(parameters.memory, work);
    return made == Code::Success && !work.context ? Code::InvalidValue
           : made == Code::Success                ? put(std::move(work))
                                                  : made;
  }
  case NodeType::Allocate:
    if (Code ended = allocateFor(parameters.allocate); ended != Code::Success)
      return ended;
    return put(AllocateWork{parameters.allocate});
  case NodeType::Child: {
    if (!Graph::lives(parameters.child))
      return Code::InvalidHandle;
    if (hasConditions(*parameters.child))
      return Code::NotSupported; // as an H200 says it
    NodeCopies copies;
    auto child = std::make_shared<Graph>();
    copyInto(*parameters.child, *child, copies);
    return put(ChildWork{std::move(child)});
  }
  case NodeType::Conditional: return Code::InvalidValue; // made by addCondition only
  default: return refuse(function, "nodes of semaphores are not simulated");
  }
}

namespace {

//===--- Making nodes

Code add(GraphNode **out, Graph *graph, GraphNode *const *after, size_t count, Work work) {
  return onGraph(graph, [&](Driver &) {
    if (!out || (count && !after))
      return Code::InvalidValue;
    for (size_t i = 0; i < count; ++i)
      if (!has(*graph, after[i]))
        return Code::InvalidValue;
    *out = graph->add(std::move(work), std::vector<GraphNode *>(after, after + count));
    return Code::Success;
  });
}

Code addKernel(GraphNode **out, Graph *graph, GraphNode *const *after, size_t count,
               const KernelCall &kernel) {
  return call(Needs::Sound, [&](Driver &) {
    LaunchWork work;
    Code made = makeLaunchOf(kernel, work);
    return made == Code::Success ? add(out, graph, after, count, std::move(work)) : made;
  });
}
/// A node with bodies, which the program fills afterwards.
Code addCondition(GraphNode **out, Graph *graph, GraphNode *const *after, size_t count,
                  ConditionCall &asked) {
  return onGraph(graph, [&](Driver &driver) {
    auto found = driver.conditions.find(asked.handle);
    if (found == driver.conditions.end() || found->second.graph != graph || found->second.isUsed)
      return Code::InvalidValue;
    if (!asked.context)
      return Code::InvalidContext;
    const unsigned most = asked.kind == ConditionCall::If      ? 2
                          : asked.kind == ConditionCall::While ? 1
                                                               : ~0u;
    if (unsigned(asked.kind) > ConditionCall::Switch || !asked.size || asked.size > most)
      return Code::InvalidValue;
    ConditionWork work{.call = asked};
    for (unsigned i = 0; i < asked.size; ++i)
      work.bodies.push_back(std::make_shared<Graph>());
    work.name();
    Graph **bodies = work.call.bodies;
    Code ended = add(out, graph, after, count, std::move(work));
    if (ended == Code::Success) {
      asked.bodies = bodies;
      found->second.isUsed = true;
    }
    return ended;
  });
}
Code addAny(GraphNode **out, Graph *graph, GraphNode *const *after, size_t count,
            NodeParameters *parameters) {
  if (parameters->type == NodeType::Conditional)
    return addCondition(out, graph, after, count, parameters->condition);
  return call(Needs::Sound, [&](Driver &) {
    Work work = EmptyWork();
    Code made = makeWorkOf("cuGraphAddNode", *parameters, work);
    return made == Code::Success ? add(out, graph, after, count, std::move(work)) : made;
  });
}

//===--- Asking nodes

template <class T> Code getWork(GraphNode *node, T *out) {
  return onNode(node, [&](Driver &) {
    const T *work = std::get_if<T>(&node->work);
    if (!work)
      return Code::InvalidValue;
    if (!out)
      return Code::InvalidValue;
    *out = *work;
    return Code::Success;
  });
}
Code setWork(GraphNode *node, Work work) {
  return onNode(node, [&](Driver &) {
    if (node->work.index() != work.index())
      return Code::InvalidValue;
    node->work = std::move(work);
    return Code::Success;
  });
}
Code getKernel(GraphNode *node, KernelCall *out, bool isWhole) {
  return onNode(node, [&](Driver &) {
    auto *work = std::get_if<LaunchWork>(&node->work);
    if (!work)
      return Code::InvalidValue;
    work->pointers.clear();
    for (const tessera::sim::Parameter &p : work->kernel->function->parameters)
      work->pointers.push_back(work->parameters.data() + p.offset);
    KernelCall call{.function = work->kernel,
                    .grid = {work->grid.x, work->grid.y, work->grid.z},
                    .block = {work->block.x, work->block.y, work->block.z},
                    .sharedBytes = work->sharedBytes,
                    .arguments = work->pointers.data(),
                    .extra = nullptr,
                    .kernel = nullptr,
                    .context = nullptr};
    std::memcpy(static_cast<void *>(out), &call,
                isWhole ? sizeof call : offsetof(KernelCall, kernel));
    return Code::Success;
  });
}
Code setKernel(GraphNode *node, const KernelCall &kernel) {
  return call(Needs::Sound, [&](Driver &) {
    LaunchWork work;
    Code made = makeLaunchOf(kernel, work);
    return made == Code::Success ? setWork(node, std::move(work)) : made;
  });
}

} // namespace

//===--- Adding nodes

CUDA_API(cuGraphAddNode)
(GraphNode **out, Graph *graph, GraphNode *const *after, size_t count, NodeParameters *parameters) {
  if (!parameters)
    return Code::InvalidValue;
  return addAny(out, graph, after, count, parameters);
}
CUDA_API(cuGraphAddNode_v2)
(GraphNode **out, Graph *graph, GraphNode *const *after, const EdgeData *data, size_t count,
 NodeParameters *parameters) {
  if (!parameters)
    return Code::InvalidValue;
  Code ended = addAny(out, graph, after, count, parameters);
  for (size_t i = 0; i < count && data && ended == Code::Success; ++i)
    (*out)->setEdge(after[i], data[i]);
  return ended;
}
CUDA_API(cuGraphAddKernelNode)
(GraphNode **out, Graph *graph, GraphNode *const *after, size_t count, const KernelCall *kernel) {
  if (!kernel)
    return Code::InvalidValue;
  return addKernel(out, graph, after, count, whole(kernel));
}
CUDA_API(cuGraphAddKernelNode_v2)
(GraphNode **out, Graph *graph, GraphNode *const *after, size_t count, const KernelCall *kernel) {
  if (!kernel)
    return Code::InvalidValue;
  return addKernel(out, graph, after, count, *kernel);
}
CUDA_API(cuGraphAddMemcpyNode)
(GraphNode **out, Graph *graph, GraphNode *const *after, size_t count, const Copy3d *copy,
 Context *) {
  if (!copy)
    return Code::InvalidValue;
  return add(out, graph, after, count, *copy);
}
CUDA_API(cuGraphAddMemsetNode)
(GraphNode **out, Graph *graph, GraphNode *const *after, size_t count, const Fill *fill,
 Context *) {
  if (!fill)
    return Code::InvalidValue;
  return add(out, graph, after, count, *fill);
}
CUDA_API(cuGraphAddHostNode)
(GraphNode **out, Graph *graph, GraphNode *const *after, size_t count, const HostCall *host) {
  if (!host)
    return Code::InvalidValue;
  return add(out, graph, after, count, *host);
}
CUDA_API(cuGraphAddEmptyNode)
(GraphNode **out, Graph *graph, GraphNode *const *after, size_t count) {
  return add(out, graph, after, count, EmptyWork());
}
CUDA_API(cuGraphAddChildGraphNode)
(GraphNode **out, Graph *graph, GraphNode *const *after, size_t count, Graph *child) {
  NodeParameters parameters{};
  parameters.type = NodeType::Child;
  parameters.child = child;
  return addAny(out, graph, after, count, &parameters);
}
CUDA_API(cuGraphAddEventRecordNode)
(GraphNode **out, Graph *graph, GraphNode *const *after, size_t count, Event *event) {
  return add(out, graph, after, count, RecordWork{event});
}
CUDA_API(cuGraphAddEventWaitNode)
(GraphNode **out, Graph *graph, GraphNode *const *after, size_t count, Event *event) {
  return add(out, graph, after, count, WaitWork{event});
}
CUDA_API(cuGraphAddMemAllocNode)
(GraphNode **out, Graph *graph, GraphNode *const *after, size_t count, AllocateCall *allocate) {
  if (!allocate)
    return Code::InvalidValue;
  NodeParameters parameters{};
  parameters.type = NodeType::Allocate;
  parameters.allocate = *allocate;
  Code ended = addAny(out, graph, after, count, &parameters);
  allocate->pointer = parameters.allocate.pointer;
  return ended;
}
CUDA_API(cuGraphAddMemFreeNode)
(GraphNode **out, Graph *graph, GraphNode *const *after, size_t count, DevicePointer pointer) {
  return add(out, graph, after, count, FreeWork{pointer});
}
CUDA_API(cuGraphDestroyNode)(GraphNode *node) {
  return onNode(node, [&](Driver &) {
    Graph &graph = *node->graph;
    for (const auto &other : graph.nodes)
      std::erase(other->after, node), other->kinds.erase(node);
    std::erase_if(graph.nodes, [&](const auto &own) { return own.get() == node; });
    return Code::Success;
  });
}

CUDA_API(cuGraphConditionalHandleCreate)
(uint64_t *handle, Graph *graph, Context *, unsigned first, unsigned flags) {
  return call([&](Driver &driver) {
    constexpr unsigned assigns = 1; // CU_GRAPH_COND_ASSIGN_DEFAULT
    if (!Graph::lives(graph) || !handle || flags & ~assigns)
      return Code::InvalidValue;
    *handle = driver.nextId();
    driver.conditions[*handle] = {graph, first, (flags & assigns) != 0};
    driver.machine->conditions().put(*handle, first);
    graph->conditions.insert(*handle);
    return Code::Success;
  });
}

//===--- Asking and changing nodes

CUDA_API(cuGraphNodeGetType)(GraphNode *node, NodeType *type) {
  return onNode(node, [&](Driver &) {
    if (!type)
      return Code::InvalidValue;
    *type = typeOf(node->work);
    return Code::Success;
  });
}
CUDA_API(cuGraphKernelNodeGetParams)(GraphNode *node, KernelCall *out) {
  if (!out)
    return Code::InvalidValue;
  return getKernel(node, out, false);
}
CUDA_API(cuGraphKernelNodeGetParams_v2)(GraphNode *node, KernelCall *out) {
  if (!out)
    return Code::InvalidValue;
  return getKernel(node, out, true);
}
CUDA_API(cuGraphKernelNodeSetParams)(GraphNode *node, const KernelCall *kernel) {
  if (!kernel)
    return Code::InvalidValue;
  return setKernel(node, whole(kernel));
}
CUDA_API(cuGraphKernelNodeSetParams_v2)(GraphNode *node, const KernelCall *kernel) {
  if (!kernel)
    return Code::InvalidValue;
  return setKernel(node, *kernel);
}
CUDA_API(cuGraphKernelNodeSetAttribute)
(GraphNode *node, LaunchAttributeId id, const LaunchAttribute::Value *value) {
  if (!value)
    return Code::InvalidValue;
  return onNode(node, [&](Driver &) {
    auto *work = std::get_if<LaunchWork>(&node->work);
    if (!work)
      return Code::InvalidValue;
    if (id == LaunchAttributeId::Cooperative)
      work->cooperative = value->flag != 0;
    if (id == LaunchAttributeId::ClusterDimension)
      work->cluster = Extents{value->cluster.x, value->cluster.y, value->cluster.z};
    return Code::Success;
  });
}
CUDA_API(cuGraphKernelNodeGetAttribute)
(GraphNode *node, LaunchAttributeId id, LaunchAttribute::Value *value) {
  if (!value)
    return Code::InvalidValue;
  return onNode(node, [&](Driver &) {
    auto *work = std::get_if<LaunchWork>(&node->work);
    if (!work)
      return Code::InvalidValue;
    std::memset(value, 0, sizeof *value);
    if (id == LaunchAttributeId::Cooperative)
      value->flag = work->cooperative;
    if (id == LaunchAttributeId::ClusterDimension && work->cluster)
      value->cluster = {work->cluster->x, work->cluster->y, work->cluster->z};
    return Code::Success;
  });
}
CUDA_API(cuGraphKernelNodeCopyAttributes)(GraphNode *to, GraphNode *from) {
  return onNode(from, [&](Driver &) {
    auto *taken = std::get_if<LaunchWork>(&from->work);
    auto *given = GraphNode::lives(to) ? std::get_if<LaunchWork>(&to->work) : nullptr;
    if (!taken || !given)
      return Code::InvalidValue;
    given->cooperative = taken->cooperative;
    given->cluster = taken->cluster;
    return Code::Success;
  });
}
CUDA_API(cuGraphNodeSetParams)(GraphNode *node, NodeParameters *parameters) {
  if (!parameters)
    return Code::InvalidValue;
  return call(Needs::Sound, [&](Driver &) {
    Work work = EmptyWork();
    Code made = makeWorkOf("cuGraphNodeSetParams", *parameters, work);
    return made == Code::Success ? setWork(node, std::move(work)) : made;
  });
}
CUDA_API(cuGraphMemcpyNodeGetParams)(GraphNode *node, Copy3d *out) { return getWork(node, out); }
CUDA_API(cuGraphMemcpyNodeSetParams)(GraphNode *node, const Copy3d *copy) {
  if (!copy)
    return Code::InvalidValue;
  return setWork(node, *copy);
}
CUDA_API(cuGraphMemsetNodeGetParams)(GraphNode *node, Fill *out) {
  if (!out)
    return Code::InvalidValue;
  return onNode(node, [&](Driver &) {
    const Fill *fill = std::get_if<Fill>(&node->work);
    if (!fill)
      return Code::InvalidValue;
    std::memcpy(out, fill, offsetof(Fill, context)); // CUDA_MEMSET_NODE_PARAMS_v1
    return Code::Success;
  });
}
CUDA_API(cuGraphMemsetNodeSetParams)(GraphNode *node, const Fill *fill) {
  if (!fill)
    return Code::InvalidValue;
  return setWork(node, *fill);
}
CUDA_API(cuGraphHostNodeGetParams)(GraphNode *node, HostCall *out) { return getWork(node, out); }
CUDA_API(cuGraphHostNodeSetParams)(GraphNode *node, const HostCall *host) {
  if (!host)
    return Code::InvalidValue;
  return setWork(node, *host);
}
CUDA_API(cuGraphChildGraphNodeGetGraph)(GraphNode *node, Graph **graph) {
  return onNode(node, [&](Driver &) {
    auto *work = std::get_if<ChildWork>(&node->work);
    if (!work)
      return Code::InvalidValue;
    if (!graph)
      return Code::InvalidValue;
    *graph = work->graph.get();
    return Code::Success;
  });
}
CUDA_API(cuGraphEventRecordNodeGetEvent)(GraphNode *node, Event **event) {
  RecordWork work{};
  Code ended = getWork(node, &work);
  if (!event)
    return Code::InvalidValue;
  *event = work.event;
  return ended;
}
CUDA_API(cuGraphEventWaitNodeGetEvent)(GraphNode *node, Event **event) {
  WaitWork work{};
  Code ended = getWork(node, &work);
  if (!event)
    return Code::InvalidValue;
  *event = work.event;
  return ended;
}
CUDA_API(cuGraphEventRecordNodeSetEvent)(GraphNode *node, Event *event) {
  return setWork(node, RecordWork{event});
}
CUDA_API(cuGraphEventWaitNodeSetEvent)(GraphNode *node, Event *event) {
  return setWork(node, WaitWork{event});
}
CUDA_API(cuGraphMemFreeNodeGetParams)(GraphNode *node, DevicePointer *out) {
  FreeWork work{};
  Code ended = getWork(node, &work);
  if (!out)
    return Code::InvalidValue;
  *out = work.pointer;
  return ended;
}
CUDA_API(cuGraphMemAllocNodeGetParams)(GraphNode *node, AllocateCall *out) {
  AllocateWork work{};
  Code ended = getWork(node, &work);
  if (!out)
    return Code::InvalidValue;
  *out = work.call;
  return ended;
}
