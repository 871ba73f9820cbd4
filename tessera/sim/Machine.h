// Machine: a device made of the host's memory and cores; runs kernels of programs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/sim/Grid.h"
#include "tessera/sim/Observer.h"

namespace tessera::sim {

struct LaunchConfig {
  Dim3 grid{}, block{};
  std::optional<Dim3> cluster{}; // in blocks; the kernel's own if not given
  uint32_t dynamicShared = 0;    // bytes
  /// All blocks wait for each other; %envreg1 and %envreg2 hold the address of their workspace.
  bool cooperative = false;
};

/// A program whose variables have a place in a machine's memory.
struct LoadedProgram {
  std::shared_ptr<const Program> program;
  uint64_t globals = 0;
};

/// Where memory or threads run out, its functions return a reason; nothing throws. One thread at a
/// time may use a machine; machines know nothing of each other, and may share programs.
class Machine {
public:
  /// `observer` sees all that happens; it may be null, and lives as long as the machine.
  explicit Machine(Limits given = {}, std::shared_ptr<Observer> observer = nullptr)
      : limits(std::move(given)), observer(std::move(observer)),
        global(limits.globalBytes, this->observer.get()) {
    limits.localBytes = std::min(limits.localBytes, uint32_t(1) << 30);
    limits.lateCopies |= this->observer && this->observer->wishes().lateWork;
  }

  /// From now on it is until then that launches may run (Limits::deadline).
  void setDeadline(decltype(Limits::deadline) when) { limits.deadline = when; }

  GlobalMemory &memory() { return global; }
  /// How much malloc of kernels may give out; false when a kernel has used it already.
  bool setHeapBytes(uint64_t bytes);
  uint64_t heapBytes() const { return limits.heapBytes; }
  Result<LoadedProgram> load(std::shared_ptr<const Program>);
  Status unload(const LoadedProgram &);
  /// The address of a .global or .const variable.
  Result<uint64_t> address(const LoadedProgram &, std::string_view variable) const;
  /// Runs a kernel to its end. `parameters` holds them as they lie in the parameter space. A reason
  /// names block, thread and line. The observer has the last word (Observer::onReturn).
  Status launch(const LoadedProgram &, std::string_view kernel, const LaunchConfig &,
                std::span<const std::byte> parameters);

  /// Of the last launch.
  const Statistics &statistics() const { return counted; }
  /// What kernels have printed since the last call.
  /// Ends with a line that says how much was cut off where it was more than Limits::outputBytes.
  std::string takeOutput();

private:
  Status run(const LoadedProgram &, std::string_view kernel, const LaunchConfig &,
             std::span<const std::byte> parameters);
  /// Makes the heap when a program first needs one.
  Result<Heap *> heapFor(const Program &);
  /// The address of what the blocks of a cooperative launch share, as it has to be at its start.
  Result<uint64_t> workspaceOf();

  Limits limits;
  std::shared_ptr<Observer> observer;
  GlobalMemory global;
  std::unique_ptr<Heap> heap; // lives as long as the machine, as a device's does
  uint64_t gridWorkspace = 0; // of cooperative launches, once there was one
  Statistics counted;
  std::string output;
  uint64_t cutBytes = 0; // of output
};

} // namespace tessera::sim
