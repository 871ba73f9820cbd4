// tessera run: compiles a file, host function and kernels, and calls the host function.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cli/Cli.h"

#include "tessera/cli/Checks.h"
#include "tessera/cli/RunCode.h"
#include "tessera/jit/Binding.h"
#include "tessera/jit/Errors.h"
#include "tessera/jit/Runtime.h"
#include "tessera/jit/Watchdog.h"
#include "tessera/run/ModuleImage.h"

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
  int bench = 0;
  Checks checks;
  double timeout = 120; // seconds; 0 for none
  CacheOptions cache;
  bool timing = false, sanitize = false, checkLayoutAssumptions = false;
};

Result<std::vector<run::Argument>> parseArguments(const std::vector<std::string> &texts) {
  std::vector<run::Argument> arguments;
  for (const std::string &text : texts) {
    TESSERA_TRY(run::Argument argument, run::parseArgument(text));
    arguments.push_back(std::move(argument));
  }
  return arguments;
}

struct Entry {
  std::string name;
  std::vector<mlir::Type> parameters; // before lowering
};
Result<Entry> chooseEntry(mlir::ModuleOp module, const std::string &part) {
  std::vector<mlir::func::FuncOp> functions;
  std::vector<std::string> names;
  for (auto function : module.getOps<mlir::func::FuncOp>())
    if (!function.isExternal()) {
      functions.push_back(function);
      names.push_back(function.getSymName().str());
    }
  TESSERA_TRY(size_t chosen, driver::chooseName(names, part, "host function", "--entry"));
  llvm::ArrayRef<mlir::Type> types = functions[chosen].getArgumentTypes();
  return Entry{names[chosen], {types.begin(), types.end()}};
}

/// Ends the process as it is: releasing anything of the device would wait for the kernel that does not finish.
[[noreturn]] void leave(const std::string &text) {
  fail(text);
  if (::ftrylockfile(stdout) == 0) // another thread may be writing, to a pipe that nobody reads
    std::fflush(stdout);
  std::_Exit(TimedOut);
}

/// Everything between the command line and the numbers.
class Program {
public:
  Program(Options &options, Session &session, CompileCache &cache)
      : options(options), session(session), cache(cache) {}

  int run() {
    if (int code = prepare())
      return code;
    if (Result<Unit> ran = call(); !ran)
      return fail(ran.reason().text);
    Result<bool> right = options.checks.run([&](size_t index) { return tensor(index); });
    if (!right)
      return fail(right.reason().text);
    if (options.bench > 0)
      if (Result<Unit> timed = bench(); !timed)
        return fail(timed.reason().text);
    return *right ? Right : Differs;
  }

private:
  struct Unit {};

  /// The first file that is to be read and is not there; before anything takes time.
  std::string missingFile(const std::vector<run::Argument> &given) const {
    for (const run::Argument &argument : given)
      if (!argument.file.empty() && !llvm::sys::fs::exists(argument.file))
        return argument.file;
    return options.checks.missingFile();
  }

  int prepare() {
    auto found = chooseEntry(*session.module, options.entry);
    if (!found)
      return fail(found.reason().text);
    entry = *found;
    auto parsed = parseArguments(options.arguments);
    if (!parsed)
      return fail(parsed.reason().text);
    if (auto numbered = options.checks.parse(parsed->size()); !numbered)
      return fail(numbered.reason().text);
    if (std::string missing = missingFile(*parsed); !missing.empty())
      return fail(cat("cannot read ", missing, ": there is no such file"));
    kernels = driver::Compiler::kernels(*session.module);
    // A function that launches nothing runs without a GPU.
    Result<std::unique_ptr<run::Device>> opened = openDevice(options.device, options.sanitize);
    if (opened)
      device = std::move(*opened);
    else if (!kernels.empty())
      return fail(opened.reason().text, NoDevice);
    auto bound = jit::bindAll(entry.parameters, *parsed, device.get());
    if (!bound)
      return fail(bound.reason().text);
    arguments.emplace(std::move(*bound));

    driver::CompileOptions compile;
    compile.arch = chooseArch(options.arch, driver::Compiler::targetOf(*session.module));
    compile.checkLayoutAssumptions = options.checkLayoutAssumptions;
    bool launches = device && !kernels.empty() && options.device != "sim"; // which takes PTX of any target
    if (run::Status runs = launches ? run::checkTarget(device->info(), compile.arch) : run::Done{}; !runs)
      return fail(runs.reason().text);
    // ptxas where there is one, as it chooses by spills and says what it did; else the driver's compiler, which also
    // takes code of older generations.
    if (launches && run::runsCubin(device->info(), compile.arch))
      compile.ptxas = ptx::findPtxas();
    compile.store = cache.store();
    Result<RunCode> code = codeOf(session, cache, compile);
    if (!code)
      return code.reason().text.empty() ? int(BadInput) : fail(code.reason().text);
    if (Result<Unit> loaded = load(*code); !loaded)
      return fail(loaded.reason().text);
    return 0;
  }

  Result<Unit> load(RunCode &code) {
    if (device) {
      runtime = std::make_unique<jit::Runtime>(*device);
      runtime->log().useEvents(options.timeout > 0);
    }
    for (const DeviceImage &image : code.device) {
      auto bytes = std::as_bytes(std::span(image.code));
      TESSERA_TRY(run::ModuleImage inspected, run::inspectImage(bytes));
      if (inspected.kernels.empty())
        continue;
      bool assembled = inspected.kind == run::ImageKind::Cubin;
      const std::vector<std::string> &names = inspected.kernels;
      TESSERA_TRY(Loaded loaded, assembled ? loadWith(bytes, names, {}) : loadBest(bytes, names));
      for (run::Kernel &kernel : loaded.kernels)
        runtime->add(image.module, kernel.info.name, kernel);
      warnAbout(session.compiler.context(), kernels, assembled ? image.log : loaded.module.log);
    }
    host.emplace(std::move(code.host));
    return Unit{};
  }

  struct Loaded {
    run::Module module;
    std::vector<run::Kernel> kernels;
    int64_t localBytes = 0; // per thread: stack and spills
  };
  Result<Loaded> loadWith(std::span<const std::byte> image, const std::vector<std::string> &names,
                          const run::ModuleOptions &how) {
    Loaded loaded;
    TESSERA_TRY(loaded.module, device->loadModule(image, how));
    for (const std::string &name : names) {
      TESSERA_TRY(run::Kernel kernel, device->kernel(loaded.module.id, name));
      loaded.localBytes += kernel.info.localBytes;
      loaded.kernels.push_back(std::move(kernel));
    }
    return loaded;
  }
  /// What ptx::assemble does, with the driver's compiler, whose log may say nothing of spills.
  Result<Loaded> loadBest(std::span<const std::byte> image, const std::vector<std::string> &names) {
    TESSERA_TRY(Loaded best, loadWith(image, names, {}));
    if (best.localBytes == 0)
      return best;
    TESSERA_TRY(Loaded calmer, loadWith(image, names, {.optimizationLevel = 2}));
    if (calmer.localBytes < best.localBytes)
      std::swap(best, calmer);
    if (auto status = device->unloadModule(calmer.module.id); !status)
      return status.reason();
    return best;
  }

  /// Calls the entry and waits.
  Result<Unit> call() {
    return limited([&] { return queue(); });
  }

  /// Does work that calls the entry, and waits for the device: for all of it or, if the work succeeds, for an event.
  template <class F> Result<Unit> limited(F work, std::optional<run::EventId> end = std::nullopt) {
    std::optional<jit::Watchdog> watchdog;
    if (options.timeout > 0)
      watchdog.emplace(jit::Seconds(options.timeout), [this] { hostIsLate(); });
    Result<Unit> done = work();
    watchdog.reset();
    // Also where the entry failed: what it launched before has to end before anything is released.
    if (runtime)
      if (run::Status status = finish(done ? end : std::nullopt); done && !status)
        return status.reason();
    return done;
  }

  /// Waits for the device; leaves the process when that takes too long.
  run::Status finish(std::optional<run::EventId> event = std::nullopt) {
    if (options.timeout == 0)
      return event ? run::Done{} : device->synchronize();
    jit::Seconds limit(options.timeout);
    run::Status status = event ? runtime->log().wait(*event, limit) : runtime->log().wait(limit);
    if (!status && status.reason().id == jit::errors[size_t(jit::Error::LaunchUnfinished)].id)
      leave(status.reason().text);
    return status;
  }

  /// The entry itself may loop, or wait in a launch behind a kernel that does not finish.
  void hostIsLate() const {
    std::string last = runtime ? runtime->log().last() : "";
    leave(jit::fail(jit::Error::HostUnfinished, entry.name, run::decimal(options.timeout),
                    last.empty() ? "" : "; its last launch was " + last)
              .text);
  }

  Result<Unit> queue() {
    std::optional<jit::CurrentRuntime> current;
    if (runtime)
      current.emplace(*runtime);
    std::vector<void *> values = arguments->values();
    TESSERA_TRY(int32_t result, host->call(entry.name, values));
    if (runtime && !runtime->errors().empty())
      return runtime->errors().front();
    if (result != 0)
      return Reason{"EntryFailed", cat(entry.name, " returned ", result, ", expected 0")};
    return Unit{};
  }

  /// An argument as the device has it now.
  Result<const run::Tensor *> tensor(size_t index) {
    jit::Bound &argument = arguments->argument(index);
    if (!argument.tensor())
      return Reason{"NoTensor", cat("argument ", index, " is a number, not a tensor")};
    TESSERA_CHECK(argument.download());
    return static_cast<const run::Tensor *>(argument.tensor());
  }

  /// Each call between two events; the median, as single calls are disturbed by others on the machine.
  Result<Unit> bench() {
    if (!device)
      return Reason{"NoDevice", "--bench times with a GPU's events, and there is none"};
    TESSERA_TRY(run::EventId start, device->createEvent());
    TESSERA_TRY(run::EventId end, device->createEvent());
    if (runtime)
      runtime->log().useEvents(false); // they would be measured too
    std::vector<double> times;
    constexpr int warmUp = 3;
    for (int i = -warmUp; i < options.bench; ++i) {
      // Between the events there is nothing but the entry: what takes time on the host would be measured.
      auto timed = [&]() -> Result<Unit> {
        TESSERA_CHECK(device->record(start));
        TESSERA_TRY(Unit queued, queue());
        TESSERA_CHECK(device->record(end));
        return queued;
      };
      TESSERA_CHECK(limited(timed, end));
      TESSERA_TRY(double milliseconds, device->elapsedMilliseconds(start, end));
      if (i >= 0)
        times.push_back(milliseconds);
    }
    std::sort(times.begin(), times.end());
    std::printf("%s: median %.4f ms, min %.4f ms, max %.4f ms of %zu calls\n", device->info().name.c_str(),
                times[times.size() / 2], times.front(), times.back(), times.size());
    return Unit{};
  }

  Options &options;
  Session &session;
  CompileCache &cache;
  Entry entry;
  std::vector<driver::KernelSource> kernels;
  // Buffers, kernels and code go before the device.
  std::unique_ptr<run::Device> device;
  std::unique_ptr<jit::Runtime> runtime;
  std::optional<jit::HostCode> host;
  std::optional<jit::Arguments> arguments;
};

int runFile(Options &options) {
  std::unique_ptr<llvm::MemoryBuffer> input = readInput(options.file);
  if (!input)
    return BadInput;
  CompileCache cache(options.cache, *input);
  Session session(llvm::MemoryBuffer::getMemBuffer(*input));
  if (!session.module)
    return BadInput;
  int code = Program(options, session, cache).run();
  if (options.timing)
    printTiming(session.compiler.parts(), cache);
  return code;
}
} // namespace

void tessera::cli::addRun(CLI::App &app, int &exit) {
  auto options = std::make_shared<Options>();
  CLI::App *command = app.add_subcommand("run", "Compiles a file of CuTe IR and calls a host function of it");
  command->footer("Example: tessera run add.mlir --arg rand:f32:1024x512 --arg B.npy --arg out:f32:1024x512 "
                  "--check 2=C.npy --bench 30\n"
                  "Exit code: 0 ran and right, 1 numbers differ, 2 bad input, 3 no device, "
                  "4 not finished in time");
  command->add_option("FILE", options->file, "CuTe IR as MLIR text or bytecode; - reads stdin")->required();
  command->add_option("--entry", options->entry, "host function to call; any unique part of its name");
  command->add_option("--arg", options->arguments,
                      "an argument, in the order of the parameters: FILE.npy, bf16:FILE.npy, "
                      "rand:f16:4096x4096:seed=1, zeros:f32:8, out:f32:64x64:stride=1,64, i32:5, 0.5")
      ->take_all()
      ->allow_extra_args(false);
  options->checks.addOptions(*command, "argument");
  command->add_option("--bench", options->bench, "time this many calls (CUDA events) and print the median")
      ->check(CLI::NonNegativeNumber);
  command->add_option("--timeout", options->timeout,
                      "seconds that a call of the host function and what it launched may take; 0 waits for ever")
      ->check(CLI::Range(0.0, 1e6))
      ->capture_default_str();
  command->add_option("--device", options->device, "gpu, or sim: the CPU simulates one (docs/simulator.md)")
      ->check(CLI::IsMember({"gpu", "sim"}))
      ->capture_default_str();
  command->add_flag("--sanitize", options->sanitize,
                    "with --device sim: end with an error at races and the like in shared memory (docs/simulator.md)");
  command->add_option("--arch", options->arch, "target; default: the file's own, else the GPU's");
  command->add_flag("--timing", options->timing, "say how long each step of the compilation took (to stderr)");
  command->add_flag("--check-layout-assumptions", options->checkLayoutAssumptions,
                    "assert at run time what the layout algebra assumes of dynamic sizes (divisibility, no overflow)");
  addCacheOptions(*command, options->cache);
  command->callback([options, &exit] { exit = runFile(*options); });
}
