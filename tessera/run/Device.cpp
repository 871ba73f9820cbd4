// Device: parts that all devices share: the rules of a launch, buffers that free themselves.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/run/Device.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace tessera::run {

std::string str(const Dim3 &d) { return tuple(std::array{d.x, d.y, d.z}); }

std::string DeviceInfo::driverVersionText() const {
  return cat(driverVersion / 1000, ".", driverVersion % 1000 / 10);
}

namespace {

constexpr std::pair<std::string_view, int64_t Dim3::*> axes[] = {
    {"x", &Dim3::x}, {"y", &Dim3::y}, {"z", &Dim3::z}};

Status checkExtents(std::string_view what, const Dim3 &extents, const Dim3 &limit) {
  for (auto [axis, member] : axes)
    if (extents.*member < 1 || extents.*member > limit.*member)
      return fail(Error::LaunchExtent, what, str(extents), axis, limit.*member);
  return Done{};
}

int64_t roundUp(int64_t value, int64_t step) { return (value + step - 1) / step * step; }

/// How many threads of a block the registers of a multiprocessor are enough for. Registers are
/// given to whole warps, 8 per thread at a time, by four partitions with a quarter each (CUDA
/// occupancy calculator, compute capability 7.0 and up).
int64_t threadsWithRegisters(const DeviceInfo &device, int64_t registers) {
  constexpr int64_t perThreadStep = 8, partitions = 4;
  int64_t perWarp = roundUp(std::max<int64_t>(registers, 1), perThreadStep) * device.warpSize;
  return device.registersPerMultiprocessor / partitions / perWarp * partitions * device.warpSize;
}

Status checkThreads(const DeviceInfo &device, const KernelInfo &kernel, const Dim3 &block) {
  int64_t threads = block.volume();
  if (device.maxThreadsPerBlock > 0 && threads > device.maxThreadsPerBlock)
    return fail(Error::LaunchBlock, str(block), threads, device.maxThreadsPerBlock, device.name);
  int64_t fit = threadsWithRegisters(device, kernel.registers);
  if (device.registersPerMultiprocessor > 0 && threads > fit)
    return fail(Error::LaunchRegisters, str(block), threads, kernel.registers,
                device.registersPerMultiprocessor, device.name, fit);
  if (threads > kernel.maxThreadsPerBlock)
    return fail(Error::LaunchThreads, str(block), threads, kernel.maxThreadsPerBlock);
  return Done{};
}

/// CUDA programming guide, thread block clusters: 8 on every GPU, 16 where a kernel allows sizes
/// that are not portable.
constexpr int64_t maxClusterBlocks = 16;

Status checkCluster(const DeviceInfo &device, const KernelInfo &kernel,
                    const LaunchConfig &config) {
  std::optional<Dim3> cluster = config.cluster ? config.cluster : kernel.requiredCluster;
  if (!cluster)
    return Done{};
  TESSERA_CHECK(checkExtents("cluster", *cluster, device.maxGrid));
  if (kernel.requiredCluster && *kernel.requiredCluster != *cluster)
    return fail(Error::LaunchClusterRequired, str(*cluster), str(*kernel.requiredCluster));
  if (!device.clusterLaunch && cluster->volume() > 1)
    return fail(Error::LaunchClusterUnsupported, str(*cluster), device.name, device.target());
  if (cluster->volume() > maxClusterBlocks)
    return fail(Error::LaunchClusterSize, str(*cluster), cluster->volume(), maxClusterBlocks);
  for (auto [axis, member] : axes)
    if (config.grid.*member % (*cluster).*member)
      return fail(Error::LaunchClusterDivides, str(config.grid), str(*cluster), axis);
  return Done{};
}

Status checkArguments(const KernelInfo &kernel, std::span<void *const> arguments) {
  if (kernel.parameters && kernel.parameters->size() != arguments.size())
    return fail(Error::LaunchArgumentCount, kernel.parameters->size(), arguments.size());
  for (size_t i = 0; i < arguments.size(); ++i)
    if (!arguments[i])
      return fail(Error::LaunchArgumentNull, i);
  return Done{};
}

Status checkRules(const DeviceInfo &device, const KernelInfo &kernel, const LaunchConfig &config,
                  std::span<void *const> arguments) {
  TESSERA_CHECK(checkExtents("grid", config.grid, device.maxGrid));
  TESSERA_CHECK(checkExtents("block", config.block, device.maxBlock));
  TESSERA_CHECK(checkThreads(device, kernel, config.block));
  TESSERA_CHECK(checkCluster(device, kernel, config));
  if (config.dynamicSharedBytes < 0 ||
      config.dynamicSharedBytes > device.sharedPerBlockOptin - kernel.staticSharedBytes)
    return fail(Error::LaunchShared, kernel.staticSharedBytes, config.dynamicSharedBytes,
                device.name, device.sharedPerBlockOptin);
  if (config.cooperative && !device.cooperativeLaunch)
    return fail(Error::LaunchCooperative, device.name);
  return checkArguments(kernel, arguments);
}

} // namespace

Status checkLaunch(const DeviceInfo &device, const KernelInfo &kernel, const LaunchConfig &config,
                   std::span<void *const> arguments) {
  Status status = checkRules(device, kernel, config, arguments);
  if (!status)
    return prefixed(cat("kernel '", kernel.name, "': "), std::move(status).reason());
  return status;
}

namespace {

/// "sm_90a": 9, 0, 'a'; no suffix is 0.
struct Target {
  int64_t major, minor;
  char suffix;
};
std::optional<Target> parseTarget(std::string_view name) {
  if (!name.starts_with("sm_"))
    return std::nullopt;
  int64_t number = 0;
  auto [end, error] = std::from_chars(name.data() + 3, name.data() + name.size(), number);
  size_t rest = size_t(name.data() + name.size() - end);
  if (error != std::errc() || rest > 1)
    return std::nullopt;
  return Target{number / 10, number % 10, rest ? *end : '\0'};
}

} // namespace

bool runsCubin(const DeviceInfo &device, std::string_view name) {
  std::optional<Target> target = parseTarget(name);
  if (!target || target->major != device.computeMajor)
    return false;
  return target->suffix == 'a' ? target->minor == device.computeMinor
                               : target->minor <= device.computeMinor;
}

Status checkTarget(const DeviceInfo &device, std::string_view name) {
  std::optional<Target> target = parseTarget(name);
  bool older = target && !target->suffix && target->major < device.computeMajor;
  if (!target || older || runsCubin(device, name))
    return Done{};
  return fail(Error::DeviceTarget, name, device.name, device.target(),
              cat(device.target(), device.computeMajor >= 9 ? "a" : ""));
}

Result<DeviceBuffer> DeviceBuffer::make(Device &device, size_t bytes) {
  DeviceBuffer buffer;
  TESSERA_TRY(buffer.start, device.allocate(bytes));
  buffer.device = &device;
  buffer.count = bytes;
  return buffer;
}

DeviceBuffer::~DeviceBuffer() {
  // A destructor has nobody to report to; a failure here repeats one that a call has already
  // reported.
  if (device)
    (void)device->free(start);
}

//===------------------------------------------------------------------------------------------===//
// Graphs
//===------------------------------------------------------------------------------------------===//

Result<GraphId> Device::capture(StreamId, const std::function<Status()> &) {
  return fail(Error::NoGraphs, info().name);
}
Status Device::launchGraph(GraphId, StreamId) { return fail(Error::NoGraphs, info().name); }
Status Device::destroyGraph(GraphId) { return fail(Error::NoGraphs, info().name); }

} // namespace tessera::run
