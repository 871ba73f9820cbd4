// Runs the operations of streams and graphs, or puts them into the graph that is captured.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cuda_driver/Work.h"

#include "tessera/cuda_driver/Captures.h"
#include "tessera/cuda_driver/Driver.h"

#include <algorithm>
#include <cstring>

namespace tessera::cuda_driver {

//===--- Launches ----------------------------------------------------------------------------===//

namespace {

/// CU_LAUNCH_PARAM_BUFFER_POINTER, CU_LAUNCH_PARAM_BUFFER_SIZE.
enum : uintptr_t {
  ExtraEnd = 0,
  ExtraPointer = 1,
  ExtraSize = 2
};

Code putExtra(void **extra, LaunchWork &out) {
  const std::byte *buffer = nullptr;
  size_t size = 0;
  for (; reinterpret_cast<uintptr_t>(*extra) != ExtraEnd; extra += 2)
    switch (reinterpret_cast<uintptr_t>(*extra)) {
    case ExtraPointer: buffer = static_cast<const std::byte *>(extra[1]); break;
    case ExtraSize: size = *static_cast<const size_t *>(extra[1]); break;
    default: return Code::InvalidValue;
    }
  if (!buffer && size)
    return Code::InvalidValue;
  std::copy_n(buffer, std::min(size, out.parameters.size()), out.parameters.begin());
  return Code::Success;
}

void setCluster(LaunchWork &out, const LaunchAttribute &a) {
  out.cluster = Extents{a.value.cluster.x, a.value.cluster.y, a.value.cluster.z};
}

/// The most bytes of dynamic shared memory that a launch may give a kernel: what its attribute
/// allows, or what is allowed without it.
uint64_t dynamicSharedOf(const Kernel &kernel) {
  constexpr uint64_t withoutAsking = 48 * 1024;
  auto asked = kernel.chosen.find(FunctionAttribute::MaxDynamicSharedBytes);
  return asked != kernel.chosen.end()
             ? uint64_t(asked->second)
             : withoutAsking - std::min<uint64_t>(withoutAsking, kernel.function->sharedBytes);
}

/// What a directive of PTX states; zeros where it states nothing.
Extents stated(const std::array<uint32_t, 3> &e) {
  return {e[0], std::max(1u, e[1]), std::max(1u, e[2])};
}
bool same(const Extents &a, const Extents &b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

/// What a GPU refuses before it begins. CUDA C++ Programming Guide, technical specifications.
Code check(const LaunchWork &work) {
  Driver &driver = Driver::get();
  const sim::Function &function = *work.kernel->function;
  const Gpu &gpu = *driver.gpu;
  auto volume = [](const Extents &e) { return uint64_t(e.x) * e.y * e.z; };
  bool shape = work.grid.x && work.grid.y && work.grid.z && work.grid.x <= 0x7fffffff &&
               work.grid.y <= 65535 && work.grid.z <= 65535 && volume(work.block) &&
               volume(work.block) <= 1024 && work.block.z <= 64;
  if (!shape)
    return Code::InvalidValue;
  uint64_t most = function.atMost[0] ? volume({function.atMost[0], std::max(1u, function.atMost[1]),
                                               std::max(1u, function.atMost[2])})
                                     : 1024;
  if (volume(work.block) > most)
    return Code::InvalidValue; // as an H200 with driver 580.159.04 says it
  if (work.sharedBytes > dynamicSharedOf(*work.kernel) ||
      function.sharedBytes + uint64_t(work.sharedBytes) >
          uint64_t(gpu.multiprocessor().sharedOfBlock()))
    return Code::InvalidValue;
  if (function.required[0] && !same(blockOf(work), stated(function.required)))
    return Code::InvalidValue;
  if (work.cluster || function.cluster[0]) {
    const Extents e = work.cluster ? *work.cluster : stated(function.cluster);
    auto asked = work.kernel->chosen.find(FunctionAttribute::NonPortableClusterAllowed);
    uint64_t mostBlocks = asked != work.kernel->chosen.end() && asked->second ? 16 : 8;
    if (!gpu.hasClusters() && volume(e) > 1)
      return Code::NotSupported;
    if (!volume(e) || volume(e) > mostBlocks || work.grid.x % e.x || work.grid.y % e.y ||
        work.grid.z % e.z || (function.cluster[0] && !same(e, stated(function.cluster))))
      return Code::InvalidClusterSize; // as an H200 says it
  }
  if (work.cooperative) {
    uint64_t blocks = activeBlocks(*work.kernel, int(volume(blockOf(work))), work.sharedBytes);
    if (volume(work.grid) > blocks * uint64_t(driver.gpu->multiprocessors))
      return Code::CooperativeTooLarge;
  }
  return Code::Success;
}

} // namespace

Extents blockOf(const LaunchWork &work) {
  const sim::Function &function = *work.kernel->function;
  return function.required[0] && same(work.block, {1, 1, 1}) ? stated(function.required)
                                                             : work.block;
}

int activeBlocks(const Kernel &kernel, int threads, size_t sharedBytes) {
  const atom::Multiprocessor &sm = Driver::get().gpu->multiprocessor();
  int warps = (threads + 31) / 32, blocks = sm.blocks;
  blocks = std::min(blocks, sm.warps / std::max(warps, 1));
  if (sharedBytes > dynamicSharedOf(kernel))
    return 0;
  size_t each = kernel.function->sharedBytes + sharedBytes + size_t(sm.reservedBytes());
  if (each)
    blocks = int(std::min<size_t>(size_t(blocks), size_t(sm.sharedBytes()) / each));
  return blocks;
}

Code makeLaunch(const LaunchConfig &config, Kernel *kernel, void **arguments, void **extra,
                LaunchWork &out) {
  Driver &driver = Driver::get();
  if (!driver.kernels.has(kernel))
    return Code::InvalidHandle;
  if (arguments && extra)
    return Code::InvalidValue;
  out.kernel = kernel;
  out.grid = {config.grid[0], config.grid[1], config.grid[2]};
  out.block = {config.block[0], config.block[1], config.block[2]};
  out.sharedBytes = config.sharedBytes;
  const std::vector<sim::Parameter> &parameters = kernel->function->parameters;
  out.parameters.resize(kernel->function->parameterBytes);
  if (arguments)
    for (size_t i = 0; i < parameters.size(); ++i)
      std::memcpy(out.parameters.data() + parameters[i].offset, arguments[i], parameters[i].size);
  else if (extra) {
    if (Code put = putExtra(extra, out); put != Code::Success)
      return put;
  } else if (!parameters.empty())
    return Code::InvalidValue;
  for (unsigned i = 0; i < config.attributeCount; ++i) {
    const LaunchAttribute &a = config.attributes[i];
    switch (a.id) {
    case LaunchAttributeId::Cooperative: out.cooperative = a.value.flag != 0; break;
    case LaunchAttributeId::ClusterDimension: setCluster(out, a); break;
    case LaunchAttributeId::ProgrammaticStreamSerialization:
      out.programmatic = a.value.flag != 0;
      break;
    default: break; // priorities, caches, overlap of launches: nothing here depends on them
    }
  }
  return check(out);
}

//===--- Copies and fills --------------------------------------------------------------------===//

namespace {

/// Whether rows, and slices, have places of their own. CUDA Driver API, cuMemcpy2D: a pitch is at
/// least the width with what is left of it; cuMemcpy3D: so is the height of a slice.
bool isApart(const Copy3d &c, const CopySide &side) {
  const bool hasRows = c.height > 1 || c.depth > 1;
  return !(hasRows && side.pitch < side.x + c.width) &&
         !(c.depth > 1 && side.height < side.y + c.height);
}

/// Where a row of a side begins, or null.
std::byte *rowOf(const CopySide &side, size_t y, size_t z, size_t width) {
  size_t offset = ((side.z + z) * side.height + side.y + y) * side.pitch + side.x;
  DevicePointer address =
      side.type == MemoryType::Host ? reinterpret_cast<DevicePointer>(side.host) : side.device;
  Driver &driver = Driver::get();
  if (side.type == MemoryType::Host ||
      (side.type == MemoryType::Unified && !driver.allocationOf(address)))
    return reinterpret_cast<std::byte *>(address) + offset; // trusted, as by memcpy
  std::byte *at = driver.place(address + offset, width);
  if (!at)
    say(fail(Error::HostPlace, "a copy", width, sim::hex(address + offset)));
  return at;
}

/// Adds the rows of a side that kernels may use, for the sanitizer.
void addRanges(std::vector<sanitize::WorkRange> &out, const Copy3d &c, const CopySide &side) {
  constexpr size_t mostRows = 4096; // copies of more are not checked
  if (c.height * c.depth > mostRows)
    return;
  for (size_t z = 0; z < c.depth; ++z)
    for (size_t y = 0; y < c.height; ++y) {
      const size_t offset = ((side.z + z) * side.height + side.y + y) * side.pitch + side.x;
      const DevicePointer start =
          offset + (side.type == MemoryType::Host ? reinterpret_cast<DevicePointer>(side.host)
                                                  : side.device);
      const bool writes = &side == &c.to;
      if (!out.empty() && out.back().writes == writes && out.back().end() == start)
        out.back().bytes += c.width;
      else if (Driver::get().allocationOf(start))
        out.push_back({start, c.width, writes});
    }
}

void tell(const Copy3d &c) {
  std::vector<sanitize::WorkRange> ranges;
  addRanges(ranges, c, c.from);
  addRanges(ranges, c, c.to);
  Driver::get().tell("a copy", ranges);
}

Code runCopy(const Copy3d &c) {
  if (!c.width || !c.height || !c.depth)
    return Code::Success;
  for (const CopySide *side : {&c.from, &c.to})
    if (side->type == MemoryType::Array)
      return refuse("a copy of a CUDA array", "there are no textures and surfaces");
  if (!isApart(c, c.from) || !isApart(c, c.to))
    return Code::InvalidValue;
  Driver &driver = Driver::get();
  for (size_t z = 0; z < c.depth; ++z) // before any is written
    for (size_t y = 0; y < c.height; ++y)
      if (!rowOf(c.to, y, z, c.width) || !rowOf(c.from, y, z, c.width))
        return Code::InvalidValue;
  for (size_t z = 0; z < c.depth; ++z)
    for (size_t y = 0; y < c.height; ++y) {
      std::byte *to = rowOf(c.to, y, z, c.width), *from = rowOf(c.from, y, z, c.width);
      std::memmove(to, from, c.width);
      size_t offset = ((c.to.z + z) * c.to.height + c.to.y + y) * c.to.pitch + c.to.x;
      if (c.to.type != MemoryType::Host && driver.allocationOf(c.to.device + offset))
        driver.machine->memory().wrote(c.to.device + offset, c.width);
    }
  if (driver.isChecked())
    tell(c);
  return Code::Success;
}

Code runFill(const Fill &f) {
  if (f.elementBytes != 1 && f.elementBytes != 2 && f.elementBytes != 4)
    return Code::InvalidValue;
  if (f.to % f.elementBytes || (f.height > 1 && f.pitch < f.width * f.elementBytes))
    return Code::InvalidValue;
  Driver &driver = Driver::get();
  size_t bytes = f.width * f.elementBytes;
  for (size_t y = 0; y < f.height && bytes; ++y) {
    std::byte *to = driver.place(f.to + y * f.pitch, bytes);
    if (!to) {
      say(fail(Error::HostPlace, "a memset", bytes, sim::hex(f.to + y * f.pitch)));
      return Code::InvalidValue;
    }
    for (size_t i = 0; i < f.width; ++i)
      std::memcpy(to + i * f.elementBytes, &f.value, f.elementBytes);
    driver.machine->memory().wrote(f.to + y * f.pitch, bytes);
  }
  CopySide to{};
  to.type = MemoryType::Device;
  to.device = f.to;
  to.pitch = f.height > 1 ? f.pitch : bytes;
  std::vector<sanitize::WorkRange> ranges;
  if (const Copy3d rows{{}, to, bytes, bytes ? f.height : 0, 1}; driver.isChecked()) {
    addRanges(ranges, rows, rows.to);
    driver.tell("a memset", ranges);
  }
  return Code::Success;
}

//===--- Values in memory

/// CU_STREAM_WAIT_VALUE_GEQ, EQ, AND, NOR.
template <class T> bool holds(T memory, T value, unsigned flags) {
  switch (flags & 3) {
  case 0: return std::make_signed_t<T>(memory - value) >= 0;
  case 1: return memory == value;
  case 2: return (memory & value) != 0;
  default: return T(~(memory | value)) != 0;
  }
}

template <class T> Code runWait(const MemoryOperation &o) {
  Driver &driver = Driver::get();
  std::byte *at = driver.place(o.address, sizeof(T));
  if (!at)
    return Code::InvalidValue;
  T memory;
  std::memcpy(&memory, at, sizeof memory);
  driver.order.waitForAll();
  if (holds(memory, T(o.value), o.flags))
    return Code::Success;
  say(fail(Error::WaitsForHost, sim::hex(o.address)));
  return Code::NotSupported;
}

Code runWrite(const MemoryOperation &o, size_t bytes) {
  CopySide from{}, to{};
  uint64_t value = o.value;
  from.type = MemoryType::Host;
  from.host = &value;
  to.type = MemoryType::Device;
  to.device = o.address;
  return runCopy(Copy3d{from, to, bytes, 1, 1});
}

Code runOperation(const MemoryOperation &o) {
  switch (o.kind) {
  case MemoryOperation::Wait32: return runWait<uint32_t>(o);
  case MemoryOperation::Wait64: return runWait<uint64_t>(o);
  case MemoryOperation::Write32: return runWrite(o, 4);
  case MemoryOperation::Write64: return runWrite(o, 8);
  case MemoryOperation::Barrier:
  case MemoryOperation::FlushRemote: break; // all that came before has run
  }
  return Code::Success;
}

/// CUgraphNodeType of each kind of work.
struct TypeOf {
  NodeType operator()(const LaunchWork &) { return NodeType::Kernel; }
  NodeType operator()(const Copy3d &) { return NodeType::Copy; }
  NodeType operator()(const Fill &) { return NodeType::Fill; }
  NodeType operator()(const HostCall &) { return NodeType::Host; }
  NodeType operator()(const ChildWork &) { return NodeType::Child; }
  NodeType operator()(const EmptyWork &) { return NodeType::Empty; }
  NodeType operator()(const WaitWork &) { return NodeType::WaitEvent; }
  NodeType operator()(const RecordWork &) { return NodeType::RecordEvent; }
  NodeType operator()(const AllocateWork &) { return NodeType::Allocate; }
  NodeType operator()(const FreeWork &) { return NodeType::Free; }
  NodeType operator()(const MemoryWork &) { return NodeType::BatchMemory; }
  NodeType operator()(const ConditionWork &) { return NodeType::Conditional; }
};

/// A body as often as its condition says. A loop ends when a kernel has failed.
Code runCondition(const ConditionWork &work) {
  Driver &driver = Driver::get();
  auto value = [&] { return driver.machine->conditions().get(work.call.handle).value_or(0); };
  const auto &bodies = work.bodies;
  switch (work.call.kind) {
  case ConditionCall::If:
    if (value())
      return run(*bodies[0]);
    return bodies.size() > 1 ? run(*bodies[1]) : Code::Success;
  case ConditionCall::While:
    while (value() && driver.fault() == Code::Success)
      if (Code ended = run(*bodies[0]); ended != Code::Success)
        return ended;
    return Code::Success;
  case ConditionCall::Switch: {
    const unsigned chosen = value();
    return chosen < bodies.size() ? run(*bodies[chosen]) : Code::Success;
  }
  }
  return Code::Success;
}

struct Runner {
  Code operator()(const LaunchWork &work) { return Driver::get().launch(work); }
  Code operator()(const Copy3d &work) { return runCopy(work); }
  Code operator()(const Fill &work) { return runFill(work); }
  Code operator()(const HostCall &work) {
    Driver::get().flush();
    Driver::get().hostWaitsForWork(); // it may tell the rest of the program
    work.function(work.data);
    return Code::Success;
  }
  Code operator()(const ChildWork &work) {
    return work.isLaunch ? launch(*work.graph) : run(*work.graph);
  }
  Code operator()(const EmptyWork &) { return Code::Success; }
  Code operator()(const WaitWork &work) { // what it waits for has run
    Driver::get().order.wait(*work.event);
    return Code::Success;
  }
  Code operator()(const RecordWork &work) {
    work.event->at = std::chrono::steady_clock::now();
    Driver::get().order.record(*work.event);
    return Code::Success;
  }
  Code operator()(const AllocateWork &work) {
    Driver::get().graphMemory.take(work.call.pointer, work.call.bytes);
    return Code::Success;
  }
  Code operator()(const FreeWork &work) {
    Driver::get().graphMemory.giveBack(work.pointer);
    return Code::Success;
  }
  Code operator()(const ConditionWork &work) { return runCondition(work); }
  Code operator()(const MemoryWork &work) {
    for (const MemoryOperation &o : work.operations)
      if (Code ended = runOperation(o); ended != Code::Success)
        return ended;
    return Code::Success;
  }
};

} // namespace

Code makeMemoryWork(const MemoryOperations &given, MemoryWork &out) {
  if (given.flags || given.count > MemoryOperations::most || !given.all)
    return Code::InvalidValue;
  out.context = given.context;
  out.operations.assign(given.all, given.all + given.count);
  for (const MemoryOperation &o : out.operations) {
    const bool isLong = o.kind == MemoryOperation::Wait64 || o.kind == MemoryOperation::Write64,
               waits = o.kind == MemoryOperation::Wait32 || o.kind == MemoryOperation::Wait64;
    constexpr unsigned comparisons = 3, flushes = 1u << 30; // CU_STREAM_WAIT_VALUE_FLUSH
    const unsigned allowed = waits ? comparisons | flushes : 0;
    switch (o.kind) {
    case MemoryOperation::Wait32:
    case MemoryOperation::Wait64:
    case MemoryOperation::Write32:
    case MemoryOperation::Write64:
      if (!o.address || o.address % (isLong ? 8 : 4) ||
          !Driver::get().place(o.address, isLong ? 8 : 4) || o.flags & ~allowed)
        return Code::InvalidValue;
      break;
    case MemoryOperation::Barrier: break;
    case MemoryOperation::FlushRemote: return Code::NotSupported; // nothing remote writes
    default: return Code::InvalidValue;
    }
  }
  return Code::Success;
}

NodeType typeOf(const Work &work) { return std::visit(TypeOf(), work); }

Code run(const Work &work) { return std::visit(Runner(), work); }

void ConditionWork::name() {
  handles = std::make_shared<std::vector<Graph *>>();
  for (const auto &body : bodies)
    handles->push_back(body.get());
  call.bodies = handles->data();
}

namespace {
/// Gives the conditions of a graph and of its parts their first values.
void assignConditions(const Graph &graph) {
  Driver &driver = Driver::get();
  for (uint64_t handle : graph.conditions)
    if (auto found = driver.conditions.find(handle);
        found != driver.conditions.end() && found->second.isAssigned)
      driver.machine->conditions().put(handle, found->second.first);
  for (const auto &node : graph.nodes) {
    if (auto *child = std::get_if<ChildWork>(&node->work))
      assignConditions(*child->graph);
    if (auto *condition = std::get_if<ConditionWork>(&node->work))
      for (const auto &body : condition->bodies)
        assignConditions(*body);
  }
}
} // namespace

Code launch(const Graph &graph) {
  assignConditions(graph);
  return run(graph);
}

Code run(const Graph &graph) {
  Driver &driver = Driver::get();
  StreamOrder::Nodes nodes(driver.order, graph);
  std::map<const GraphNode *, uint32_t> early; // launches that let their dependents begin
  for (const GraphNode *node : graph.order()) {
    nodes.begin(*node);
    driver.dependsOn = 0;
    for (const auto &[before, kind] : node->kinds)
      if (auto found = early.find(before); kind.isProgrammatic() && found != early.end())
        driver.dependsOn = found->second;
    if (Code ended = node->isEnabled ? run(node->work) : Code::Success; ended != Code::Success)
      return ended;
    if (std::holds_alternative<LaunchWork>(node->work) && driver.letDependentsBegin())
      early[node] = driver.order.now.point.number;
    nodes.end(*node);
  }
  return Code::Success;
}

Code submit(Stream *handle, Work work) {
  Driver &driver = Driver::get();
  Stream *stream = driver.find(handle);
  if (!stream)
    return Code::InvalidHandle;
  if (stream == &driver.legacy)
    if (Code code = forbiddenOnLegacy(driver); code != Code::Success)
      return code;
  if (!stream->capture) {
    const auto *launch = std::get_if<LaunchWork>(&work);
    const sanitize::WorkPoint before{stream->chain, stream->beganDependents};
    driver.dependsOn =
        launch && launch->programmatic && !driver.order.ofHost().covers(before) ? before.number : 0;
    StreamOrder::Turn turn(driver.order, *stream);
    Code code = run(work);
    stream->beganDependents =
        launch && driver.letDependentsBegin() ? driver.order.now.point.number : 0;
    return code;
  }
  if (stream->capture->isInvalid)
    return Code::CaptureInvalidated;
  const auto *launch = std::get_if<LaunchWork>(&work);
  const bool isEarly = launch && launch->programmatic && stream->last.size() == 1 &&
                       std::holds_alternative<LaunchWork>(stream->last[0]->work);
  GraphNode *node = stream->capture->graph->add(std::move(work), stream->last);
  if (isEarly)
    node->setEdge(stream->last[0], EdgeData::programmatic());
  stream->last = {node};
  return Code::Success;
}

//===--- Memory of graphs --------------------------------------------------------------------===//

void GraphMemory::take(DevicePointer pointer, uint64_t bytes) {
  if (!sizes.emplace(pointer, bytes).second)
    return;
  live += bytes;
  used = kept = std::max(kept, inPieces(live));
  mostUsed = std::max(mostUsed, used);
  mostKept = std::max(mostKept, kept);
}

void GraphMemory::giveBack(DevicePointer pointer) {
  if (auto found = sizes.find(pointer); found != sizes.end()) {
    live -= found->second;
    sizes.erase(found);
  }
}

//===--- Graphs ------------------------------------------------------------------------------===//

GraphNode *Graph::add(Work work, std::vector<GraphNode *> after) {
  nodes.push_back(std::make_unique<GraphNode>(std::move(work), std::move(after), this));
  return nodes.back().get();
}

std::vector<GraphNode *> Graph::order() const {
  std::vector<GraphNode *> out;
  std::set<const GraphNode *> done;
  for (bool more = true; more && out.size() < nodes.size();) {
    more = false;
    for (const auto &node : nodes) {
      bool ready = !done.contains(node.get()) &&
                   std::all_of(node->after.begin(), node->after.end(),
                               [&](const GraphNode *before) { return done.contains(before); });
      if (ready)
        out.push_back(node.get()), done.insert(node.get()), more = true;
    }
  }
  return out.size() == nodes.size() ? out : std::vector<GraphNode *>();
}

} // namespace tessera::cuda_driver
