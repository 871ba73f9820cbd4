// A device for tests: memory is the host's, launches are recorded.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/run/Device.h"

#include <functional>
#include <map>
#include <string>

namespace tessera::jit::test {

struct Launch {
  run::KernelId kernel;
  run::LaunchConfig config;
  std::vector<void *> arguments; // the values after them are gone after the launch
};

class FakeDevice final : public run::Device {
public:
  /// Called within a launch, where the values of the arguments can be read.
  std::function<void(const Launch &)> onLaunch;
  /// With which launches are refused, if set.
  std::optional<Reason> refusal;
  std::vector<Launch> launches;
  /// The launch, from 0, that never finishes, nor does what comes after it.
  std::optional<size_t> hangs;
  /// Launches before each event that was recorded.
  std::map<run::EventId, size_t> recorded;
  /// Calls of synchronize(), which never returns on a device that hangs.
  int synchronized = 0;
  /// Added to every address: to give badly aligned ones.
  size_t misalignment = 0;

  size_t allocations() const { return blocks.size(); }

  const run::DeviceInfo &info() const override { return properties; }
  Result<run::Address> allocate(size_t bytes) override;
  run::Status free(run::Address) override;
  run::Status copyToDevice(run::Address to, std::span<const std::byte> from) override;
  run::Status copyToHost(std::span<std::byte> to, run::Address from) override;
  run::Status fill(run::Address, uint8_t value, size_t bytes, run::StreamId) override;
  Result<run::Module> loadModule(std::span<const std::byte>, const run::ModuleOptions &) override;
  run::Status unloadModule(run::ModuleId) override;
  Result<run::Kernel> kernel(run::ModuleId, const std::string &) override;
  run::Status launch(run::KernelId, const run::LaunchConfig &, std::span<void *const>) override;
  Result<run::StreamId> createStream() override;
  run::Status destroyStream(run::StreamId) override;
  Result<run::EventId> createEvent() override;
  run::Status destroyEvent(run::EventId) override;
  run::Status record(run::EventId, run::StreamId) override;
  Result<bool> finished(run::EventId) override;
  Result<double> elapsedMilliseconds(run::EventId, run::EventId) override;
  run::Status synchronize() override;
  run::Status synchronize(run::StreamId) override;

private:
  /// Null if the bytes are not within one allocation.
  std::byte *within(run::Address, size_t bytes);

  run::DeviceInfo properties;
  std::map<run::Address, std::pair<void *, size_t>> blocks; // what was allocated, its bytes
};

/// A kernel as a device would give it, with nothing but a handle and a name.
run::Kernel kernelNamed(uint64_t id, std::string name);

} // namespace tessera::jit::test
