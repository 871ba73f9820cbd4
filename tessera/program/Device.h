// Device: a GPU, the simulator or the interpreter, shared by programs and threads.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/program/Source.h"
#include "tessera/sanitize/Defaults.h"
#include "tessera/sim/Machine.h"

#include <memory>
#include <mutex>

namespace tessera::sim {
struct Report; // Report.h, for callers that read reports
}
namespace tessera::sanitize {
class Sanitizer;
using sim::Report;
} // namespace tessera::sanitize

namespace tessera::program {

struct DeviceOptions {
  std::string name = "gpu"; // gpu, gpu:N, sim, interp
  double timeout = 0;       // seconds that kernels of one call may run; 0: no limit; not for GPUs
  // Of the simulator:
  bool sanitize = false;
  size_t maxReports = sanitize::defaultReports;
  sim::Limits limits = {};
};

/// Any number of threads may use a device. Calls of kernels run one after the other on the
/// simulator and on the interpreter, and are queued one after the other on a GPU.
class Device {
public:
  static Result<std::shared_ptr<Device>> open(const DeviceOptions &);

  const std::string &name() const { return asked.name; }
  Where where() const { return kind; }
  /// The number of its GPU; 0 for other devices.
  int ordinal() const { return gpuOrdinal; }
  /// "NVIDIA H200", "Tessera's simulator", "Tessera's interpreter".
  std::string hardware() const;
  /// The reports of the sanitizer since the last call.
  std::vector<sanitize::Report> takeReports();

  /// The time by which kernels of a call that begins now have to end, which the simulator is told;
  /// `mutex` is held.
  decltype(sim::Limits::deadline) beginCall();

  /// Null for the interpreter. Only used while `mutex` is held.
  run::Device *device() const { return opened.get(); }
  std::mutex mutex;

private:
  DeviceOptions asked;
  Where kind = Where::Gpu;
  int gpuOrdinal = 0;
  std::unique_ptr<run::Device> opened;
  std::shared_ptr<sanitize::Sanitizer> sanitizer;
  size_t taken = 0; // of the sanitizer's reports
};

} // namespace tessera::program
