// Work: one operation of a stream, or one node of a graph, with everything that it needs to run.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/cuda_driver/Types.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

namespace tessera::cuda_driver {

struct Extents {
  unsigned x = 1, y = 1, z = 1;
};

struct LaunchWork {
  Kernel *kernel = nullptr;
  Extents grid{}, block{};
  unsigned sharedBytes = 0;
  std::optional<Extents> cluster{};
  bool cooperative = false;
  bool programmatic = false;           // it may begin before the launch before it has ended
  std::vector<std::byte> parameters{}; // as in the parameter space
  std::vector<void *> pointers{};      // to them, for queries of the node's parameters
};
/// The block that runs: that of `.reqntid` where one thread was asked for, as launchers of tile
/// kernels do (H200, driver 580); else the block that was asked for.
Extents blockOf(const LaunchWork &);
struct EmptyWork {};
struct WaitWork {
  Event *event;
};
struct RecordWork {
  Event *event;
};
struct ChildWork {
  std::shared_ptr<Graph> graph;
  bool isLaunch = false; // of an executable graph
};
/// Memory has its address as soon as the node is made.
struct AllocateWork {
  AllocateCall call;
};
struct FreeWork {
  DevicePointer pointer;
};

/// Values that are written to memory, and that are waited for.
struct MemoryWork {
  Context *context = nullptr;
  std::vector<MemoryOperation> operations{};
};

/// Graphs of which a value that a kernel has set chooses one, or how often it runs.
struct ConditionWork {
  ConditionCall call{};
  std::vector<std::shared_ptr<Graph>> bodies{};
  std::shared_ptr<std::vector<Graph *>> handles{}; // what `call` points to

  /// Makes `handles` for the bodies.
  void name();
};

using Work = std::variant<LaunchWork, Copy3d, Fill, HostCall, ChildWork, EmptyWork, WaitWork,
                          RecordWork, AllocateWork, FreeWork, MemoryWork, ConditionWork>;

NodeType typeOf(const Work &);

/// Operations on values in memory as a stream or a node takes them. What is refused is what an H200
/// refuses (driver 580.159.04, 2026-11-29).
Code makeMemoryWork(const MemoryOperations &, MemoryWork &);

/// Decodes a launch: parameters by their offsets, attributes by their ids. Returns the codes of
/// cuLaunchKernelEx.
Code makeLaunch(const LaunchConfig &, Kernel *, void **arguments, void **extra, LaunchWork &);

/// Runs it to its end. The driver keeps errors in a kernel for the next call; errors in the work
/// itself are returned.
Code run(const Work &);
Code run(const Graph &);
/// Runs a graph that the program launches: its conditions begin with their first values.
Code launch(const Graph &);

/// Runs it, or adds it to the graph that the stream captures.
Code submit(Stream *, Work);

} // namespace tessera::cuda_driver
