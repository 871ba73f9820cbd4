// Implements the interface of devices with the simulator.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/run/SimDevice.h"

#include "tessera/base/Printable.h"
#include "tessera/run/ModuleImage.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <thread>
#include <unistd.h>

namespace tessera::run {

namespace {

sim::Dim3 extents(const Dim3 &d) { return {uint32_t(d.x), uint32_t(d.y), uint32_t(d.z)}; }

double milliseconds() {
  using namespace std::chrono;
  return duration<double, std::milli>(steady_clock::now().time_since_epoch()).count();
}

/// Device properties that the rules of a launch need. Numbers are those of an H100; the simulator
/// does not limit registers.
DeviceInfo describe(const sim::Limits &limits) {
  DeviceInfo info;
  info.name = "Tessera's simulator";
  info.computeMajor = 9;
  info.multiprocessors =
      std::max(1u, limits.hostThreads ? limits.hostThreads : std::thread::hardware_concurrency());
  info.maxThreadsPerBlock = 1024;
  info.maxBlock = {1024, 1024, 64};
  info.maxGrid = {0x7fffffff, 65535, 65535};
  info.sharedPerBlock = 48 * 1024;
  info.sharedPerBlockOptin = info.sharedPerMultiprocessor = limits.sharedBytes;
  info.registersPerMultiprocessor = 65536;
  info.globalBytes = int64_t(limits.globalBytes);
  info.clusterLaunch = info.cooperativeLaunch = 1;
  return info;
}

/// The properties that a launch of a kernel has to keep to: what it is compiled for may have less
/// than the simulator, and a GPU of that target would refuse the launch.
DeviceInfo ofTarget(DeviceInfo info, int version) {
  constexpr int withClusters = 90; // PTX ISA, cluster of cooperative thread arrays
  if (version == 0 || version >= withClusters)
    return info;
  info.name = "the target of this kernel";
  info.computeMajor = version / 10;
  info.computeMinor = version % 10;
  info.clusterLaunch = 0;
  return info;
}

KernelInfo describe(const sim::Function &function) {
  KernelInfo info;
  info.name = function.name;
  info.localBytes = function.localBytes;
  info.staticSharedBytes = function.sharedBytes;
  info.maxThreadsPerBlock = 1024;
  info.ptxVersion = info.binaryVersion = 90;
  if (function.cluster[0])
    info.requiredCluster = Dim3{function.cluster[0], function.cluster[1], function.cluster[2]};
  info.parameters.emplace();
  for (const sim::Parameter &p : function.parameters)
    info.parameters->push_back({p.offset, p.size});
  return info;
}

} // namespace

SimDevice::SimDevice(sim::Limits limits, std::shared_ptr<sim::Observer> observer)
    : machine(limits, std::move(observer)), properties(describe(limits)) {}

Status SimDevice::takeFailure() {
  std::optional<Reason> reason = std::exchange(failure, std::nullopt);
  return reason ? Status(*reason) : Status(Done{});
}

//===--- Memory ------------------------------------------------------------------------------===//

Result<Address> SimDevice::allocate(size_t bytes) { return machine.memory().allocate(bytes); }
Status SimDevice::free(Address address) { return machine.memory().free(address); }

Status SimDevice::copyToDevice(Address to, std::span<const std::byte> from) {
  TESSERA_CHECK(takeFailure());
  return from.empty() ? Status(Done{}) : machine.memory().write(to, from);
}
Status SimDevice::copyToHost(std::span<std::byte> to, Address from) {
  TESSERA_CHECK(takeFailure());
  return to.empty() ? Status(Done{}) : machine.memory().read(to, from);
}
Status SimDevice::fill(Address to, uint8_t value, size_t bytes, StreamId stream) {
  TESSERA_CHECK(find(stream));
  if (bytes == 0)
    return Done{};
  TESSERA_TRY(std::span<std::byte> target, machine.memory().bytes(to, bytes));
  std::fill(target.begin(), target.end(), std::byte(value));
  machine.memory().wrote(to, bytes);
  return Done{};
}

//===--- Modules and kernels -----------------------------------------------------------------===//

Result<Module> SimDevice::loadModule(std::span<const std::byte> image, const ModuleOptions &) {
  TESSERA_TRY(ModuleImage inspected, inspectImage(image));
  if (inspected.kind != ImageKind::Ptx)
    return fail(Error::SimulatorCubin);
  std::string_view text(reinterpret_cast<const char *>(image.data()), image.size());
  TESSERA_TRY(sim::Program program,
              sim::Program::parse(std::string(text.substr(0, text.find('\0')))));
  TESSERA_TRY(sim::LoadedProgram loaded,
              machine.load(std::make_shared<const sim::Program>(std::move(program))));
  ModuleId id{nextHandle++};
  modules.emplace(id, std::move(loaded));
  return Module{id, ""};
}

Status SimDevice::unloadModule(ModuleId id) {
  auto found = modules.find(id);
  if (found == modules.end())
    return fail(Error::DeviceHandle, "module", hex(uint64_t(id)));
  std::erase_if(kernels, [&](const auto &entry) { return entry.second.module == id; });
  Status status = machine.unload(found->second);
  modules.erase(found);
  return status;
}

Result<Kernel> SimDevice::kernel(ModuleId id, const std::string &name) {
  auto found = modules.find(id);
  if (found == modules.end())
    return fail(Error::DeviceHandle, "module", hex(uint64_t(id)));
  const sim::Program &program = *found->second.program;
  const sim::Function *function = program.findKernel(name);
  if (!function) {
    std::string names;
    for (std::string_view other : program.kernels())
      names += cat(names.empty() ? "" : ", ", other);
    return fail(Error::KernelNotFound, name, names.empty() ? "no kernel" : names);
  }
  KernelId handle{nextHandle++};
  kernels[handle] = {id, function, describe(*function)};
  return Kernel{handle, kernels[handle].info};
}

Status SimDevice::launch(KernelId id, const LaunchConfig &config,
                         std::span<void *const> arguments) {
  auto found = kernels.find(id);
  if (found == kernels.end())
    return fail(Error::DeviceHandle, "kernel", hex(uint64_t(id)));
  TESSERA_CHECK(find(config.stream));
  const KernelRecord &record = found->second;
  DeviceInfo rules = ofTarget(properties, modules.at(record.module).program->targetVersion());
  TESSERA_CHECK(checkLaunch(rules, record.info, config, arguments));
  std::vector<std::byte> parameters(record.function->parameterBytes);
  for (size_t i = 0; i < arguments.size(); ++i) {
    const ParameterInfo &place = (*record.info.parameters)[i];
    std::memcpy(parameters.data() + place.offset, arguments[i], place.size);
  }
  sim::LaunchConfig launch{.grid = extents(config.grid),
                           .block = extents(config.block),
                           .dynamicShared = uint32_t(config.dynamicSharedBytes),
                           .cooperative = config.cooperative};
  if (config.cluster)
    launch.cluster = extents(*config.cluster);
  sim::Status status =
      machine.launch(modules.at(record.module), record.info.name, launch, parameters);
  allInstructions += machine.statistics().warpInstructions;
  std::string printed = machine.takeOutput();
  if (::isatty(::fileno(stdout)))
    printed = printable(printed);
  std::fwrite(printed.data(), 1, printed.size(), stdout);
  hasFailed |= !status;
  if (!status && !failure)
    failure = std::move(status).reason();
  return Done{};
}

//===--- Streams and events ------------------------------------------------------------------===//

Status SimDevice::find(StreamId id) const {
  return id == StreamId::Default || streams.count(id)
             ? Status(Done{})
             : Status(fail(Error::DeviceHandle, "stream", hex(uint64_t(id))));
}

Result<StreamId> SimDevice::createStream() { return *streams.insert(StreamId(nextHandle++)).first; }
Status SimDevice::destroyStream(StreamId id) {
  return streams.erase(id) ? Status(Done{})
                           : Status(fail(Error::DeviceHandle, "stream", hex(uint64_t(id))));
}
Result<EventId> SimDevice::createEvent() {
  return events.emplace(EventId(nextHandle++), -1.0).first->first;
}
Status SimDevice::destroyEvent(EventId id) {
  return events.erase(id) ? Status(Done{})
                          : Status(fail(Error::DeviceHandle, "event", hex(uint64_t(id))));
}
Status SimDevice::record(EventId id, StreamId stream) {
  TESSERA_CHECK(find(stream));
  auto found = events.find(id);
  if (found == events.end())
    return fail(Error::DeviceHandle, "event", hex(uint64_t(id)));
  found->second = milliseconds();
  return Done{};
}
/// Work is done when it is queued.
Result<bool> SimDevice::finished(EventId id) {
  if (!events.contains(id))
    return fail(Error::DeviceHandle, "event", hex(uint64_t(id)));
  return true;
}
Result<double> SimDevice::elapsedMilliseconds(EventId start, EventId end) {
  for (EventId id : {start, end})
    if (auto found = events.find(id); found == events.end() || found->second < 0)
      return fail(Error::DeviceHandle, "recorded event", hex(uint64_t(id)));
  return events[end] - events[start];
}
Status SimDevice::synchronize() { return takeFailure(); }
Status SimDevice::synchronize(StreamId id) {
  TESSERA_CHECK(find(id));
  return takeFailure();
}

} // namespace tessera::run
