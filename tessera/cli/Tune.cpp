// tessera tune: tries configurations of ready kernels, or values for places of a file, and says
// which is fastest.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cli/Cli.h"

#include "tessera/cli/CommandLine.h"
#include "tessera/cli/Execution.h"
#include "tessera/cli/Kernels.h"
#include "tessera/cli/TuneFile.h"
#include "tessera/process/Deadline.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/FileSystem.h"

#include <CLI/CLI.hpp>

#include <cmath>
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
  std::string output, device = "gpu";
  int limit = 0, calls = 30;
  double timeout = 20; // seconds
  CacheOptions cache;
};

/// Elements of D that are computed on the CPU, in f64, from all over D: one in each cell of 128 x
/// 64, or of larger ones where these are more than 4096; the last one too.
class Samples {
public:
  Samples(const GemmShape &shape, const run::Tensor &a, const run::Tensor &b) : k(shape.k) {
    int64_t rows = 128, columns = 64;
    while (((shape.m + rows - 1) / rows) * ((shape.n + columns - 1) / columns) > 4096)
      (rows > columns ? columns : rows) *= 2;
    uint64_t state = 1;
    auto below = [&](int64_t n) { // Knuth's linear congruential generator (MMIX)
      state = state * 6364136223846793005u + 1442695040888963407u;
      return int64_t((state >> 33) % uint64_t(n));
    };
    for (int64_t i = 0; i < shape.m; i += rows)
      for (int64_t j = 0; j < shape.n; j += columns)
        add(i + below(std::min(rows, shape.m - i)), j + below(std::min(columns, shape.n - j)), a,
            b);
    add(shape.m - 1, shape.n - 1, a, b);
  }

  /// How many differ: by more than sums in f32, or in what tensor cores have for 8-bit floats, and
  /// a rounding of D explain.
  size_t wrong(const run::Tensor &d, bool exact) const {
    size_t count = 0;
    for (const Sample &s : samples) {
      double allowed = exact ? 0 : 0.01 * std::abs(s.expected) + 0.004 * std::sqrt(double(k));
      count += !(std::abs(d.at({s.i, s.j}) - s.expected) <= allowed);
    }
    return count;
  }
  size_t size() const { return samples.size(); }

private:
  struct Sample {
    int64_t i, j;
    double expected;
  };
  int64_t k;
  std::vector<Sample> samples;

  void add(int64_t i, int64_t j, const run::Tensor &a, const run::Tensor &b) {
    auto at = [](const run::Tensor &t, int64_t row, int64_t column) {
      int64_t offset = row * t.strides()[0] + column * t.strides()[1];
      return run::toDouble(t.dtype(), run::loadCode(t.dtype(), t.bytes().data(), offset));
    };
    double sum = 0;
    for (int64_t x = 0; x < k; ++x)
      sum += at(a, i, x) * at(b, j, x);
    samples.push_back({i, j, sum});
  }
};

/// One shape: its operands on the device, and what they are to give.
class Tuner {
public:
  Tuner(const TuneOptions &options, const GemmShape &shape, run::Device &device)
      : options(options), shape(shape), device(device) {}

  struct Best {
    std::optional<kernels::GemmRow> row;
    bool anyWrong = false;
  };
  Result<Best> run(const kernels::GemmTable &table) {
    if (device.hasGraphs() && on == run::StreamId::Default) {
      TESSERA_TRY(on, device.createStream());
    }
    std::vector<GemmSchedule> schedules =
        kernels::candidates(options.config, shape, table, kernels::ratesOf(device.info().name));
    if (options.limit > 0 && schedules.size() > size_t(options.limit))
      schedules.resize(size_t(options.limit));
    Best best;
    double least = 0;
    for (size_t i = 0; i < schedules.size(); ++i) {
      std::fprintf(stderr, "[%zu/%zu] %s %s: ", i + 1, schedules.size(), shape.str().c_str(),
                   schedules[i].str().c_str());
      TESSERA_TRY(Tried tried, attempt(schedules[i]));
      best.anyWrong |= tried.wrong > 0;
      if (tried.wrong) {
        std::fprintf(stderr, "WRONG, %zu of %zu elements that were compared\n", tried.wrong,
                     samples->size());
        continue;
      }
      std::string figures = rate(tried.milliseconds);
      std::fprintf(stderr, "%s\n", figures.c_str());
      if (best.row && least <= tried.milliseconds)
        continue;
      least = tried.milliseconds;
      best.row = {options.config.a, options.config.b, shape, schedules[i],
                  figures + ", " + device.info().name};
    }
    return best;
  }

private:
  const TuneOptions &options;
  GemmShape shape;
  run::Device &device;
  static constexpr int callsInGraph = 20;
  run::StreamId on = run::StreamId::Default;
  std::optional<run::Bound> a, b, d;
  std::optional<Samples> samples;

  std::string rate(double milliseconds) const {
    char text[64];
    double operations = 2.0 * double(shape.m) * double(shape.n) * double(shape.k);
    std::snprintf(text, sizeof text, "%.4f ms, %.4g TFLOP/s", milliseconds,
                  operations / milliseconds / 1e9);
    return text;
  }

  Result<run::Bound> bind(mlir::Type parameter, const std::string &text, size_t number) {
    TESSERA_TRY(run::Argument argument, run::parseArgument(text));
    return run::bind(jit::parameterOf(parameter), argument, &device, number);
  }
  /// Operands are made once, and D is what no kernel wrote before each.
  Result<run::Done> bindMatrices(llvm::ArrayRef<mlir::Type> parameters) {
    const GemmConfig &c = options.config;
    auto matrix = [](const std::string &kind, const std::string &type, int64_t rows,
                     int64_t columns) {
      return cat(kind, ":", type == "tf32" ? "f32" : type, ":", rows, "x", columns);
    };
    if (!samples) {
      TESSERA_TRY(a, bind(parameters[0], matrix("rand", c.a, shape.m, shape.k), 0));
      TESSERA_TRY(b, bind(parameters[1], matrix("rand", c.b, shape.n, shape.k), 1));
      TESSERA_TRY(d, bind(parameters[2], matrix("out", c.d, shape.m, shape.n), 2));
      samples.emplace(shape, *a->tensor(), *b->tensor());
    }
    llvm::fill(d->tensor()->bytes(), std::byte(0xFF));
    return d->upload();
  }

  struct Tried {
    size_t wrong = 0;
    double milliseconds = 0;
  };
  Result<Tried> attempt(const GemmSchedule &schedule) {
    GemmConfig config = options.config;
    schedule.applyTo(config);
    TESSERA_TRY(std::string text, gemmText(config));
    std::unique_ptr<llvm::MemoryBuffer> input =
        llvm::MemoryBuffer::getMemBufferCopy(text, "gemm.mlir");
    CompileCache cache(options.cache, *input);
    Session session(llvm::MemoryBuffer::getMemBuffer(*input));
    if (!session.module)
      return Reason{"Said", ""};
    auto host = *session.module->getOps<mlir::func::FuncOp>().begin();
    llvm::ArrayRef<mlir::Type> parameters = host.getArgumentTypes();

    TESSERA_CHECK(bindMatrices(parameters));
    std::vector<run::Bound> more;
    if (auto [sums, counters] = kernels::workspaceOf(config, shape); sums) {
      TESSERA_TRY(
          run::Bound workspace,
          bind(parameters[3], cat("out:", config.d == "i32" ? "i32" : "f32", ":", sums), 3));
      TESSERA_TRY(run::Bound counts, bind(parameters[4], cat("zeros:i32:", counters), 4));
      more.push_back(std::move(workspace));
      more.push_back(std::move(counts));
    }
    run::Bound stream = run::Bound::stream(on);
    std::vector<void *> values = {a->value(), b->value(), d->value()};
    for (run::Bound &one : more)
      values.push_back(one.value());
    values.push_back(stream.value());

    std::vector<driver::KernelSource> sources = driver::Compiler::kernels(*session.module);
    TESSERA_TRY(driver::CompileOptions compile,
                program::compileFor(&device.info(), options.device == "sim", "sm_90a"));
    compile.store = cache.store();
    Result<RunCode> code = [&] {
      process::Deadline deadline(options.timeout, "compiling a configuration");
      return codeOf(session, cache, compile);
    }();
    if (!code)
      return std::move(code).reason();
    Execution execution(&device, options.timeout);
    TESSERA_CHECK(execution.load(*code, session, sources));
    TESSERA_CHECK(execution.call("gemm", values));
    TESSERA_CHECK(d->download());
    if (size_t wrong = samples->wrong(*d->tensor(), config.d == "i32"))
      return Tried{wrong};
    // What a call takes inside a graph is the kernel's time; where there are no graphs, the host
    // function's is in it, the same for all.
    auto times = on == run::StreamId::Default
                     ? execution.times("gemm", values, options.calls)
                     : execution.timesInGraph("gemm", values, on, callsInGraph, options.calls);
    if (!times)
      return std::move(times).reason();
    return Tried{0, (*times)[times->size() / 2]};
  }
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
  Result<std::unique_ptr<run::Device>> device = openDevice(options.device);
  if (!device)
    return fail(device.reason().text, NoDevice);
  TuneOptions here = options;
  if (options.device != "sim")
    here.config.sms = int((*device)->info().multiprocessors);

  int exit = Right;
  for (const GemmShape &shape : shapes) {
    Result<Tuner::Best> best = Tuner(here, shape, **device).run(*known);
    if (!best)
      return fail(best.reason());
    if (best->anyWrong)
      exit = Differs;
    if (!best->row) {
      fail(cat("tune gemm found no configuration for ", shape.str(), " whose numbers are right"));
      continue;
    }
    // Written after each shape, so that nothing is lost if the next one does not end.
    written.put(*best->row);
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
  CLI::Option *file =
      command.add_option("FILE", options->file, "CuTe IR as text, with a host function");
  command
      .add_option("--param", options->parameters,
                  "NAME=VALUE,VALUE,...: values for %value, !alias, #alias or the attribute NAME; "
                  "NAME.KEY for what stands after 'KEY =' in its definition, NAME@LINE for one of "
                  "several. What the file states after it follows")
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
  command.add_option("--entry", options->entry, "host function; any unique part of its name")
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
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str()
      ->needs(file);
  command.add_option("--bench", options->calls, "how many calls to time; the median counts")
      ->check(CLI::PositiveNumber)
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
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  gemm->add_option("--bench", options->calls, "how many calls to time; the median counts")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  gemm->add_option(
          "--timeout", options->timeout,
          "limit in seconds for compiling one configuration, and for one call; 0: no limit")
      ->check(secondsCheck())
      ->capture_default_str();
  addTotalTimeout(*gemm);
  gemm->add_option("--device", options->device, "gpu, or sim, whose times say nothing about a GPU")
      ->check(CLI::IsMember({"gpu", "sim"}))
      ->capture_default_str();
  gemm->add_option("-o", options->output,
                   "table to write, or to update if it exists; default: rows to stdout");
  addCacheOptions(*gemm, options->cache);
  gemm->callback([options, &exit] { exit = tuneGemm(*options); });
}
