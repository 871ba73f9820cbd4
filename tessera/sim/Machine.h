// Machine: a device made of the host's memory and cores; runs kernels of programs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/sim/Grid.h"
#include "tessera/sim/Observer.h"

namespace tessera::sim {

class DeviceLaunches;
struct DeviceLaunch;

struct LaunchConfig {
  Dim3 grid{}, block{};
  std::optional<Dim3> cluster{}; // in blocks; the kernel's own if not given
  uint32_t dynamicShared = 0;    // bytes
  /// All blocks wait for each other; %envreg1 and %envreg2 hold the address of their workspace.
  bool cooperative = false;
};

/// A program whose variables are in a machine's memory.
struct LoadedProgram {
  std::shared_ptr<const Program> program;
  uint64_t globals = 0;
};

/// If memory or threads run out, its functions return a reason; nothing throws. Only one thread at
/// a time may use a machine. Machines are independent, and may share programs.
class Machine {
public:
  /// `observer` sees all events; it may be null, and lives as long as the machine.
  explicit Machine(Limits given = {}, std::shared_ptr<Observer> observer = nullptr)
      : limits(std::move(given)), observer(std::move(observer)),
        global(limits.globalBytes, this->observer.get()) {
    limits.localBytes = std::min(limits.localBytes, uint32_t(1) << 30);
    limits.lateCopies |= this->observer && this->observer->wishes().lateWork;
  }

  /// Sets the time until which launches may run (Limits::deadline).
  void setDeadline(decltype(Limits::deadline) when) { limits.deadline = when; }

  GlobalMemory &memory() { return global; }
  /// What kernels set for nodes of graphs.
  Conditions &conditions() { return ofGraphs; }
  /// Sets the size of malloc's memory; false if a kernel has used it already.
  bool setHeapBytes(uint64_t bytes);
  uint64_t heapBytes() const { return limits.heapBytes; }
  Result<LoadedProgram> load(std::shared_ptr<const Program>);
  Status unload(const LoadedProgram &);
  /// The address of a .global or .const variable.
  Result<uint64_t> address(const LoadedProgram &, std::string_view variable) const;
  /// Runs a kernel to its end, then what it launched (DeviceLaunches). `parameters` has the bytes
  /// of the parameter space. A reason names block, thread and line. The observer decides last
  /// (Observer::onReturn), of each.
  Status launch(const LoadedProgram &, std::string_view kernel, const LaunchConfig &,
                std::span<const std::byte> parameters);

  /// The counts of the last launch, with those of what its kernels launched.
  const Statistics &statistics() const { return counted; }
  /// What kernels have printed since the last call. If that exceeds Limits::outputBytes, the last
  /// line says how much was cut off.
  std::string takeOutput();

private:
  Status launchAll(const LoadedProgram &, std::string_view kernel, const LaunchConfig &,
                   std::span<const std::byte> parameters);
  Status run(const LoadedProgram &, const Function &kernel, const LaunchConfig &,
             std::span<const std::byte> parameters, DeviceLaunches &);
  Status runLater(const LoadedProgram &, DeviceLaunch, DeviceLaunches &);
  /// Creates the heap when a program first needs one.
  Result<Heap *> heapFor(const Program &);
  /// The address of the workspace of a cooperative launch, initialised for its start.
  Result<uint64_t> workspaceOf();

  Limits limits;
  std::shared_ptr<Observer> observer;
  GlobalMemory global;
  std::unique_ptr<Heap> heap; // lives as long as the machine, like that of a device
  uint64_t gridWorkspace = 0; // of cooperative launches, after the first one
  Conditions ofGraphs;
  Statistics counted;
  std::string output;
  uint64_t cutBytes = 0; // of output
};

} // namespace tessera::sim
