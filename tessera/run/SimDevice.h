// SimDevice: the simulator as a Device, for machines without a GPU.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/run/Device.h"
#include "tessera/sim/Machine.h"

#include <map>
#include <set>

namespace tessera::run {

/// Runs PTX on the host's cores. A launch is complete when it returns; its errors are reported by
/// the next copy or synchronize(), as with a GPU. Kernels print to standard output. Streams and
/// events exist, but all work is in order; times are the host's.
class SimDevice final : public Device {
public:
  /// `observer` sees what kernels do; it may be null.
  explicit SimDevice(sim::Limits limits = {}, std::shared_ptr<sim::Observer> observer = nullptr);

  const DeviceInfo &info() const override { return properties; }

  Result<Address> allocate(size_t bytes) override;
  Status free(Address) override;
  Status copyToDevice(Address to, std::span<const std::byte> from) override;
  Status copyToHost(std::span<std::byte> to, Address from) override;
  Status fill(Address, uint8_t value, size_t bytes, StreamId = StreamId::Default) override;

  /// Takes PTX only.
  Result<Module> loadModule(std::span<const std::byte> image, const ModuleOptions & = {}) override;
  Status unloadModule(ModuleId) override;
  Result<Kernel> kernel(ModuleId, const std::string &name) override;
  Status launch(KernelId, const LaunchConfig &, std::span<void *const> arguments) override;

  Result<StreamId> createStream() override;
  Status destroyStream(StreamId) override;
  Result<EventId> createEvent() override;
  Status destroyEvent(EventId) override;
  Status record(EventId, StreamId = StreamId::Default) override;
  Result<bool> finished(EventId) override;
  Result<double> elapsedMilliseconds(EventId start, EventId end) override;
  Status synchronize() override;
  Status synchronize(StreamId) override;

  /// Sets the time until which kernels may run.
  void setDeadline(decltype(sim::Limits::deadline) when) { machine.setDeadline(when); }

  /// The counts of the last launch.
  const sim::Statistics &statistics() const { return machine.statistics(); }
  /// Warp instructions of all launches so far.
  uint64_t instructions() const { return allInstructions; }
  /// Whether a kernel has ended with an error.
  bool kernelFailed() const { return hasFailed; }

private:
  struct KernelRecord {
    ModuleId module;
    const sim::Function *function;
    KernelInfo info;
  };
  Status find(StreamId) const;
  /// The first failure of a launch since the last call.
  Status takeFailure();

  sim::Machine machine;
  DeviceInfo properties;
  std::optional<Reason> failure;
  bool hasFailed = false;
  uint64_t allInstructions = 0;
  uint64_t nextHandle = 1;
  std::map<ModuleId, sim::LoadedProgram> modules;
  std::map<KernelId, KernelRecord> kernels;
  std::set<StreamId> streams;
  std::map<EventId, double> events; // milliseconds; below 0: not recorded
};

} // namespace tessera::run
