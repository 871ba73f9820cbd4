// Objects: what programs make through the driver's interface: contexts, modules, kernels, streams,
// events, memory pools, graphs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A handle is the address of its object. Registries own the objects and know which handles live, so
// that a wrong one is an error and not a crash.
#pragma once

#include "tessera/cuda_driver/Work.h"
#include "tessera/sanitize/WorkOrder.h"
#include "tessera/sim/Machine.h"

#include <chrono>
#include <map>
#include <memory>
#include <set>
#include <thread>

namespace tessera::cuda_driver {

template <class T> class Registry {
public:
  template <class... A> T *make(A &&...arguments) {
    auto made = std::make_unique<T>(std::forward<A>(arguments)...);
    T *handle = made.get();
    all.emplace(handle, std::move(made));
    return handle;
  }
  bool has(const T *handle) const { return all.contains(const_cast<T *>(handle)); }
  template <class F> void forEach(F &&f) const {
    for (const auto &[handle, object] : all)
      f(*object);
  }
  bool remove(const T *handle) { return all.erase(const_cast<T *>(handle)) != 0; }

private:
  std::map<T *, std::unique_ptr<T>> all;
};

/// Handles of objects that others own: graphs that are nodes, and nodes.
template <class T> class Tracked {
public:
  Tracked() { all().insert(this); }
  Tracked(const Tracked &) = delete;
  ~Tracked() { all().erase(this); }
  static bool lives(const T *handle) { return all().contains(handle); }

private:
  static std::set<const Tracked *> &all() {
    static auto *live = new std::set<const Tracked *>; // objects end after static ones
    return *live;
  }
};

struct Context {
  bool isPrimary = false;
  unsigned flags = 0;
  uint64_t id = 0;
};

/// A kernel: CUfunction and CUkernel are both its handle.
struct Kernel {
  Module *module = nullptr;
  const sim::Function *function = nullptr;
  std::map<FunctionAttribute, int> chosen{}; // by cuFuncSetAttribute
};

struct Module {
  sim::LoadedProgram loaded{};
  std::map<std::string, Kernel *, std::less<>> kernels{};
};

/// Code that becomes a module when one of its functions or variables is requested.
struct Library {
  std::string ptx{};    // empty: there is none that fits
  std::string reason{}; // why not
  Module *module = nullptr;
};

/// Operations of streams that are recorded in a graph instead of running.
struct Capture {
  Graph *graph = nullptr;
  Stream *origin = nullptr;
  int mode = 0;
  uint64_t id = 0;
  bool ownsGraph = true;
  bool isBesideLegacy = false; // a stream of it comes before and after the legacy one
  std::thread::id thread{};    // which began it
  std::set<Stream *> streams{};
  std::vector<GraphNode *> abandoned{}; // the last nodes of streams that were destroyed meanwhile
  /// Whether a call that a capture forbids was refused: nothing more is added, and there is no
  /// graph.
  bool isInvalid = false;
};

struct Stream {
  unsigned flags = 0;
  int priority = 0;
  uint64_t id = 0;
  std::shared_ptr<Capture> capture{};
  std::vector<GraphNode *> last{}; // of the capture: the nodes that the next operation follows
  uint32_t chain = 0;              // of its work (StreamOrder.h); 0: there was none
  sanitize::WorkClock known{};     // what its next work comes after
  uint32_t beganDependents = 0;    // the number of its last work, if that let dependent work begin

  bool isNonBlocking() const { return flags & 1; } // CU_STREAM_NON_BLOCKING
};

struct Event {
  unsigned flags = 0;
  std::optional<std::chrono::steady_clock::time_point> at{}; // when it was recorded
  std::shared_ptr<Capture> capture{};                        // in which it was last recorded
  sanitize::WorkClock known{};                               // what had been queued then
  std::vector<GraphNode *> last{};
};

struct Pool {
  std::map<int, uint64_t> attributes{}; // CUmemPool_attribute
  std::set<uint64_t> allocations{};
};

struct GraphNode : Tracked<GraphNode> {
  GraphNode(Work work, std::vector<GraphNode *> after, Graph *graph)
      : work(std::move(work)), after(std::move(after)), graph(graph) {}

  Work work;
  std::vector<GraphNode *> after;                // nodes of the same graph that precede it
  std::map<const GraphNode *, EdgeData> kinds{}; // of the edges from them that are not plain
  Graph *graph;
  bool isEnabled = true;

  EdgeData edgeFrom(const GraphNode *before) const {
    auto found = kinds.find(before);
    return found == kinds.end() ? EdgeData{} : found->second;
  }
  void setEdge(const GraphNode *before, const EdgeData &data) {
    data.isPlain() ? void(kinds.erase(before)) : void(kinds[before] = data);
  }
};

/// References of a graph to objects of the user; a copy of the graph has as many.
class HeldObjects {
public:
  HeldObjects() = default;
  HeldObjects(const HeldObjects &);
  HeldObjects &operator=(HeldObjects other) {
    std::swap(counts, other.counts);
    return *this;
  }
  ~HeldObjects();
  /// Takes over references, or gives some up; false if there are not as many.
  void take(UserObject *object, unsigned count) { counts[object] += count; }
  bool release(UserObject *object, unsigned count);

private:
  std::map<UserObject *, unsigned> counts{};
};

/// What is known of a graph that was launched (StreamOrder.h): its end, and the chains of work that
/// its nodes got.
struct Launched {
  sanitize::WorkClock ended{};
  std::vector<uint32_t> chains{};
};

struct Graph : Tracked<Graph> {
  std::vector<std::unique_ptr<GraphNode>> nodes{};
  mutable Launched launched{}; // no part of what the graph is
  HeldObjects objects{};
  std::set<uint64_t> conditions{}; // handles that were made for it

  GraphNode *add(Work, std::vector<GraphNode *> after);
  /// The nodes in an order that respects dependences; empty if these have a cycle.
  std::vector<GraphNode *> order() const;
};

/// A value that kernels set and a node asks for, by its handle.
struct Condition {
  const Graph *graph = nullptr; // for which the handle was made
  unsigned first = 0;           // at each launch
  bool isAssigned = false;      // whether it is set then
  bool isUsed = false;          // by a node
};

/// Memory that nodes of graphs have allocated. As on an H200 (driver 580.159.04, 2026-11-29) it
/// counts in pieces, and as used until it is trimmed.
struct GraphMemory {
  static constexpr uint64_t piece = 32 << 20;
  uint64_t used = 0, mostUsed = 0, kept = 0, mostKept = 0;
  uint64_t live = 0;                         // bytes that are allocated
  std::map<DevicePointer, uint64_t> sizes{}; // of them

  void take(DevicePointer, uint64_t bytes);
  void giveBack(DevicePointer);
  void trim() { used = kept = inPieces(live); }

private:
  static uint64_t inPieces(uint64_t bytes) { return (bytes + piece - 1) / piece * piece; }
};

/// The nodes of a copy, by those of the original.
using NodeCopies = std::map<const GraphNode *, GraphNode *>;

/// A copy of a graph that can be launched.
struct GraphExec {
  std::shared_ptr<Graph> graph = std::make_shared<Graph>();
  NodeCopies copies{}; // by the nodes of the original
};

struct UserObject {
  void *object = nullptr;
  HostFunction destroy = nullptr;
  unsigned references = 1;
};

} // namespace tessera::cuda_driver
