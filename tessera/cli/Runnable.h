// Runnable: what `tessera run` calls on a device: once, then compared, saved and timed.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/cli/Checks.h"
#include "tessera/cli/CompileCache.h"
#include "tessera/cli/Execution.h"
#include "tessera/cli/SimOptions.h"
#include "tessera/import/Input.h"

#include <memory>
#include <string>
#include <vector>

namespace tessera::run {
class SimDevice;
}

namespace tessera::cli {

struct RunOptions {
  std::string file, arch, entry, device = "gpu";
  std::vector<std::string> arguments; // as Argument.h reads them
  Checks checks;
  int bench = 0;
  double timeout = 120; // seconds, for a call; 0 for none
  double compileTimeout = 0;
  CacheOptions cache;
  SimOptions sim;
  int optLevel = 3;
  // Of CuTe IR:
  bool noHostCode = false;
  import::Reading reading;
  std::string ptx; // instead of what is compiled
  bool timing = false;
  driver::LoweringChoices lowering;
  // Of a tile program:
  std::vector<uint32_t> grid{1};
  uint64_t seed = 0;
};

/// The arguments as the options have them, after the options that name arguments by number were
/// compared with them, and once every file that is to be read is there: before anything takes time.
Result<std::vector<run::Argument>> argumentsOf(RunOptions &);

class Runnable {
public:
  explicit Runnable(RunOptions &options) : options(options) {}
  virtual ~Runnable() = default;

  /// Everything after preparation. An exit code; errors are printed.
  int run();

protected:
  /// Opens the device of the options and, for --bench, a stream that graphs can record.
  Status open();

  /// Queues one call.
  virtual Execution::Work work() = 0;
  /// An argument as the device has it now.
  virtual Result<const run::Tensor *> tensor(size_t argument) = 0;

  RunOptions &options;
  // Buffers, kernels and code go before the device.
  std::unique_ptr<run::Device> device;
  std::optional<Execution> execution;
  run::StreamId stream = run::StreamId::Default;

private:
  int write(const run::SimDevice &, const Result<bool> &right, int code) const;
  int bench();
};

} // namespace tessera::cli
