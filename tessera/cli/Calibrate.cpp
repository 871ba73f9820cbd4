// tessera calibrate: what the model of the GEMM has to know about a GPU.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cli/CommandLine.h"
#include "tessera/cli/GemmTuner.h"
#include "tessera/cli/Kernels.h"
#include "tessera/kernels/choice/GemmFit.h"

#include <CLI/CLI.hpp>

#include <cstdio>

using namespace tessera;
using namespace tessera::cli;
using kernels::GemmFitness;
using kernels::GemmTimed;
using kernels::GpuRates;

namespace {

struct CalibrateOptions {
  std::string times, save, start, output = "-";
  int limit = 12, tries = 20000;
  GemmTiming timing{.calls = 15, .cache = {}};
};

std::string said(const GemmFitness &fitness) {
  char text[128];
  std::snprintf(text, sizeof text,
                "estimates are %.1f %% off, choices cost %.1f %%, at most %.1f %%",
                100 * fitness.error, 100 * fitness.cost, 100 * fitness.most);
  return text;
}

/// The rows of all shapes, written to a file after each one, so that nothing is lost; to stdout at
/// the end.
Result<kernels::GemmTable> measured(const CalibrateOptions &options, const GpuRates &start,
                                    run::Device &device, int &exit) {
  kernels::GemmConfig config;
  config.sms = start.sms;
  kernels::GemmTable table;
  llvm::ArrayRef<kernels::GemmShape> shapes = kernels::calibrationShapes();
  std::vector<std::vector<kernels::GemmSchedule>> schedules;
  std::vector<kernels::GemmSchedule> all;
  for (const kernels::GemmShape &shape : shapes) {
    schedules.push_back(kernels::calibrationSchedules(config, shape, start, options.limit));
    llvm::append_range(all, schedules.back());
  }
  GemmCompiler compiler(options.timing, config, device, std::move(all));
  for (size_t i = 0; i < shapes.size(); ++i) {
    note(cat("shape ", i + 1, " of ", shapes.size()));
    TESSERA_TRY(GemmTimes times,
                timesOf(options.timing, config, shapes[i], schedules[i], compiler, device));
    if (times.anyWrong)
      exit = Differs;
    for (GemmTimes::One &one : times.all)
      table.rows.push_back(std::move(one.row));
    if (!options.save.empty() && (options.save != "-" || i + 1 == shapes.size()))
      if (int code = writeFile(options.save, table.str())) {
        exit = code;
        return Reason{"Said", ""};
      }
  }
  return table;
}

int calibrate(const CalibrateOptions &options) {
  if (options.save == "-" && options.output == "-")
    return fail("--save-times and -o both write to stdout: give one of them a file");
  Result<kernels::GemmTable> table = kernels::GemmTable();
  Result<GpuRates> start = gemmRates(options.start, "");
  int exit = Right;
  if (!options.times.empty()) {
    if (!start)
      return fail(start.reason().text);
    table = readGemmTable(options.times);
  } else {
    Result<std::unique_ptr<run::Device>> device = openDevice(options.timing.device);
    if (!device)
      return fail(device.reason().text, NoDevice);
    const run::DeviceInfo &info = (*device)->info();
    start = gemmRates(options.start, info.name);
    if (!start)
      return fail(start.reason().text);
    *start = start->of(info.name, int(info.multiprocessors));
    table = measured(options, *start, **device, exit);
    if (!table && exit != Right && table.reason().text.empty())
      return exit;
  }
  if (!table)
    return fail(table.reason());
  Result<std::vector<GemmTimed>> times = kernels::timesOf(*table, kernels::GemmConfig());
  if (!times)
    return fail(cat(options.times.empty() ? "" : options.times + ": ", times.reason().text));
  if (times->empty())
    return options.times.empty()
               ? fail("no configuration's numbers are right, so that none was timed", exit)
               : fail(cat(options.times, " has no times"));
  GemmFitness before = fitnessOf(*start, *times);
  note(cat(times->size(), " times of ", before.shapes, " shapes"));
  note(cat("before: ", said(before)));
  GpuRates rates = fitted(*start, *times, options.tries);
  note(cat("after:  ", said(fitnessOf(rates, *times))));
  int code = writeFile(options.output, cat("# Made by tessera calibrate of ", times->size(),
                                           " times of ", before.shapes, " shapes.\n", rates.str()));
  return code ? code : exit;
}
} // namespace

void cli::addCalibrate(CLI::App &app, int &exit) {
  CLI::App *command = app.add_subcommand(
      "calibrate", "Measures what `tessera generate gemm --shape` has to know about a GPU");
  command->footer(
      "Example: tessera calibrate -o rates.txt; tessera generate gemm --shape 64x4096x4096 --rates "
      "rates.txt\n"
      "Exit code: 0 done, 1 numbers were wrong, 2 bad input, 3 no device, 4 not finished in time, "
      "7 a file could not be written");
  auto options = std::make_shared<CalibrateOptions>();
  CLI::Option *times = command->add_option(
      "--times", options->times,
      "fit to these times instead of measuring: a table as --save-times writes it");
  command
      ->add_option("--save-times", options->save, "where to keep the measured times; - is stdout")
      ->excludes(times);
  command->add_option(
      "--rates", options->start,
      "rates to begin from; default: the built-in ones of the GPU or of another one");
  command->add_option("--limit", options->limit, "how many configurations of a shape are timed")
      ->check(numberFrom(1))
      ->capture_default_str();
  command->add_option("--tries", options->tries, "steps of the search for the rates")
      ->check(CLI::Range(0, 10'000'000))
      ->capture_default_str();
  command->add_option("-o", options->output, "where to; - is stdout")->capture_default_str();
  addGemmTiming(*command, options->timing);
  command->callback([options, &exit] { exit = calibrate(*options); });
}
