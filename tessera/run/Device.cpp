// What all devices share: the rules of a launch, buffers that free themselves.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/run/Device.h"

#include <array>

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
  int64_t threads = config.block.volume();
  if (threads > kernel.maxThreadsPerBlock)
    return fail(Error::LaunchThreads, str(config.block), threads, kernel.maxThreadsPerBlock,
                kernel.registers, device.name);
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

} // namespace tessera::run
