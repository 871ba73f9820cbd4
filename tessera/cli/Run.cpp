// tessera run: compiles a file, host function and kernels, and calls the host function.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cli/Cli.h"

#include "tessera/cli/Checks.h"
#include "tessera/cli/CommandLine.h"
#include "tessera/cli/Content.h"
#include "tessera/cli/Entry.h"
#include "tessera/cli/Execution.h"
#include "tessera/cli/RunTile.h"
#include "tessera/cli/SimOptions.h"
#include "tessera/process/Deadline.h"
#include "tessera/program/LaunchOnly.h"
#include "tessera/run/SimDevice.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/FileSystem.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>

using namespace tessera;
using namespace tessera::cli;

namespace {

struct Options {
  std::string file, arch, entry, device = "gpu";
  std::vector<std::string> arguments;
  Checks checks;
  int bench = 0;
  double timeout = 120; // seconds, for a call; 0 for none
  double compileTimeout = 0;
  bool noHostCode = false;
  CacheOptions cache;
  import::Reading reading;
  SimOptions sim;
  std::string ptx; // instead of what is compiled
  // Of a tile program:
  std::vector<uint32_t> grid{1};
  uint64_t seed = 0;
  bool timing = false;
  driver::LoweringChoices lowering;
};

/// Everything between the command line and the numbers.
class Program {
public:
  Program(Options &options, Session &session, CompileCache &cache)
      : options(options), session(session), cache(cache) {}

  int run() {
    auto ran = execution->call(entry.name, arguments->values());
    auto *simulator = dynamic_cast<run::SimDevice *>(device.get());
    if (simulator)
      options.sim.tellCounts(simulator->statistics());
    Result<bool> right = ran ? options.checks.run([&](size_t index) { return tensor(index); })
                             : Result<bool>(ran.reason());
    int code = right ? *right ? Right : Differs : BadInput;
    if (!ran && simulator && simulator->kernelFailed())
      code = KernelFailed;
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

  /// Everything before the first call; an exit code.
  int prepare();

private:
  int write(const run::SimDevice &simulator, const Result<bool> &right, int code) const {
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

  int bench() {
    auto say = [&](const std::vector<double> &times, const std::string &of) {
      std::printf("%s: median %.4f ms, min %.4f ms, max %.4f ms of %zu %s\n",
                  device->info().name.c_str(), times[times.size() / 2], times.front(), times.back(),
                  times.size(), of.c_str());
    };
    std::vector<void *> values = arguments->values();
    auto times = execution->times(entry.name, values, options.bench, stream);
    if (!times)
      return fail(times.reason());
    say(*times, "calls");
    if (stream == run::StreamId::Default)
      return 0;
    constexpr int inside = 20; // calls: enough that the start of the graph does not count
    // Under load a GPU's clock sinks (an H200's from 1980 to 1500 MHz within a tenth of a second of
    // large products), and what is timed should not depend on when.
    constexpr double warmUp = 250;
    times = execution->timesInGraph(entry.name, values, stream, inside, options.bench, warmUp);
    if (!times)
      return fail(times.reason());
    say(*times, cat("graphs, each of ", inside, " calls, by call"));
    return 0;
  }

  /// The first file that is to be read and is not there; before anything takes time.
  std::string missingFile(const std::vector<run::Argument> &given) const {
    for (const run::Argument &argument : given)
      if (!argument.file.empty() && !llvm::sys::fs::exists(argument.file))
        return argument.file;
    return options.checks.missingFile();
  }

  /// An argument as the device has it now.
  Result<const run::Tensor *> tensor(size_t index) {
    run::Bound &argument = arguments->argument(index);
    if (!argument.tensor())
      return Reason{"NoTensor", cat("argument ", index, " is a number, not a tensor")};
    TESSERA_CHECK(argument.download());
    return static_cast<const run::Tensor *>(argument.tensor());
  }

  Options &options;
  Session &session;
  CompileCache &cache;
  Entry entry;
  std::vector<driver::KernelSource> kernels;
  // Buffers, kernels and code go before the device.
  std::unique_ptr<run::Device> device;
  std::optional<Execution> execution;
  std::optional<run::Arguments> arguments;
  run::StreamId stream = run::StreamId::Default;
};

int Program::prepare() {
  auto found = chooseEntry(*session.module, options.entry);
  if (!found)
    return fail(found.reason());
  entry = *found;
  if (options.noHostCode)
    if (std::optional<Reason> more = program::moreThanLaunches(*session.module))
      return fail(*more);
  auto parsed = parseArguments(options.arguments);
  if (!parsed)
    return fail(parsed.reason());
  if (auto numbered = options.checks.parse(parsed->size()); !numbered)
    return fail(numbered.reason());
  if (std::string missing = missingFile(*parsed); !missing.empty())
    return fail(cat("cannot read ", missing, ": there is no such file"));
  kernels = driver::Compiler::kernels(*session.module);
  // A function that launches nothing runs without a GPU.
  Result<std::unique_ptr<run::Device>> opened =
      openDevice(options.device, options.sim.limits, options.sim.log);
  if (opened)
    device = std::move(*opened);
  else if (!kernels.empty())
    return fail(opened.reason(), NoDevice);
  if (options.bench > 0 && device && device->hasGraphs()) { // which record no default stream
    Result<run::StreamId> made = device->createStream();
    if (!made)
      return fail(made.reason());
    stream = *made;
  }
  auto bound = run::bindAll(jit::parametersOf(entry.parameters), *parsed, device.get(), stream);
  if (!bound)
    return fail(bound.reason());
  arguments.emplace(std::move(*bound));
  if (options.sim.log)
    for (size_t i = 0; i < parsed->size(); ++i)
      if (run::Bound &argument = arguments->argument(i); argument.tensor())
        options.sim.log->name(argument.address(),
                              cat("argument ", i, " (", options.arguments[i], ")"));

  auto compile =
      program::compileFor(kernels.empty() ? nullptr : &device->info(), options.device == "sim",
                          chooseArch(options.arch, driver::Compiler::targetOf(*session.module)));
  if (!compile)
    return fail(compile.reason());
  compile->lowering = options.lowering;
  compile->store = cache.store();
  Result<RunCode> code = codeOf(session, cache, *compile);
  if (!code)
    return code.reason().text.empty() ? int(BadInput) : fail(code.reason());
  if (!options.ptx.empty()) {
    std::unique_ptr<llvm::MemoryBuffer> text = readInput(options.ptx);
    if (std::string why = text ? notPtx(text->getBuffer()) : ""; !why.empty())
      return fail(cat(options.ptx, ": ", why));
    if (!text || code->images.size() != 1)
      return text ? fail(cat("--ptx stands for one module of kernels, and the file has ",
                             code->images.size()))
                  : int(BadInput);
    code->images[0].code = text->getBuffer().str();
  }
  execution.emplace(device.get(), options.timeout);
  if (auto loaded = execution->load(*code, session, kernels); !loaded)
    return fail(loaded.reason());
  return 0;
}

int runFile(Options &options) {
  std::optional<process::Deadline> deadline(
      std::in_place, options.compileTimeout,
      cat("compiling ", options.file, " and reading its arguments"));
  std::unique_ptr<llvm::MemoryBuffer> input = readInput(options.file);
  if (!input)
    return BadInput;
  if (isTileProgram(input->getBuffer()))
    return fail(cat(options.file,
                    " is bytecode of a tile program, which only the interpreter runs: "
                    "add --device interp"));
  options.cache.off |= options.reading.isAsked(); // a file's key does not say how it was read
  CompileCache cache(options.cache, *input);
  Session session(llvm::MemoryBuffer::getMemBuffer(*input), options.reading);
  if (!session.module)
    return BadInput;
  Program program(options, session, cache);
  int code = program.prepare();
  deadline.reset();
  if (!code)
    code = program.run();
  if (options.timing)
    printTiming(session.compiler.parts(), cache);
  return code;
}
/// A tile program on the interpreter, with what `run` has of options for it.
int runOnInterpreter(Options &options, const CLI::App &command) {
  static constexpr std::string_view taken[] = {"FILE",
                                               "--entry",
                                               "--arg",
                                               "--check",
                                               "--rtol",
                                               "--atol",
                                               "--save",
                                               "--device",
                                               "--grid",
                                               "--seed",
                                               "--timeout",
                                               "--total-timeout",
                                               "--max-instructions",
                                               "--max-memory",
                                               "--max-output"};
  for (const CLI::Option *option : command.get_options())
    if (option->count() &&
        std::find(std::begin(taken), std::end(taken), option->get_name()) == std::end(taken))
      return fail(cat(option->get_name(), " says nothing to the interpreter: leave it out, or "
                                          "choose another --device"));
  std::vector<Output> outputs;
  options.checks.addOutputs(outputs);
  if (Status written = differ(outputs); !written)
    return fail(written.reason());
  process::Deadline deadline(options.timeout, cat("running ", options.file));
  TileRun asked{.file = options.file,
                .kernel = options.entry,
                .grid = options.grid,
                .arguments = options.arguments,
                .limits = {.seed = options.seed},
                .outputBytes = options.sim.limits.outputBytes};
  if (command.count("--max-instructions"))
    asked.limits.steps = options.sim.limits.instructions;
  if (command.count("--max-memory"))
    asked.limits.bytes = options.sim.limits.globalBytes;
  return runTile(asked, options.checks);
}
} // namespace

void tessera::cli::addRun(CLI::App &app, int &exit) {
  auto options = std::make_shared<Options>();
  CLI::App *command =
      app.add_subcommand("run", "Compiles a file of CuTe IR and calls a host function of it");
  command->footer(
      "Executes the file's host code in this process, with your rights: do not run a file that you "
      "do not trust, or use "
      "--no-host-code.\n"
      "Example: tessera run add.mlir --arg rand:f32:1024x512 --arg B.npy --arg out:f32:1024x512 "
      "--check 2=C.npy --bench 30\n"
      "Exit code: 0 ran, and the numbers agree; 1 numbers differ; 2 bad input; 3 no device; "
      "4 did not finish in time; 5 the simulator or the interpreter ended a kernel with an error; "
      "6 this machine has "
      "no more memory or threads; 7 a file could not be written");
  command
      ->add_option("FILE", options->file,
                   "CuTe IR as MLIR text or bytecode, or bytecode of a tile program for --device "
                   "interp; - reads stdin")
      ->required();
  command->add_option("--entry", options->entry,
                      "host function to call, or kernel of a tile program; any unique part of its "
                      "name");
  command
      ->add_option("--arg", options->arguments,
                   "an argument, in the order of the parameters: FILE.npy, bf16:FILE.npy, "
                   "rand:f16:4096x4096:seed=1, zeros:f32:8, out:f32:64x64:stride=1,64, i32:5, 0.5")
      ->take_all()
      ->allow_extra_args(false);
  options->checks.addOptions(*command, "argument");
  command
      ->add_option("--bench", options->bench,
                   "time this many calls (CUDA events) and print the median")
      ->check(CLI::NonNegativeNumber);
  CLI::Option *timeout =
      command
          ->add_option("--timeout", options->timeout,
                       "limit in seconds for one call of the host function and what it launches "
                       "and, where it is given, for reading and compiling too; 0: no limit")
          ->check(secondsCheck())
          ->capture_default_str();
  addTotalTimeout(*command);
  command
      ->add_option("--device", options->device,
                   "gpu, sim for the simulator on the CPU (docs/simulator.md), or interp for the "
                   "interpreter of tile programs")
      ->check(CLI::IsMember({"gpu", "sim", "interp"}))
      ->capture_default_str();
  command->add_option(
      "--ptx", options->ptx,
      "run the kernels of this PTX file instead, such as an edited output of compile");
  command->add_flag(
      "--no-host-code", options->noHostCode,
      "refuse a host function that does more than compute extents and arguments from numbers and "
      "layouts and launch kernels");
  command->add_option("--grid", options->grid, "X,Y,Z: tile blocks of --device interp")
      ->delimiter(',')
      ->expected(1, 3);
  command->add_option(
      "--seed", options->seed,
      "of --device interp: chooses the order of tile blocks, and what the semantics "
      "leave open");
  options->sim.addOptions(*command);
  addReading(*command, options->reading);
  command->add_option("--arch", options->arch, "target; default: the file's own, else the GPU's");
  command->add_flag("--timing", options->timing,
                    "say how long each step of the compilation took (to stderr)");
  addLoweringOptions(*command, options->lowering);
  addCacheOptions(*command, options->cache);
  command->callback([options, timeout, command, &exit] {
    if (options->device == "interp") {
      exit = runOnInterpreter(*options, *command);
      return;
    }
    for (const char *name : {"--grid", "--seed"})
      if (command->count(name)) {
        exit = fail(cat(name, " is for --device interp: a host function says what it launches"));
        return;
      }
    // A check that does not happen must not look like one that found nothing.
    if (std::string given = options->sim.given(); options->device != "sim" && !given.empty()) {
      exit = fail(cat(given, " is for the simulator: add --device sim"));
      return;
    }
    if (timeout->count() > 0)
      options->compileTimeout = options->timeout;
    std::vector<Output> outputs;
    options->checks.addOutputs(outputs);
    if (Result<int> read = options->sim.parse(std::move(outputs)); !read) {
      exit = fail(read.reason());
      return;
    }
    exit = runFile(*options);
  });
}
