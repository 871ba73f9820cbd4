// Graphs: copies, edges, lists of nodes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cuda_driver/Api.h"
#include "tessera/cuda_driver/api/GraphHandles.h"
#include "tessera/files/OutputFile.h"

#include <algorithm>
#include <cstring>
#include <map>

using namespace tessera::cuda_driver;

bool tessera::cuda_driver::has(const Graph &graph, const GraphNode *node) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(),
                     [&](const auto &own) { return own.get() == node; });
}

bool tessera::cuda_driver::hasConditions(const Graph &graph) {
  return std::ranges::any_of(
      graph.nodes, [](const auto &node) { return typeOf(node->work) == NodeType::Conditional; });
}

void tessera::cuda_driver::copyInto(const Graph &graph, Graph &out, NodeCopies &copies) {
  out.objects = graph.objects;
  out.conditions = graph.conditions;
  for (const auto &node : graph.nodes)
    copies[node.get()] = out.add(node->work, {});
  for (const auto &node : graph.nodes) {
    GraphNode *copy = copies[node.get()];
    copy->isEnabled = node->isEnabled;
    for (const GraphNode *before : node->after) {
      copy->after.push_back(copies[before]);
      copy->setEdge(copies[before], node->edgeFrom(before));
    }
    if (auto *child = std::get_if<ChildWork>(&copy->work)) {
      auto own = std::make_shared<Graph>();
      copyInto(*child->graph, *own, copies);
      child->graph = std::move(own);
    }
    if (auto *condition = std::get_if<ConditionWork>(&copy->work)) {
      for (auto &body : condition->bodies) {
        auto own = std::make_shared<Graph>();
        copyInto(*body, *own, copies);
        body = std::move(own);
      }
      condition->name();
    }
  }
}

namespace {

/// Writes as many as there is room for; without a buffer, only their number.
template <class T> Code list(const std::vector<T> &all, T *out, size_t *count) {
  if (!count)
    return Code::InvalidValue;
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

/// Nodes, and the edges to or from them.
Code listWithKinds(const std::vector<GraphNode *> &nodes, const std::vector<EdgeData> &kinds,
                   GraphNode **out, EdgeData *data, size_t *count) {
  if (!count)
    return Code::InvalidValue;
  const size_t room = *count;
  if (data)
    list(kinds, data, count);
  *count = room;
  return list(nodes, out, count);
}

Code getEdges(Graph *graph, GraphNode **from, GraphNode **to, EdgeData *data, size_t *count) {
  return onGraph(graph, [&](Driver &) {
    if (!count)
      return Code::InvalidValue;
    std::vector<GraphNode *> froms, tos;
    std::vector<EdgeData> kinds;
    for (const auto &node : graph->nodes)
      for (GraphNode *before : node->after) {
        froms.push_back(before), tos.push_back(node.get());
        kinds.push_back(node->edgeFrom(before));
      }
    size_t room = *count;
    if (data)
      list(kinds, data, &(*count = room));
    *count = room;
    list(froms, from, count);
    return list(tos, to, &(*count = room));
  });
}

Code change(Graph *graph, GraphNode *const *from, GraphNode *const *to, const EdgeData *data,
            size_t count, bool adds) {
  return onGraph(graph, [&](Driver &) {
    for (size_t i = 0; i < count; ++i) {
      if (!has(*graph, from[i]) || !has(*graph, to[i]) || from[i] == to[i])
        return Code::InvalidValue;
      std::vector<GraphNode *> &after = to[i]->after;
      auto found = std::find(after.begin(), after.end(), from[i]);
      if (adds == (found != after.end()))
        return Code::InvalidValue;
      if (adds)
        after.push_back(from[i]);
      else
        after.erase(found);
      to[i]->setEdge(from[i], adds && data ? data[i] : EdgeData{});
    }
    return Code::Success;
  });
}

Code getDependents(GraphNode *node, GraphNode **out, EdgeData *data, size_t *count) {
  return onNode(node, [&](Driver &) {
    std::vector<GraphNode *> all;
    std::vector<EdgeData> kinds;
    for (const auto &other : node->graph->nodes)
      if (std::find(other->after.begin(), other->after.end(), node) != other->after.end()) {
        all.push_back(other.get());
        kinds.push_back(other->edgeFrom(node));
      }
    return listWithKinds(all, kinds, out, data, count);
  });
}

} // namespace

CUDA_API(cuGraphCreate)(Graph **graph, unsigned flags) {
  return call(Needs::Sound, [&](Driver &driver) {
    if (!graph || flags)
      return Code::InvalidValue;
    *graph = driver.graphs.make();
    return Code::Success;
  });
}
CUDA_API(cuGraphDestroy)(Graph *graph) {
  return call(Needs::Initialised, [&](Driver &driver) {
    driver.clones.erase(graph);
    for (auto &[handle, condition] : driver.conditions) // executables may go on to use them
      if (condition.graph == graph)
        condition.graph = nullptr;
    return driver.graphs.remove(graph) ? Code::Success : Code::InvalidHandle;
  });
}
CUDA_API(cuGraphClone)(Graph **out, Graph *graph) {
  return onGraph(graph, [&](Driver &driver) {
    if (!out)
      return Code::InvalidValue;
    if (hasConditions(*graph))
      return Code::NotSupported; // as an H200 says it
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
    if (!out)
      return Code::InvalidValue;
    *out = found->second;
    return Code::Success;
  });
}

/// A graph in the language of Graphviz: nodes by their places, with their kinds and kernels.
std::string tessera::cuda_driver::dotOf(const Graph &graph) {
  constexpr const char *kinds[] = {"kernel", "copy", "fill",         "host",       "graph",
                                   "empty",  "wait", "record",       "signal",     "wait",
                                   "malloc", "free", "batch memory", "conditional"};
  std::map<const GraphNode *, size_t> numbers;
  std::string out = "digraph cuda {\n";
  for (const auto &node : graph.nodes) {
    const size_t number = numbers.emplace(node.get(), numbers.size()).first->second;
    std::string label = kinds[size_t(typeOf(node->work))];
    if (auto *launch = std::get_if<LaunchWork>(&node->work))
      label += cat("\\n", launch->kernel->function->name);
    out += cat("  n", number, " [label=\"", label, "\"];\n");
  }
  for (const auto &node : graph.nodes)
    for (const GraphNode *before : node->after)
      out += cat("  n", numbers.at(before), " -> n", numbers.at(node.get()), ";\n");
  return out + "}\n";
}

CUDA_API(cuGraphDebugDotPrint)(Graph *graph, const char *path, unsigned) {
  return onGraph(graph, [&](Driver &) {
    if (!path)
      return Code::InvalidValue;
    return tessera::files::writeFile(path, {dotOf(*graph)}) ? Code::Success : Code::OperatingSystem;
  });
}

//===--- Nodes and edges

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
    std::vector<EdgeData> kinds;
    for (const GraphNode *before : node->after)
      kinds.push_back(node->edgeFrom(before));
    return listWithKinds(node->after, kinds, out, data, count);
  });
}
CUDA_API(cuGraphNodeGetDependentNodes)(GraphNode *node, GraphNode **out, size_t *count) {
  return getDependents(node, out, nullptr, count);
}
CUDA_API(cuGraphNodeGetDependentNodes_v2)
(GraphNode *node, GraphNode **out, EdgeData *data, size_t *count) {
  return getDependents(node, out, data, count);
}
CUDA_API(cuGraphAddDependencies)
(Graph *graph, GraphNode *const *from, GraphNode *const *to, size_t count) {
  return change(graph, from, to, nullptr, count, true);
}
CUDA_API(cuGraphAddDependencies_v2)
(Graph *graph, GraphNode *const *from, GraphNode *const *to, const EdgeData *data, size_t count) {
  return change(graph, from, to, data, count, true);
}
CUDA_API(cuGraphRemoveDependencies)
(Graph *graph, GraphNode *const *from, GraphNode *const *to, size_t count) {
  return change(graph, from, to, nullptr, count, false);
}
CUDA_API(cuGraphRemoveDependencies_v2)
(Graph *graph, GraphNode *const *from, GraphNode *const *to, const EdgeData *, size_t count) {
  return change(graph, from, to, nullptr, count, false);
}
