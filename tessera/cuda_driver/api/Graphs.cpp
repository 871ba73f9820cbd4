// Graphs: nodes, edges, executables.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cuda_driver/Api.h"
#include "tessera/cuda_driver/Driver.h"

#include <algorithm>
#include <cstring>

using namespace tessera::cuda_driver;

namespace {

template <class Body> Code onGraph(Graph *graph, Body &&body) {
  return call(
      [&](Driver &driver) { return Graph::lives(graph) ? body(driver) : code::InvalidHandle; });
}

bool has(const Graph &graph, const GraphNode *node) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(),
                     [&](const auto &own) { return own.get() == node; });
}

template <class Body> Code onNode(GraphNode *node, Body &&body) {
  return call(
      [&](Driver &driver) { return GraphNode::lives(node) ? body(driver) : code::InvalidHandle; });
}

//===--- Making nodes
//---------------------------------------------------------------------------===//

Code makeLaunchOf(const KernelCall &call, LaunchWork &out) {
  LaunchConfig config{.grid = {call.grid[0], call.grid[1], call.grid[2]},
                      .block = {call.block[0], call.block[1], call.block[2]},
                      .sharedBytes = call.sharedBytes};
  return makeLaunch(config, call.function ? call.function : call.kernel, call.arguments, call.extra,
                    out);
}

Code add(GraphNode **out, Graph *graph, GraphNode *const *after, size_t count, Work work) {
  return onGraph(graph, [&](Driver &) {
    for (size_t i = 0; i < count; ++i)
      if (!has(*graph, after[i]))
        return Code::InvalidValue;
    *out = graph->add(std::move(work), std::vector<GraphNode *>(after, after + count));
    return Code::Success;
  });
}

Code addKernel(GraphNode **out, Graph *graph, GraphNode *const *after, size_t count,
               const KernelCall &kernel) {
  return call([&](Driver &) {
    LaunchWork work;
    Code made = makeLaunchOf(kernel, work);
    return made == Code::Success ? add(out, graph, after, count, std::move(work)) : made;
  });
}
/// CUDA_KERNEL_NODE_PARAMS_v1 ends before the kernel and the context.
KernelCall whole(const KernelCall *v1) {
  KernelCall out{};
  std::memcpy(static_cast<void *>(&out), v1, offsetof(KernelCall, kernel));
  return out;
}

void copyInto(const Graph &graph, Graph &out, NodeCopies &copies) {
  for (const auto &node : graph.nodes)
    copies[node.get()] = out.add(node->work, {});
  for (const auto &node : graph.nodes) {
    GraphNode *copy = copies[node.get()];
    copy->isEnabled = node->isEnabled;
    for (const GraphNode *before : node->after)
      copy->after.push_back(copies[before]);
    if (auto *child = std::get_if<ChildWork>(&copy->work)) {
      auto own = std::make_shared<Graph>();
      copyInto(*child->graph, *own, copies);
      child->graph = std::move(own);
    }
  }
}

Code allocateFor(AllocateCall &call) {
  tessera::Result<uint64_t> address = Driver::get().machine->memory().allocate(call.bytes);
  if (!address)
    return Code::OutOfMemory;
  call.pointer = *address;
  return Code::Success;
}

Code addAny(GraphNode **out, Graph *graph, GraphNode *const *after, size_t count,
            NodeParameters *parameters) {
  return call([&](Driver &) {
    auto put = [&](Work work) { return add(out, graph, after, count, std::move(work)); };
    switch (parameters->type) {
    case NodeType::Kernel: return addKernel(out, graph, after, count, parameters->kernel);
    case NodeType::Copy: return put(parameters->copy.copy);
    case NodeType::Fill: return put(parameters->fill);
    case NodeType::Host: return put(parameters->host);
    case NodeType::Empty: return put(EmptyWork());
    case NodeType::WaitEvent: return put(WaitWork{parameters->event});
    case NodeType::RecordEvent: return put(RecordWork{parameters->event});
    case NodeType::Free: return put(FreeWork{parameters->free});
    case NodeType::Allocate:
      if (Code ended = allocateFor(parameters->allocate); ended != Code::Success)
        return ended;
      return put(AllocateWork{parameters->allocate});
    case NodeType::Child: {
      if (!Graph::lives(parameters->child))
        return code::InvalidHandle;
      NodeCopies copies;
      auto child = std::make_shared<Graph>();
      copyInto(*parameters->child, *child, copies);
      return put(ChildWork{std::move(child)});
    }
    default:
      return refuse("cuGraphAddNode",
                    "nodes of semaphores, batches of values and conditions are not simulated");
    }
  });
}

//===--- Asking nodes
//---------------------------------------------------------------------------===//

template <class T> Code getWork(GraphNode *node, T *out) {
  return onNode(node, [&](Driver &) {
    const T *work = std::get_if<T>(&node->work);
    if (!work)
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
/// The node of an executable that stands for one of its graph.
Code setCopy(GraphExec *executable, GraphNode *node, Work work) {
  return call([&](Driver &driver) {
    if (!driver.executables.has(executable))
      return code::InvalidHandle;
    auto found = executable->copies.find(node);
    if (found == executable->copies.end() || found->second->work.index() != work.index())
      return Code::InvalidValue;
    found->second->work = std::move(work);
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
Code setKernel(GraphNode *node, const KernelCall &kernel, GraphExec *executable = nullptr) {
  return call([&](Driver &) {
    LaunchWork work;
    if (Code made = makeLaunchOf(kernel, work); made != Code::Success)
      return made;
    return executable ? setCopy(executable, node, std::move(work)) : setWork(node, std::move(work));
  });
}

/// Writes what there is room for; without room, how many there are.
template <class T> Code list(const std::vector<T> &all, T *out, size_t *count) {
  if (out) {
    std::copy_n(all.begin(), std::min(all.size(), *count), out);
    std::fill(out + std::min(all.size(), *count), out + *count, T{});
  }
  *count = all.size();
  return Code::Success;
}

template <class Keep> Code getNodes(Graph *graph, GraphNode **out, size_t *count, Keep keep) {
  return onGraph(graph, [&](Driver &) {
    std::vector<GraphNode *> all;
    for (const auto &node : graph->nodes)
      if (keep(*node))
        all.push_back(node.get());
    return list(all, out, count);
  });
}

Code getEdges(Graph *graph, GraphNode **from, GraphNode **to, EdgeData *data, size_t *count) {
  return onGraph(graph, [&](Driver &) {
    std::vector<GraphNode *> froms, tos;
    for (const auto &node : graph->nodes)
      for (GraphNode *before : node->after)
        froms.push_back(before), tos.push_back(node.get());
    size_t room = *count;
    if (data)
      std::memset(data, 0, room * sizeof *data);
    list(froms, from, count);
    return list(tos, to, &(*count = room));
  });
}

Code change(Graph *graph, GraphNode *const *from, GraphNode *const *to, size_t count, bool adds) {
  return onGraph(graph, [&](Driver &) {
    for (size_t i = 0; i < count; ++i) {
      if (!has(*graph, from[i]) || !has(*graph, to[i]))
        return Code::InvalidValue;
      std::vector<GraphNode *> &after = to[i]->after;
      auto found = std::find(after.begin(), after.end(), from[i]);
      if (adds == (found != after.end()))
        return Code::InvalidValue;
      if (adds)
        after.push_back(from[i]);
      else
        after.erase(found);
    }
    return Code::Success;
  });
}

Code getDependents(GraphNode *node, GraphNode **out, size_t *count) {
  return onNode(node, [&](Driver &) {
    std::vector<GraphNode *> all;
    for (const auto &other : node->graph->nodes)
      if (std::find(other->after.begin(), other->after.end(), node) != other->after.end())
        all.push_back(other.get());
    return list(all, out, count);
  });
}

Code instantiate(GraphExec **out, Graph *graph) {
  return onGraph(graph, [&](Driver &driver) {
    if (!graph->nodes.empty() && graph->order().empty())
      return Code::InvalidValue;
    auto *made = driver.executables.make();
    copyInto(*graph, *made->graph, made->copies);
    *out = made;
    return Code::Success;
  });
}

/// Takes the nodes of a graph of the same shape.
Code updateFrom(GraphExec *executable, Graph *graph, UpdateResult *result) {
  return onGraph(graph, [&](Driver &driver) {
    if (!driver.executables.has(executable))
      return code::InvalidHandle;
    constexpr int topologyChanged = 2, typeChanged = 3;
    std::vector<GraphNode *> now = executable->graph->order(), wanted = graph->order();
    auto differ = [&](int why, GraphNode *node) {
      *result = {why, node, nullptr};
      return code::GraphUpdate;
    };
    *result = {};
    if (now.size() != wanted.size())
      return differ(topologyChanged, nullptr);
    for (size_t i = 0; i < now.size(); ++i) {
      if (now[i]->after.size() != wanted[i]->after.size())
        return differ(topologyChanged, wanted[i]);
      if (now[i]->work.index() != wanted[i]->work.index())
        return differ(typeChanged, wanted[i]);
    }
    executable->copies.clear();
    executable->graph = std::make_shared<Graph>();
    copyInto(*graph, *executable->graph, executable->copies);
    return Code::Success;
  });
}

} // namespace

//===--- Graphs
//---------------------------------------------------------------------------------===//

CUDA_API(cuGraphCreate)(Graph **graph, unsigned) {
  return call([&](Driver &driver) {
    *graph = driver.graphs.make();
    return Code::Success;
  });
}
CUDA_API(cuGraphDestroy)(Graph *graph) {
  return call(Needs::Initialised, [&](Driver &driver) {
    driver.clones.erase(graph);
    return driver.graphs.remove(graph) ? Code::Success : code::InvalidHandle;
  });
}
CUDA_API(cuGraphClone)(Graph **out, Graph *graph) {
  return onGraph(graph, [&](Driver &driver) {
    *out = driver.graphs.make();
    copyInto(*graph, **out, driver.clones[*out]);
    return Code::Success;
  });
}
CUDA_API(cuGraphNodeFindInClone)(GraphNode **out, GraphNode *node, Graph *clone) {
  return onGraph(clone, [&](Driver &driver) {
    auto &copies = driver.clones[clone];
    auto found = copies.find(node);
    if (found == copies.end())
      return Code::InvalidValue;
    *out = found->second;
    return Code::Success;
  });
}

//===--- Adding nodes
//---------------------------------------------------------------------------===//

CUDA_API(cuGraphAddNode)
(GraphNode **out, Graph *graph, GraphNode *const *after, size_t count, NodeParameters *parameters) {
  return addAny(out, graph, after, count, parameters);
}
CUDA_API(cuGraphAddNode_v2)
(GraphNode **out, Graph *graph, GraphNode *const *after, const EdgeData *, size_t count,
 NodeParameters *parameters) {
  return addAny(out, graph, after, count, parameters);
}
CUDA_API(cuGraphAddKernelNode)
(GraphNode **out, Graph *graph, GraphNode *const *after, size_t count, const KernelCall *kernel) {
  return addKernel(out, graph, after, count, whole(kernel));
}
CUDA_API(cuGraphAddKernelNode_v2)
(GraphNode **out, Graph *graph, GraphNode *const *after, size_t count, const KernelCall *kernel) {
  return addKernel(out, graph, after, count, *kernel);
}
CUDA_API(cuGraphAddMemcpyNode)
(GraphNode **out, Graph *graph, GraphNode *const *after, size_t count, const Copy3d *copy,
 Context *) {
  return add(out, graph, after, count, *copy);
}
CUDA_API(cuGraphAddMemsetNode)
(GraphNode **out, Graph *graph, GraphNode *const *after, size_t count, const Fill *fill,
 Context *) {
  return add(out, graph, after, count, *fill);
}
CUDA_API(cuGraphAddHostNode)
(GraphNode **out, Graph *graph, GraphNode *const *after, size_t count, const HostCall *host) {
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
      std::erase(other->after, node);
    std::erase_if(graph.nodes, [&](const auto &own) { return own.get() == node; });
    return Code::Success;
  });
}

//===--- Asking and changing nodes
//--------------------------------------------------------------===//

CUDA_API(cuGraphNodeGetType)(GraphNode *node, NodeType *type) {
  return onNode(node, [&](Driver &) {
    *type = typeOf(node->work);
    return Code::Success;
  });
}
CUDA_API(cuGraphKernelNodeGetParams)(GraphNode *node, KernelCall *out) {
  return getKernel(node, out, false);
}
CUDA_API(cuGraphKernelNodeGetParams_v2)(GraphNode *node, KernelCall *out) {
  return getKernel(node, out, true);
}
CUDA_API(cuGraphKernelNodeSetParams)(GraphNode *node, const KernelCall *kernel) {
  return setKernel(node, whole(kernel));
}
CUDA_API(cuGraphKernelNodeSetParams_v2)(GraphNode *node, const KernelCall *kernel) {
  return setKernel(node, *kernel);
}
CUDA_API(cuGraphKernelNodeSetAttribute)
(GraphNode *node, LaunchAttributeId id, const LaunchAttribute::Value *value) {
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
CUDA_API(cuGraphMemcpyNodeGetParams)(GraphNode *node, Copy3d *out) { return getWork(node, out); }
CUDA_API(cuGraphMemcpyNodeSetParams)(GraphNode *node, const Copy3d *copy) {
  return setWork(node, *copy);
}
CUDA_API(cuGraphMemsetNodeGetParams)(GraphNode *node, Fill *out) {
  return onNode(node, [&](Driver &) {
    const Fill *fill = std::get_if<Fill>(&node->work);
    if (!fill)
      return Code::InvalidValue;
    std::memcpy(out, fill, offsetof(Fill, context)); // CUDA_MEMSET_NODE_PARAMS_v1
    return Code::Success;
  });
}
CUDA_API(cuGraphMemsetNodeSetParams)(GraphNode *node, const Fill *fill) {
  return setWork(node, *fill);
}
CUDA_API(cuGraphHostNodeGetParams)(GraphNode *node, HostCall *out) { return getWork(node, out); }
CUDA_API(cuGraphHostNodeSetParams)(GraphNode *node, const HostCall *host) {
  return setWork(node, *host);
}
CUDA_API(cuGraphChildGraphNodeGetGraph)(GraphNode *node, Graph **graph) {
  return onNode(node, [&](Driver &) {
    auto *work = std::get_if<ChildWork>(&node->work);
    if (!work)
      return Code::InvalidValue;
    *graph = work->graph.get();
    return Code::Success;
  });
}
CUDA_API(cuGraphEventRecordNodeGetEvent)(GraphNode *node, Event **event) {
  RecordWork work{};
  Code ended = getWork(node, &work);
  *event = work.event;
  return ended;
}
CUDA_API(cuGraphEventWaitNodeGetEvent)(GraphNode *node, Event **event) {
  WaitWork work{};
  Code ended = getWork(node, &work);
  *event = work.event;
  return ended;
}
CUDA_API(cuGraphMemAllocNodeGetParams)(GraphNode *node, AllocateCall *out) {
  AllocateWork work{};
  Code ended = getWork(node, &work);
  *out = work.call;
  return ended;
}

CUDA_API(cuGraphGetNodes)(Graph *graph, GraphNode **out, size_t *count) {
  return getNodes(graph, out, count, [](const GraphNode &) { return true; });
}
CUDA_API(cuGraphGetRootNodes)(Graph *graph, GraphNode **out, size_t *count) {
  return getNodes(graph, out, count, [](const GraphNode &node) { return node.after.empty(); });
}
CUDA_API(cuGraphGetEdges)(Graph *graph, GraphNode **from, GraphNode **to, size_t *count) {
  return getEdges(graph, from, to, nullptr, count);
}
CUDA_API(cuGraphGetEdges_v2)
(Graph *graph, GraphNode **from, GraphNode **to, EdgeData *data, size_t *count) {
  return getEdges(graph, from, to, data, count);
}
CUDA_API(cuGraphNodeGetDependencies)(GraphNode *node, GraphNode **out, size_t *count) {
  return onNode(node, [&](Driver &) { return list(node->after, out, count); });
}
CUDA_API(cuGraphNodeGetDependencies_v2)
(GraphNode *node, GraphNode **out, EdgeData *data, size_t *count) {
  return onNode(node, [&](Driver &) {
    if (data)
      std::memset(data, 0, *count * sizeof *data);
    return list(node->after, out, count);
  });
}
CUDA_API(cuGraphNodeGetDependentNodes)(GraphNode *node, GraphNode **out, size_t *count) {
  return getDependents(node, out, count);
}
CUDA_API(cuGraphNodeGetDependentNodes_v2)
(GraphNode *node, GraphNode **out, EdgeData *data, size_t *count) {
  if (data)
    std::memset(data, 0, *count * sizeof *data);
  return getDependents(node, out, count);
}
CUDA_API(cuGraphAddDependencies)
(Graph *graph, GraphNode *const *from, GraphNode *const *to, size_t count) {
  return change(graph, from, to, count, true);
}
CUDA_API(cuGraphAddDependencies_v2)
(Graph *graph, GraphNode *const *from, GraphNode *const *to, const EdgeData *, size_t count) {
  return change(graph, from, to, count, true);
}
CUDA_API(cuGraphRemoveDependencies)
(Graph *graph, GraphNode *const *from, GraphNode *const *to, size_t count) {
  return change(graph, from, to, count, false);
}
CUDA_API(cuGraphRemoveDependencies_v2)
(Graph *graph, GraphNode *const *from, GraphNode *const *to, const EdgeData *, size_t count) {
  return change(graph, from, to, count, false);
}

//===--- Executables
//----------------------------------------------------------------------------===//

CUDA_API(cuGraphInstantiate_v2)
(GraphExec **out, Graph *graph, GraphNode **failed, char *log, size_t size) {
  if (failed)
    *failed = nullptr;
  if (log && size)
    *log = '\0';
  return instantiate(out, graph);
}
CUDA_API(cuGraphInstantiateWithFlags)(GraphExec **out, Graph *graph, unsigned long long) {
  return instantiate(out, graph);
}
CUDA_API(cuGraphInstantiateWithParams)
(GraphExec **out, Graph *graph, InstantiateParameters *parameters) {
  Code ended = instantiate(out, graph);
  parameters->failed = nullptr;
  parameters->result = ended != Code::Success; // CUDA_GRAPH_INSTANTIATE_ERROR
  return ended;
}
CUDA_API(cuGraphExecGetFlags)(GraphExec *, unsigned long long *flags) {
  return call([&](Driver &) {
    *flags = 0;
    return Code::Success;
  });
}
CUDA_API(cuGraphExecDestroy)(GraphExec *executable) {
  return call(Needs::Initialised, [&](Driver &driver) {
    return driver.executables.remove(executable) ? Code::Success : code::InvalidHandle;
  });
}
CUDA_API(cuGraphUpload)(GraphExec *, Stream *) {
  return call([](Driver &) { return Code::Success; });
}
CUDA_API(cuGraphLaunch)(GraphExec *executable, Stream *handle) {
  return call([&](Driver &driver) {
    Stream *stream = driver.find(handle);
    if (!stream || !driver.executables.has(executable))
      return code::InvalidHandle;
    return stream->capture ? submit(handle, ChildWork{executable->graph}) : run(*executable->graph);
  });
}
CUDA_API(cuGraphExecUpdate_v2)(GraphExec *executable, Graph *graph, UpdateResult *result) {
  return updateFrom(executable, graph, result);
}
CUDA_API(cuGraphExecUpdate)
(GraphExec *executable, Graph *graph, GraphNode **failed, int *result) {
  UpdateResult out{};
  Code ended = updateFrom(executable, graph, &out);
  *failed = out.node;
  *result = out.result;
  return ended;
}
CUDA_API(cuGraphExecKernelNodeSetParams)
(GraphExec *executable, GraphNode *node, const KernelCall *kernel) {
  return setKernel(node, whole(kernel), executable);
}
CUDA_API(cuGraphExecKernelNodeSetParams_v2)
(GraphExec *executable, GraphNode *node, const KernelCall *kernel) {
  return setKernel(node, *kernel, executable);
}
CUDA_API(cuGraphExecMemcpyNodeSetParams)
(GraphExec *executable, GraphNode *node, const Copy3d *copy, Context *) {
  return setCopy(executable, node, *copy);
}
CUDA_API(cuGraphExecMemsetNodeSetParams)
(GraphExec *executable, GraphNode *node, const Fill *fill, Context *) {
  return setCopy(executable, node, *fill);
}
CUDA_API(cuGraphExecHostNodeSetParams)
(GraphExec *executable, GraphNode *node, const HostCall *host) {
  return setCopy(executable, node, *host);
}
CUDA_API(cuGraphNodeSetEnabled)(GraphExec *executable, GraphNode *node, unsigned isEnabled) {
  return call([&](Driver &driver) {
    if (!driver.executables.has(executable) || !executable->copies.contains(node))
      return code::InvalidHandle;
    executable->copies[node]->isEnabled = isEnabled != 0;
    return Code::Success;
  });
}
CUDA_API(cuGraphNodeGetEnabled)(GraphExec *executable, GraphNode *node, unsigned *isEnabled) {
  return call([&](Driver &driver) {
    if (!driver.executables.has(executable) || !executable->copies.contains(node))
      return code::InvalidHandle;
    *isEnabled = executable->copies[node]->isEnabled;
    return Code::Success;
  });
}

//===--- Objects of the user
//--------------------------------------------------------------------===//

CUDA_API(cuUserObjectCreate)
(UserObject **out, void *object, HostFunction destroy, unsigned references, unsigned) {
  return call([&](Driver &driver) {
    *out = driver.userObjects.make(UserObject{object, destroy, references});
    return Code::Success;
  });
}
CUDA_API(cuUserObjectRetain)(UserObject *object, unsigned count) {
  return call([&](Driver &driver) {
    if (!driver.userObjects.has(object))
      return code::InvalidHandle;
    object->references += count;
    return Code::Success;
  });
}
CUDA_API(cuUserObjectRelease)(UserObject *object, unsigned count) {
  return call([&](Driver &driver) {
    if (!driver.userObjects.has(object) || object->references < count)
      return code::InvalidHandle;
    object->references -= count;
    if (object->references)
      return Code::Success;
    object->destroy(object->object);
    driver.userObjects.remove(object);
    return Code::Success;
  });
}
