// Devices by name.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/program/Device.h"

#include "tessera/program/Errors.h"
#include "tessera/run/CudaDevice.h"
#include "tessera/run/SimDevice.h"
#include "tessera/sanitize/Report.h"
#include "tessera/sanitize/Sanitizer.h"

#include <algorithm>
#include <charconv>

namespace tessera::program {

namespace {

constexpr std::string_view gpu = "gpu", simulator = "sim", interpreter = "interp";

/// The number of the GPU that a name says; none for other names.
std::optional<int> ordinalOf(std::string_view name) {
  if (name == gpu)
    return 0;
  if (!name.starts_with("gpu:"))
    return std::nullopt;
  std::string_view digits = name.substr(gpu.size() + 1);
  int ordinal = 0;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), ordinal);
  bool whole = error == std::errc() && end == digits.data() + digits.size() && ordinal >= 0;
  return whole ? std::optional(ordinal) : std::nullopt;
}

} // namespace

Result<std::shared_ptr<Device>> Device::open(const DeviceOptions &options) {
  if (!(options.timeout >= 0))
    return fail(Error::DeviceTimeout, options.timeout);
  auto device = std::make_shared<Device>();
  device->asked = options;
  if (options.name == simulator) {
    device->kind = Where::Simulator;
    if (options.sanitize)
      device->sanitizer = std::make_shared<sanitize::Sanitizer>(options.maxReports);
    device->opened = std::make_unique<run::SimDevice>(options.limits, device->sanitizer);
    return device;
  }
  std::optional<int> ordinal = ordinalOf(options.name);
  if (!ordinal && options.name != interpreter)
    return fail(Error::DeviceName, options.name);
  if (options.sanitize)
    return fail(Error::DeviceOption, options.name, "sanitizer", "");
  if (ordinal && options.timeout > 0)
    return fail(Error::DeviceOption, options.name, "timeout", " and the interpreter");
  if (!ordinal) {
    device->kind = Where::Interpreter;
    return device;
  }
  device->gpuOrdinal = *ordinal;
  TESSERA_TRY(device->opened, run::openCudaDevice(*ordinal));
  return device;
}

decltype(sim::Limits::deadline) Device::beginCall() {
  using Clock = std::chrono::steady_clock;
  constexpr double most = 1e9; // 30 years
  decltype(sim::Limits::deadline) deadline;
  if (asked.timeout > 0)
    deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                  std::chrono::duration<double>(std::min(asked.timeout, most)));
  if (auto *simulator = dynamic_cast<run::SimDevice *>(opened.get()))
    simulator->setDeadline(deadline);
  return deadline;
}

std::string Device::hardware() const {
  return opened ? opened->info().name : "Tessera's interpreter";
}

std::vector<sanitize::Report> Device::takeReports() {
  std::lock_guard lock(mutex);
  if (!sanitizer)
    return {};
  const std::vector<sanitize::Report> &all = sanitizer->allReports();
  std::vector<sanitize::Report> reports(all.begin() + ptrdiff_t(taken), all.end());
  taken = all.size();
  return reports;
}

} // namespace tessera::program
