// Compiling configurations of the GEMM, comparing their numbers and timing them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cli/GemmTuner.h"

#include "tessera/cli/CommandLine.h"
#include "tessera/cli/Execution.h"
#include "tessera/cli/Kernels.h"
#include "tessera/process/Deadline.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <system_error>
#include <thread>

using namespace tessera;
using namespace tessera::cli;
using kernels::GemmConfig;
using kernels::GemmSchedule;
using kernels::GemmShape;

/// A context of its own, with what a thread makes of a schedule in it.
struct GemmCompiler::Compiled {
  GemmConfig config;
  std::unique_ptr<llvm::MemoryBuffer> input;
  std::unique_ptr<Session> session;
  llvm::SmallVector<mlir::Type> parameters; // of the host function
  std::vector<driver::KernelSource> sources;
  std::optional<RunCode> code;
};

GemmCompiler::GemmCompiler(const GemmTiming &timing, const GemmConfig &like,
                           const run::Device &device, std::vector<GemmSchedule> all)
    : timing(timing), like(like), device(device), schedules(std::move(all)) {
  constexpr unsigned most = 16; // contexts at a time, some 60 MB each
  for (unsigned i = 0; i < std::clamp(std::thread::hardware_concurrency(), 1u, most); ++i)
    begin();
}
GemmCompiler::~GemmCompiler() = default;

void GemmCompiler::begin() {
  if (begun == schedules.size())
    return;
  auto work = [this, i = begun++] { return compiled(schedules[i]); };
  try {
    ahead.push_back(std::async(std::launch::async, work));
  } catch (const std::system_error &) { // no thread: when it is asked for
    ahead.push_back(std::async(std::launch::deferred, work));
  }
}
GemmCompiler::One GemmCompiler::next() {
  One one = ahead.front().get();
  ahead.pop_front();
  begin();
  return one;
}

GemmCompiler::One GemmCompiler::compiled(const GemmSchedule &schedule) const {
  auto made = std::make_unique<Compiled>();
  made->config = like;
  schedule.applyTo(made->config);
  TESSERA_TRY(std::string text, gemmText(made->config));
  made->input = llvm::MemoryBuffer::getMemBufferCopy(text, "gemm.mlir");
  CompileCache cache(timing.cache, *made->input);
  made->session = std::make_unique<Session>(llvm::MemoryBuffer::getMemBuffer(*made->input));
  if (!made->session->module)
    return Reason{"Said", ""};
  // Before the module becomes code.
  auto host = *made->session->module->getOps<mlir::func::FuncOp>().begin();
  made->parameters.assign(host.getArgumentTypes().begin(), host.getArgumentTypes().end());
  made->sources = driver::Compiler::kernels(*made->session->module);
  TESSERA_TRY(driver::CompileOptions compile,
              program::compileFor(&device.info(), timing.device == "sim", "sm_90a"));
  compile.store = cache.store();
  process::Deadline deadline(timing.timeout, "compiling a configuration");
  TESSERA_TRY(RunCode code, codeOf(*made->session, cache, compile));
  made->code = std::move(code);
  return made;
}

namespace {

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

/// One shape: its operands on the device, and the expected results.
class Tuner {
public:
  Tuner(const GemmTiming &timing, const GemmConfig &like, const GemmShape &shape,
        GemmCompiler &compiler, run::Device &device)
      : timing(timing), like(like), shape(shape), compiler(compiler), device(device) {}

  Result<GemmTimes> run(llvm::ArrayRef<GemmSchedule> schedules) {
    if (device.hasGraphs() && on == run::StreamId::Default) {
      TESSERA_TRY(on, device.createStream());
    }
    GemmTimes times;
    for (size_t i = 0; i < schedules.size(); ++i) {
      std::fprintf(stderr, "[%zu/%zu] %s %s: ", i + 1, schedules.size(), shape.str().c_str(),
                   schedules[i].str().c_str());
      TESSERA_TRY(std::unique_ptr<GemmCompiler::Compiled> compiled, compiler.next());
      TESSERA_TRY(Tried tried, attempt(*compiled));
      times.anyWrong |= tried.wrong > 0;
      if (tried.wrong) {
        std::fprintf(stderr, "WRONG, %zu of %zu elements that were compared\n", tried.wrong,
                     samples->size());
        continue;
      }
      std::string figures = rate(tried.milliseconds);
      std::fprintf(stderr, "%s\n", figures.c_str());
      times.all.push_back(
          {{like.a, like.b, shape, schedules[i], cat(figures, ", ", device.info().name)},
           tried.milliseconds});
    }
    return times;
  }

private:
  const GemmTiming &timing;
  const GemmConfig &like;
  GemmShape shape;
  GemmCompiler &compiler;
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
    const GemmConfig &c = like;
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
  Result<Tried> attempt(GemmCompiler::Compiled &compiled) {
    const GemmConfig &config = compiled.config;
    Session &session = *compiled.session;
    llvm::ArrayRef<mlir::Type> parameters = compiled.parameters;

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

    Execution execution(&device, timing.timeout);
    TESSERA_CHECK(execution.load(*compiled.code, session, compiled.sources));
    const Execution::Work work = execution.calling("gemm", values);
    TESSERA_CHECK(execution.call(work));
    TESSERA_CHECK(d->download());
    if (size_t wrong = samples->wrong(*d->tensor(), config.d == "i32"))
      return Tried{wrong};
    // What a call takes inside a graph is the kernel's time; where there are no graphs, the host
    // function's is in it, the same for all.
    auto times = on == run::StreamId::Default
                     ? execution.times(work, timing.calls)
                     : execution.timesInGraph(work, on, callsInGraph, timing.calls, 0);
    if (!times)
      return std::move(times).reason();
    return Tried{0, (*times)[times->size() / 2]};
  }
};
} // namespace

Result<GemmTimes> cli::timesOf(const GemmTiming &timing, const GemmConfig &like,
                               const GemmShape &shape, llvm::ArrayRef<GemmSchedule> schedules,
                               GemmCompiler &compiler, run::Device &device) {
  return Tuner(timing, like, shape, compiler, device).run(schedules);
}

void cli::addGemmTiming(CLI::App &command, GemmTiming &timing) {
  command.add_option("--bench", timing.calls, "how many calls to time; the median counts")
      ->check(numberFrom(1))
      ->capture_default_str();
  command
      .add_option("--timeout", timing.timeout,
                  "limit in seconds for compiling one configuration, and for one call; 0: no limit")
      ->check(secondsCheck())
      ->capture_default_str();
  addTotalTimeout(command);
  command.add_option("--device", timing.device, "gpu, or sim, whose times say nothing about a GPU")
      ->check(CLI::IsMember({"gpu", "sim"}))
      ->capture_default_str();
  addCacheOptions(command, timing.cache);
}
