// tessera tune: tries configurations of ready kernels, or values for places of a file, and says
// which is fastest.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cli/Cli.h"

#include "tessera/cli/CommandLine.h"
#include "tessera/cli/GemmTuner.h"
#include "tessera/cli/Kernels.h"
#include "tessera/cli/TuneFile.h"

#include "llvm/Support/FileSystem.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>

using namespace tessera;
using namespace tessera::cli;
using kernels::GemmConfig;
using kernels::GemmSchedule;
using kernels::GemmShape;

namespace {

struct TuneOptions {
  GemmConfig config;
  std::vector<std::string> shapes;
  std::string output, rates;
  int limit = 0;
  GemmTiming timing;
};

int tuneGemm(const TuneOptions &options) {
  std::vector<GemmShape> shapes;
  for (const std::string &text : options.shapes) {
    Result<GemmShape> shape = GemmShape::parse(text);
    if (!shape)
      return fail("tune gemm " + shape.reason().text);
    shapes.push_back(*shape);
  }
  if (options.config.a == "i4" || options.config.b == "i4")
    return fail("tune gemm does not try i4, which needs scales of groups: `tessera generate gemm "
                "--group-scales` takes such a plan from the model");
  if (auto why = kernels::refused(options.config))
    return fail("tune gemm " + why->text);
  bool updates = !options.output.empty() && llvm::sys::fs::exists(options.output);
  Result<kernels::GemmTable> known = readGemmTable(updates ? options.output : "");
  if (!known)
    return fail(known.reason().text);
  kernels::GemmTable written = updates ? *known : kernels::GemmTable();
  Result<std::unique_ptr<run::Device>> device = openDevice(options.timing.device);
  if (!device)
    return fail(device.reason().text, NoDevice);
  const std::string &name = (*device)->info().name;
  Result<kernels::GpuRates> rates = gemmRates(options.rates, name);
  if (!rates)
    return fail(rates.reason().text);
  GemmConfig config = options.config;
  if (options.timing.device != "sim")
    config.sms = int((*device)->info().multiprocessors);

  int exit = Right;
  std::vector<std::vector<GemmSchedule>> schedules;
  std::vector<GemmSchedule> all;
  for (const GemmShape &shape : shapes) {
    std::vector<GemmSchedule> some = kernels::candidates(config, shape, *known, *rates);
    if (options.limit > 0 && some.size() > size_t(options.limit))
      some.resize(size_t(options.limit));
    llvm::append_range(all, some);
    schedules.push_back(std::move(some));
  }
  GemmCompiler compiler(options.timing, config, **device, std::move(all));
  for (size_t i = 0; i < shapes.size(); ++i) {
    const GemmShape &shape = shapes[i];
    Result<GemmTimes> times =
        timesOf(options.timing, config, shape, schedules[i], compiler, **device);
    if (!times)
      return fail(times.reason());
    if (times->anyWrong)
      exit = Differs;
    auto best = std::ranges::min_element(times->all, {}, &GemmTimes::One::milliseconds);
    if (best == times->all.end()) {
      fail(cat("tune gemm found no configuration for ", shape.str(), " whose numbers are right"));
      continue;
    }
    // Written after each shape, so that nothing is lost if the next one does not end.
    written.put(best->row);
    if (int code = options.output.empty() ? 0 : writeFile(options.output, written.str()))
      return code;
  }
  if (options.output.empty())
    std::fputs(written.str().c_str(), stdout);
  return exit;
}
} // namespace

static void addFile(CLI::App &command, int &exit) {
  auto options = std::make_shared<FileTuning>();
  CLI::Option *file = command.add_option(
      "FILE", options->file, "CuTe IR as text, with a host function, or a tile program");
  command
      .add_option("--param", options->parameters,
                  "NAME=VALUE,VALUE,...: values for %value, !alias, #alias or the attribute NAME; "
                  "NAME.KEY for what stands after 'KEY =' in its definition, NAME@LINE for one of "
                  "several. What the file states after it follows. Of a tile program, also in "
                  "bytecode, hints too: occupancy=1,2, or latency@12=2,4 for line 12")
      ->allow_extra_args(false)
      ->needs(file);
  command
      .add_option("--arg", options->arguments,
                  "an argument of the host function, as `tessera run` takes it")
      ->allow_extra_args(false)
      ->needs(file);
  command
      .add_option("--sim-arg", options->simArguments,
                  "the same for the simulator, where sizes may be smaller; default: --arg")
      ->allow_extra_args(false)
      ->needs(file);
  command
      .add_option("--entry", options->entry,
                  "host function, or kernel of a tile program; any unique part of its name")
      ->needs(file);
  command.add_option("--grid", options->grid, "X,Y,Z: tile blocks of a tile program; default: 1")
      ->delimiter(',')
      ->expected(1, 3)
      ->needs(file);
  command
      .add_option("--sim-grid", options->simGrid,
                  "the same for the simulator, with --sim-arg; default: --grid")
      ->delimiter(',')
      ->expected(1, 3)
      ->needs(file);
  command.add_option("--arch", options->arch, "target; default: the file's own, else the GPU's")
      ->needs(file);
  command
      .add_option("--device", options->device,
                  "gpu, or sim: then what counts is how many instructions warps execute")
      ->check(CLI::IsMember({"gpu", "sim"}))
      ->capture_default_str()
      ->needs(file);
  command.add_option("--rtol", options->tolerance.relative, "relative tolerance of the comparison")
      ->capture_default_str()
      ->needs(file);
  command.add_option("--atol", options->tolerance.absolute, "absolute tolerance of the comparison")
      ->capture_default_str()
      ->needs(file);
  command.add_option("--limit", options->limit, "how many combinations to try; 0: all")
      ->check(numberFrom(0))
      ->capture_default_str()
      ->needs(file);
  command.add_option("--bench", options->calls, "how many calls to time; the median counts")
      ->check(numberFrom(1))
      ->capture_default_str()
      ->needs(file);
  command.add_option("--timeout", options->timeout, "limit in seconds for a call; 0: no limit")
      ->check(secondsCheck())
      ->capture_default_str()
      ->needs(file);
  addTotalTimeout(command)->needs(file);
  command
      .add_flag("--no-host-code", options->noHostCode,
                "refuse a host function that does more than compute extents and arguments from "
                "numbers and layouts and launch kernels")
      ->needs(file);
  command
      .add_option("-o", options->output,
                  "the fastest one, as consistent IR; default: its values on stdout")
      ->needs(file);
  addInputVersion(command, options->reading);
  addCacheOptions(command, options->cache);
  command.callback([options, &command, &exit] {
    if (!command.get_subcommands().empty())
      return;
    if (options->file.empty())
      exit = fail("tune expects a file with --param, or gemm; tessera tune --help says how");
    else if (options->parameters.empty())
      exit = fail("tune FILE expects --param NAME=VALUE,VALUE,...: what to try");
    else
      exit = tuneFile(*options);
  });
}

void cli::addTune(CLI::App &app, int &exit) {
  CLI::App *command = app.add_subcommand(
      "tune", "Finds the fastest configuration of a ready kernel, or values for a file");
  command->require_subcommand(0, 1);
  command->footer("Executes the file's host code in this process, with your rights: do not tune a "
                  "file that you do not trust, or use --no-host-code.\n"
                  "Example: tessera tune kernel.mlir --param '%swizzle=S<2,3,3>,S<3,3,3>' --arg "
                  "rand:f16:128x64:stride=1,128 --arg out:f16:128x64\n"
                  "Exit code: 0 done, 2 bad input, 3 no device, 4 not finished in time, 7 a file "
                  "could not be written");
  addFile(*command, exit);
  CLI::App *gemm = command->add_subcommand(
      "gemm", "Tunes the kernel of `tessera generate gemm` for given shapes");
  gemm->footer("Exit code: 0 found for each shape, 1 numbers were wrong, 2 bad input, 3 no device, "
               "4 not finished in time, 7 a file could not be written");
  auto options = std::make_shared<TuneOptions>();
  addGemmTypes(*gemm, options->config);
  gemm->add_option("--shape", options->shapes, "MxNxK, or several")->required()->delimiter(',');
  gemm->add_option("--limit", options->limit,
                   "how many configurations to try for a shape, the likely ones first; 0: all")
      ->check(numberFrom(0))
      ->capture_default_str();
  gemm->add_option("--rates", options->rates,
                   "a file of `tessera calibrate` for the GPU; default: the built-in rates");
  gemm->add_option("-o", options->output,
                   "table to write, or to update if it exists; default: rows to stdout");
  addGemmTiming(*gemm, options->timing);
  gemm->callback([options, &exit] { exit = tuneGemm(*options); });
}
