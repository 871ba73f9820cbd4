// Calling, comparing and timing what `tessera run` prepared.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cli/Runnable.h"

#include "tessera/cli/Cli.h"
#include "tessera/cli/Entry.h"
#include "tessera/run/SimDevice.h"

#include <cstdio>
#include <filesystem>

using namespace tessera;
using namespace tessera::cli;

Result<std::vector<run::Argument>> tessera::cli::argumentsOf(RunOptions &options) {
  TESSERA_TRY(std::vector<run::Argument> arguments, parseArguments(options.arguments));
  TESSERA_CHECK(options.checks.parse(arguments.size()));
  std::string missing;
  for (const run::Argument &argument : arguments)
    if (missing.empty() && !argument.file.empty() && !std::filesystem::exists(argument.file))
      missing = argument.file;
  if (missing.empty())
    missing = options.checks.missingFile();
  if (!missing.empty())
    return Reason{"Missing", cat("cannot read ", missing, ": there is no such file")};
  return arguments;
}

Status Runnable::open() {
  TESSERA_TRY(device, openDevice(options.device, options.sim.limits, options.sim.log));
  if (options.bench > 0 && device->hasGraphs()) { // which record no default stream
    TESSERA_TRY(stream, device->createStream());
  }
  return Done{};
}

int Runnable::run() {
  auto ran = execution->call(work());
  auto *simulator = dynamic_cast<run::SimDevice *>(device.get());
  if (simulator)
    options.sim.tellCounts(simulator->statistics());
  Result<bool> right = ran ? options.checks.run([&](size_t index) { return tensor(index); })
                           : Result<bool>(ran.reason());
  int code = right ? *right ? Right : Differs : BadInput;
  if (!ran && simulator && simulator->kernelFailed()) {
    code = KernelFailed;
    if (Status saved = options.checks.save([&](size_t index) { return tensor(index); }); !saved)
      std::fprintf(stderr, "%s\n", saved.reason().text.c_str());
  }
  if (!right)
    code = exitOf(right.reason(), code);
  if (simulator)
    if (int failed = write(*simulator, right, code))
      return failed;
  if (!right)
    return fail(right.reason(), code);
  if (int failed = options.bench > 0 ? bench() : 0)
    return failed;
  return code;
}

int Runnable::write(const run::SimDevice &simulator, const Result<bool> &right, int code) const {
  SimResults results;
  results.file = options.ptx.empty() ? options.file : options.ptx;
  results.isPtx = !options.ptx.empty();
  results.statistics = simulator.statistics();
  if (!right)
    results.ended = right.reason();
  results.differs = right && !*right;
  results.exit = code;
  return options.sim.write(std::move(results));
}

int Runnable::bench() {
  auto say = [&](const std::vector<double> &times, const std::string &of) {
    std::printf("%s: median %.4f ms, min %.4f ms, max %.4f ms of %zu %s\n",
                device->info().name.c_str(), times[times.size() / 2], times.front(), times.back(),
                times.size(), of.c_str());
  };
  auto times = execution->times(work(), options.bench, stream);
  if (!times)
    return fail(times.reason());
  say(*times, "calls");
  if (stream == run::StreamId::Default)
    return 0;
  constexpr int inside = 20; // calls: enough that the start of the graph does not count
  // Under load a GPU's clock drops (an H200's from 1980 to 1500 MHz within a tenth of a second of
  // large products), and times should not depend on when they are taken.
  constexpr double warmUp = 250;
  times = execution->timesInGraph(work(), stream, inside, options.bench, warmUp);
  if (!times)
    return fail(times.reason());
  say(*times, cat("graphs, each of ", inside, " calls, by call"));
  return 0;
}
