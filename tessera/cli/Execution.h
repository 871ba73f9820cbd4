// Execution: a compiled file on a device, called, waited for with a limit, and timed.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/cli/RunCode.h"
#include "tessera/jit/Parameters.h"
#include "tessera/jit/Runtime.h"
#include "tessera/program/Loading.h"

#include <functional>
#include <optional>

namespace CLI {
class App;
}

namespace tessera::cli {

/// Options of a command for the user's choices in the lowering.
void addLoweringOptions(CLI::App &, driver::LoweringChoices &);

/// Must not outlive the device. If something does not finish in time the process ends with exit
/// code TimedOut, since releasing anything of the device would wait for the kernel.
class Execution {
public:
  struct Unit {};

  /// Without a device there are no kernels. `timeout` in seconds for a call and what
  /// it launched; 0 for none.
  Execution(run::Device *device, double timeout) : device(device), timeout(timeout) {}

  /// Queues the work of one call on the device. Valid as long as this and the values; the names of
  /// a kernel have to live as long as this.
  struct Work {
    std::string name; // in messages: "the host function 'gemm'"
    std::function<Result<Unit>()> queue;
  };

  /// Loads the code compiled from the session's file.
  Result<Unit> load(RunCode &, Session &, const std::vector<driver::KernelSource> &);
  /// Loads kernels alone.
  Result<Unit> load(const std::vector<program::DeviceImage> &);
  /// Calls of a host function, and of a kernel without one. `values[i]` is where the value of
  /// parameter i lies.
  Work calling(const std::string &entry, std::vector<void *> values);
  Work launching(const std::string &module, const std::string &kernel, run::LaunchConfig,
                 std::vector<void *> values);

  /// Does the work and waits.
  Result<Unit> call(const Work &);
  /// Milliseconds of `count` calls on this stream, each between two events, sorted.
  Result<std::vector<double>> times(const Work &, int calls,
                                    run::StreamId stream = run::StreamId::Default);
  /// Milliseconds of a call inside a graph of `inside` calls, of so many runs of the graph, in
  /// order of size. The work's stream is this one, and not the default one, which is not recorded.
  /// Before, the graph runs for `warmUp` milliseconds, and twice at least.
  Result<std::vector<double>> timesInGraph(const Work &, run::StreamId stream, int inside, int runs,
                                           double warmUp);

private:
  void begin();
  Result<program::Loaded> load(const program::DeviceImage &);
  Result<Unit> limited(const Work &, std::optional<run::EventId> end = std::nullopt);
  run::Status finish(std::optional<run::EventId> event);
  void hostIsLate(const std::string &name) const;

  run::Device *device;
  double timeout;
  std::unique_ptr<jit::Runtime> runtime;
  std::optional<jit::HostCode> host;
};

} // namespace tessera::cli
