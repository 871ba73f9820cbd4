// A device whose memory is the host's and which runs nothing.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "FakeDevice.h"

#include <cstdlib>
#include <cstring>

namespace tessera::jit::test {

using run::Done;
using run::Status;

namespace {
const Reason unused = {"Unused", "the fake device does not do this"};
const Reason outside = {"Outside", "outside of what was allocated"};
} // namespace

Result<run::Address> FakeDevice::allocate(size_t bytes) {
  constexpr size_t alignment = 256;
  void *block =
      std::aligned_alloc(alignment, (bytes + misalignment + alignment) / alignment * alignment);
  run::Address start = reinterpret_cast<run::Address>(block) + misalignment;
  blocks[start] = {block, bytes};
  return start;
}

Status FakeDevice::free(run::Address start) {
  auto found = blocks.find(start);
  if (found == blocks.end())
    return outside;
  std::free(found->second.first);
  blocks.erase(found);
  return Done{};
}

std::byte *FakeDevice::within(run::Address start, size_t bytes) {
  auto next = blocks.upper_bound(start);
  if (next == blocks.begin())
    return nullptr;
  auto [first, block] = *std::prev(next);
  return start + bytes <= first + block.second ? reinterpret_cast<std::byte *>(start) : nullptr;
}

Status FakeDevice::copyToDevice(run::Address to, std::span<const std::byte> from) {
  std::byte *place = within(to, from.size());
  if (!place)
    return outside;
  std::memcpy(place, from.data(), from.size());
  return Done{};
}

Status FakeDevice::copyToHost(std::span<std::byte> to, run::Address from) {
  const std::byte *place = within(from, to.size());
  if (!place)
    return outside;
  std::memcpy(to.data(), place, to.size());
  return Done{};
}

Status FakeDevice::launch(run::KernelId kernel, const run::LaunchConfig &config,
                          std::span<void *const> arguments) {
  if (refusal)
    return *refusal;
  launches.push_back({kernel, config, {arguments.begin(), arguments.end()}});
  if (onLaunch)
    onLaunch(launches.back());
  return Done{};
}

Status FakeDevice::fill(run::Address, uint8_t, size_t, run::StreamId) { return unused; }
Result<run::Module> FakeDevice::loadModule(std::span<const std::byte>, const run::ModuleOptions &) {
  return unused;
}
Status FakeDevice::unloadModule(run::ModuleId) { return unused; }
Result<run::Kernel> FakeDevice::kernel(run::ModuleId, const std::string &) { return unused; }
Result<run::StreamId> FakeDevice::createStream() { return unused; }
Status FakeDevice::destroyStream(run::StreamId) { return unused; }
Result<run::EventId> FakeDevice::createEvent() {
  auto event = run::EventId(recorded.size() + 1);
  recorded[event] = 0;
  return event;
}
Status FakeDevice::destroyEvent(run::EventId) { return unused; }
Status FakeDevice::record(run::EventId event, run::StreamId) {
  recorded[event] = launches.size();
  return Done{};
}
Result<bool> FakeDevice::finished(run::EventId event) {
  return !hangs || recorded[event] <= *hangs;
}
Result<double> FakeDevice::elapsedMilliseconds(run::EventId, run::EventId) { return unused; }
Status FakeDevice::synchronize() {
  ++synchronized;
  return Done{};
}
Status FakeDevice::synchronize(run::StreamId) { return Done{}; }

run::Kernel kernelNamed(uint64_t id, std::string name) {
  run::Kernel kernel;
  kernel.id = run::KernelId(id);
  kernel.info.name = std::move(name);
  return kernel;
}

} // namespace tessera::jit::test
