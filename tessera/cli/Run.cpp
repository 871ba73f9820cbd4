// tessera run: compiles a file, host function and kernels, and calls the host function.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cli/Cli.h"
#include "tessera/cli/CommandLine.h"
#include "tessera/cli/Content.h"
#include "tessera/cli/Entry.h"
#include "tessera/cli/RunTile.h"
#include "tessera/cuda_tile/CudaTile.h"
#include "tessera/process/Deadline.h"
#include "tessera/program/LaunchOnly.h"
#include "tessera/tile_bytecode/Reader.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <CLI/CLI.hpp>

#include <algorithm>

using namespace tessera;
using namespace tessera::cli;

namespace {

/// A host function of CuTe IR, with the kernels that it launches.
class HostFunction final : public Runnable {
public:
  HostFunction(RunOptions &options, Session &session, CompileCache &cache)
      : Runnable(options), session(session), cache(cache) {}

  /// Everything before the first call; an exit code.
  int prepare();

private:
  Execution::Work work() override { return execution->calling(entry.name, arguments->values()); }
  Result<const run::Tensor *> tensor(size_t index) override {
    run::Bound &argument = arguments->argument(index);
    if (!argument.tensor())
      return Reason{"NoTensor", cat("argument ", index, " is a number, not a tensor")};
    TESSERA_CHECK(argument.download());
    return static_cast<const run::Tensor *>(argument.tensor());
  }
  Status replaceCode(RunCode &) const;

  Session &session;
  CompileCache &cache;
  Entry entry;
  std::optional<run::Arguments> arguments;
};

/// With the PTX of --ptx.
Status HostFunction::replaceCode(RunCode &code) const {
  std::unique_ptr<llvm::MemoryBuffer> text = readInput(options.ptx);
  if (!text)
    return Reason{};
  if (std::string why = notPtx(text->getBuffer()); !why.empty())
    return Reason{"NoPtx", cat(options.ptx, ": ", why)};
  if (code.images.size() != 1)
    return Reason{"OneModule", cat("--ptx stands for one module of kernels, and the file has ",
                                   code.images.size())};
  code.images[0].code = text->getBuffer().str();
  return Done{};
}

int HostFunction::prepare() {
  auto found = chooseEntry(*session.module, options.entry);
  if (!found)
    return fail(found.reason());
  entry = *found;
  if (options.noHostCode)
    if (std::optional<Reason> more = program::moreThanLaunches(*session.module))
      return fail(*more);
  auto parsed = argumentsOf(options);
  if (!parsed)
    return fail(parsed.reason());
  std::vector<driver::KernelSource> kernels = driver::Compiler::kernels(*session.module);
  // A function that launches nothing runs without a GPU.
  if (Status opened = open(); !opened && !kernels.empty())
    return fail(opened.reason(), NoDevice);
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
  compile->optLevel = options.optLevel;
  compile->store = cache.store();
  Result<RunCode> code = codeOf(session, cache, *compile);
  if (!code)
    return code.reason().text.empty() ? int(BadInput) : fail(code.reason());
  if (!options.ptx.empty())
    if (Status replaced = replaceCode(*code); !replaced)
      return fail(replaced.reason());
  execution.emplace(device.get(), options.timeout);
  if (auto loaded = execution->load(*code, session, kernels); !loaded)
    return fail(loaded.reason());
  return 0;
}

/// The first of these options that was given, and means nothing here.
std::string givenOf(const CLI::App &command, std::initializer_list<const char *> names) {
  for (const char *name : names)
    if (command.count(name))
      return name;
  return "";
}
int runTile(RunOptions &options, const std::string &content, const CLI::App &command) {
  if (std::string given = givenOf(command, {"--seed"}); !given.empty())
    return fail(cat(given, " is for the interpreter: add --device interp"));
  if (std::string given =
          givenOf(command, {"--ptx", "--no-host-code", "--timing", "--reinfer", "--input-version",
                            "--check-layout-assumptions", "--hold-back-loads", "--no-line-info"});
      !given.empty())
    return fail(cat(given, " has no meaning for ", options.file,
                    ", which is a tile program: leave it out"));
  return runTileOnDevice(options, content);
}

int runFile(RunOptions &options, const CLI::App &command) {
  std::optional<process::Deadline> deadline(
      std::in_place, options.compileTimeout,
      cat("compiling ", options.file, " and reading its arguments"));
  std::unique_ptr<llvm::MemoryBuffer> input = readInput(options.file);
  if (!input)
    return BadInput;
  const llvm::StringRef content = input->getBuffer();
  auto tile = [&] { // which has a limit of its own for compiling, and another for running
    deadline.reset();
    return runTile(options, content.str(), command);
  };
  if (tile_bytecode::isTileBytecode(run::bytesOf(content)))
    return tile();
  options.cache.off |= options.reading.isAsked(); // a file's key does not say how it was read
  CompileCache cache(options.cache, *input);
  Session session(llvm::MemoryBuffer::getMemBuffer(*input), options.reading);
  if (!session.module)
    return BadInput;
  if (!session.module->getOps<cuda_tile::TileModuleOp>().empty())
    return tile();
  if (std::string given = givenOf(command, {"--grid", "--seed"}); !given.empty())
    return fail(cat(given, " is for tile programs: a host function says what it launches"));
  HostFunction function(options, session, cache);
  int code = function.prepare();
  deadline.reset();
  if (!code)
    code = function.run();
  if (options.timing)
    printTiming(session.compiler.parts(), cache);
  return code;
}

/// A tile program on the interpreter, with what `run` has of options for it.
int runOnInterpreter(RunOptions &options, const CLI::App &command) {
  static constexpr std::string_view taken[] = {"FILE",
                                               "--entry",
                                               "--arg",
                                               "--check",
                                               "--rtol",
                                               "--atol",
                                               "--equal-nan",
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
      return fail(
          cat(option->get_name(),
              " has no meaning for the interpreter: leave it out, or choose another --device"));
  std::vector<Output> outputs;
  options.checks.addOutputs(outputs);
  if (Status written = differ(outputs); !written)
    return fail(written.reason());
  process::Deadline deadline(options.timeout, cat("running ", options.file));
  std::unique_ptr<llvm::MemoryBuffer> input = readInput(options.file);
  if (!input)
    return BadInput;
  tile_eval::Options limits{.seed = options.seed};
  if (command.count("--max-instructions"))
    limits.steps = options.sim.limits.instructions;
  if (command.count("--max-memory"))
    limits.bytes = options.sim.limits.globalBytes;
  return interpretTile(options, input->getBuffer().str(), limits);
}
} // namespace

void tessera::cli::addRun(CLI::App &app, int &exit) {
  auto options = std::make_shared<RunOptions>();
  CLI::App *command =
      app.add_subcommand("run", "Compiles a file of CuTe IR and calls a host function of it, or "
                                "launches a kernel of a tile program");
  command->footer(
      "Executes the file's host code in this process, with your rights: do not run a file that you "
      "do not trust, or use "
      "--no-host-code.\n"
      "Example: tessera run add.mlir --arg rand:f32:1024x512 --arg B.npy --arg out:f32:1024x512 "
      "--check 2=C.npy --bench 30\n"
      "Exit code: 0 ran, and the numbers agree; 1 numbers differ; 2 bad input; 3 no device; "
      "4 did not finish in time; 5 the simulator or the interpreter ended a kernel with an error; "
      "6 this machine has "
      "no more memory, threads or open files; 7 a file could not be written");
  command
      ->add_option("FILE", options->file,
                   "CuTe IR or a tile program, as MLIR text or bytecode; - reads stdin")
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
      ->check(numberFrom(0));
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
  command->add_option("--grid", options->grid, "X,Y,Z: tile blocks of a tile program; default: 1")
      ->delimiter(',')
      ->expected(1, 3);
  command
      ->add_option("--seed", options->seed,
                   "with --device interp: chooses the order of tile blocks, and what the semantics "
                   "leave open")
      ->check(numberFrom(0).description(""));
  options->sim.addOptions(*command);
  addReading(*command, options->reading);
  command->add_option("--arch", options->arch, "target; default: the file's own, else the GPU's");
  command
      ->add_option("-O", options->optLevel,
                   "optimisation level of LLVM; 0: tile programs as level 0 makes them")
      ->check(CLI::Range(0, 3))
      ->capture_default_str();
  command->add_flag("--timing", options->timing,
                    "say how long each step of the compilation took (to stderr)");
  addLoweringOptions(*command, options->lowering);
  addCacheOptions(*command, options->cache);
  command->callback([options, timeout, command, &exit] {
    if (options->device == "interp") {
      exit = runOnInterpreter(*options, *command);
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
    exit = runFile(*options, *command);
  });
}
