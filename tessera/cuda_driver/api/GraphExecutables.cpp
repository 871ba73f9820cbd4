// Executables of graphs: made, changed, launched.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cuda_driver/Api.h"
#include "tessera/cuda_driver/api/GraphHandles.h"

using namespace tessera::cuda_driver;

namespace {

/// Sets the work of the node of an executable that stands for `node` of its graph.
Code setCopy(GraphExec *executable, GraphNode *node, Work work) {
  return call(Needs::Sound, [&](Driver &driver) {
    if (!driver.executables.has(executable))
      return Code::InvalidHandle;
    auto found = executable->copies.find(node);
    if (found == executable->copies.end() || found->second->work.index() != work.index())
      return Code::InvalidValue;
    found->second->work = std::move(work);
    return Code::Success;
  });
}

Code setKernel(GraphExec *executable, GraphNode *node, const KernelCall &kernel) {
  return call(Needs::Sound, [&](Driver &) {
    LaunchWork work;
    Code made = makeLaunchOf(kernel, work);
    return made == Code::Success ? setCopy(executable, node, std::move(work)) : made;
  });
}

Code setAny(const char *function, GraphExec *executable, GraphNode *node,
            NodeParameters &parameters) {
  return call(Needs::Sound, [&](Driver &) {
    Work work = EmptyWork();
    Code made = makeWorkOf(function, parameters, work);
    return made == Code::Success ? setCopy(executable, node, std::move(work)) : made;
  });
}

/// Bodies of conditions run on the device: they have no work of the host, no events and no memory.
bool isAllowed(const Graph &graph, bool isBody) {
  for (const auto &node : graph.nodes) {
    switch (typeOf(node->work)) {
    case NodeType::Kernel:
    case NodeType::Copy:
    case NodeType::Fill:
    case NodeType::Empty: break;
    case NodeType::Child:
      if (!isAllowed(*std::get<ChildWork>(node->work).graph, isBody))
        return false;
      break;
    case NodeType::Conditional:
      for (const auto &body : std::get<ConditionWork>(node->work).bodies)
        if (!isAllowed(*body, true))
          return false;
      break;
    default:
      if (isBody)
        return false;
    }
  }
  return true;
}

Code instantiate(GraphExec **out, Graph *graph) {
  return onGraph(graph, [&](Driver &driver) {
    if (!out || !isAllowed(*graph, false) || (!graph->nodes.empty() && graph->order().empty()))
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
      return Code::InvalidHandle;
    constexpr int topologyChanged = 2, typeChanged = 3;
    std::vector<GraphNode *> now = executable->graph->order(), wanted = graph->order();
    auto differ = [&](int why, GraphNode *node) {
      *result = {why, node, nullptr};
      return Code::GraphUpdate;
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
    const NodeCopies before = std::exchange(executable->copies, {});
    executable->graph = std::make_shared<Graph>();
    copyInto(*graph, *executable->graph, executable->copies);
    // CUDA names nodes of an executable by those of the graph that it was made of.
    std::map<const GraphNode *, GraphNode *> followers;
    for (size_t i = 0; i < now.size(); ++i)
      followers[now[i]] = executable->copies[wanted[i]];
    for (const auto &[original, copy] : before)
      if (auto follower = followers.find(copy); follower != followers.end())
        executable->copies.try_emplace(original, follower->second);
    return Code::Success;
  });
}

} // namespace

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
  if (!parameters)
    return Code::InvalidValue;
  Code ended = instantiate(out, graph);
  parameters->failed = nullptr;
  parameters->result = ended != Code::Success; // CUDA_GRAPH_INSTANTIATE_ERROR
  return ended;
}
CUDA_API(cuGraphExecGetFlags)(GraphExec *, unsigned long long *flags) {
  return call(Needs::Sound, [&](Driver &) {
    if (!flags)
      return Code::InvalidValue;
    *flags = 0;
    return Code::Success;
  });
}
CUDA_API(cuGraphExecDestroy)(GraphExec *executable) {
  return call(Needs::Initialised, [&](Driver &driver) {
    return driver.executables.remove(executable) ? Code::Success : Code::InvalidHandle;
  });
}
CUDA_API(cuGraphUpload)(GraphExec *, Stream *) {
  return call(Needs::Sound, [](Driver &) { return Code::Success; });
}
CUDA_API(cuGraphLaunch)(GraphExec *executable, Stream *handle) {
  return call(Needs::Sound, [&](Driver &driver) {
    Stream *stream = driver.find(handle);
    if (!stream || !driver.executables.has(executable))
      return Code::InvalidHandle;
    return submit(handle, ChildWork{executable->graph, true});
  });
}
CUDA_API(cuGraphExecUpdate_v2)(GraphExec *executable, Graph *graph, UpdateResult *result) {
  if (!result)
    return Code::InvalidValue;
  return updateFrom(executable, graph, result);
}
CUDA_API(cuGraphExecUpdate)
(GraphExec *executable, Graph *graph, GraphNode **failed, int *result) {
  if (!failed || !result)
    return Code::InvalidValue;
  UpdateResult out{};
  Code ended = updateFrom(executable, graph, &out);
  *failed = out.node;
  *result = out.result;
  return ended;
}
CUDA_API(cuGraphExecKernelNodeSetParams)
(GraphExec *executable, GraphNode *node, const KernelCall *kernel) {
  if (!kernel)
    return Code::InvalidValue;
  return setKernel(executable, node, whole(kernel));
}
CUDA_API(cuGraphExecKernelNodeSetParams_v2)
(GraphExec *executable, GraphNode *node, const KernelCall *kernel) {
  if (!kernel)
    return Code::InvalidValue;
  return setKernel(executable, node, *kernel);
}
CUDA_API(cuGraphExecMemcpyNodeSetParams)
(GraphExec *executable, GraphNode *node, const Copy3d *copy, Context *) {
  if (!copy)
    return Code::InvalidValue;
  return setCopy(executable, node, *copy);
}
CUDA_API(cuGraphExecMemsetNodeSetParams)
(GraphExec *executable, GraphNode *node, const Fill *fill, Context *) {
  if (!fill)
    return Code::InvalidValue;
  return setCopy(executable, node, *fill);
}
CUDA_API(cuGraphExecHostNodeSetParams)
(GraphExec *executable, GraphNode *node, const HostCall *host) {
  if (!host)
    return Code::InvalidValue;
  return setCopy(executable, node, *host);
}
CUDA_API(cuGraphExecEventRecordNodeSetEvent)
(GraphExec *executable, GraphNode *node, Event *event) {
  return setCopy(executable, node, RecordWork{event});
}
CUDA_API(cuGraphExecEventWaitNodeSetEvent)
(GraphExec *executable, GraphNode *node, Event *event) {
  return setCopy(executable, node, WaitWork{event});
}
CUDA_API(cuGraphExecChildGraphNodeSetParams)
(GraphExec *executable, GraphNode *node, Graph *child) {
  NodeParameters parameters{};
  parameters.type = NodeType::Child;
  parameters.child = child;
  return setAny("cuGraphExecChildGraphNodeSetParams", executable, node, parameters);
}
CUDA_API(cuGraphExecNodeSetParams)
(GraphExec *executable, GraphNode *node, NodeParameters *parameters) {
  if (!parameters)
    return Code::InvalidValue;
  return setAny("cuGraphExecNodeSetParams", executable, node, *parameters);
}
CUDA_API(cuGraphNodeSetEnabled)(GraphExec *executable, GraphNode *node, unsigned isEnabled) {
  return call(Needs::Sound, [&](Driver &driver) {
    if (!driver.executables.has(executable) || !executable->copies.contains(node))
      return Code::InvalidHandle;
    executable->copies[node]->isEnabled = isEnabled != 0;
    return Code::Success;
  });
}
CUDA_API(cuGraphNodeGetEnabled)(GraphExec *executable, GraphNode *node, unsigned *isEnabled) {
  return call(Needs::Sound, [&](Driver &driver) {
    if (!driver.executables.has(executable) || !executable->copies.contains(node))
      return Code::InvalidHandle;
    if (!isEnabled)
      return Code::InvalidValue;
    *isEnabled = executable->copies[node]->isEnabled;
    return Code::Success;
  });
}
