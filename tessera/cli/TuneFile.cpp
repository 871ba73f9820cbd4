// Candidates of a file: made, checked on the simulator, measured.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cli/TuneFile.h"

#include "tessera/cli/Cli.h"
#include "tessera/cli/Entry.h"
#include "tessera/cli/Execution.h"
#include "tessera/cli/Parameters.h"
#include "tessera/cli/RunTile.h"
#include "tessera/cli/TileHints.h"
#include "tessera/cuda_tile/CudaTile.h"
#include "tessera/program/LaunchOnly.h"
#include "tessera/run/SimDevice.h"
#include "tessera/tile_bytecode/Reader.h"

#include <algorithm>
#include <cstdio>

using namespace tessera;
using namespace tessera::cli;

namespace {

using Tensors = std::vector<run::Tensor>;

/// A text as it is read, compiled and bound to arguments on one device.
class Candidate {
public:
  Candidate(const FileTuning &options, const std::string &text)
      : input(llvm::MemoryBuffer::getMemBufferCopy(text, options.file)), options(options),
        cache(options.cache, *input),
        session(llvm::MemoryBuffer::getMemBuffer(*input), {options.reading.version, true},
                /*quiet=*/true) {}

  bool isRead() const { return bool(session.module); }
  /// The first error of the text, as FILE:LINE:COLUMN: and what is wrong.
  std::string error() const {
    llvm::SmallVector<llvm::StringRef> lines;
    llvm::StringRef(session.said()).split(lines, '\n');
    for (llvm::StringRef line : lines)
      if (auto [place, what] = line.split(" error: "); !what.empty())
        return cat(place, " ", what);
    return "";
  }
  /// The consistent module, before it is compiled.
  std::string text() {
    std::string text;
    llvm::raw_string_ostream(text) << *session.module << "\n";
    return text;
  }

  /// holdsBack: CompileOptions' holdBackLoads.
  Status prepare(run::Device &device, bool simulated, const std::vector<std::string> &texts,
                 bool holdsBack) {
    TESSERA_TRY(Entry found, chooseEntry(*session.module, options.entry));
    entry = found.name;
    if (options.noHostCode)
      if (std::optional<Reason> more = program::moreThanLaunches(*session.module))
        return *std::move(more);
    TESSERA_TRY(std::vector<run::Argument> parsed, parseArguments(texts));
    TESSERA_TRY(run::Arguments bound,
                run::bindAll(jit::parametersOf(found.parameters), parsed, &device));
    arguments.emplace(std::move(bound));
    std::vector<driver::KernelSource> kernels = driver::Compiler::kernels(*session.module);
    std::string arch = options.arch.empty()
                           ? driver::Compiler::targetOf(*session.module)
                                 .value_or(simulated ? "sm_90a" : targetOf(device.info()))
                           : options.arch;
    TESSERA_TRY(driver::CompileOptions compile,
                program::compileFor(&device.info(), simulated, arch));
    compile.store = cache.store();
    compile.lowering.holdBackLoads = holdsBack;
    TESSERA_TRY(RunCode code, codeOf(session, cache, compile));
    for (const program::DeviceImage &image : code.images)
      compiled += image.code;
    execution.emplace(&device, options.timeout);
    TESSERA_TRY([[maybe_unused]] Execution::Unit loaded, execution->load(code, session, kernels));
    return Done{};
  }

  /// What the device runs, after prepare.
  const std::string &code() const { return compiled; }

  Status call() {
    TESSERA_TRY([[maybe_unused]] Execution::Unit done, execution->call(work()));
    return Done{};
  }
  Result<double> time() {
    TESSERA_TRY(std::vector<double> times, execution->times(work(), options.calls));
    return times[times.size() / 2];
  }

  /// All tensors as the device has them.
  Result<Tensors> tensors() {
    Tensors all;
    for (run::Bound &bound : arguments->parameters)
      if (bound.tensor()) {
        TESSERA_CHECK(bound.download());
        TESSERA_TRY(run::Tensor copy, bound.tensor()->clone());
        all.push_back(std::move(copy));
      }
    return all;
  }

private:
  Execution::Work work() { return execution->calling(entry, arguments->values()); }
  static std::string targetOf(const run::DeviceInfo &info) {
    return info.target() + (info.computeMajor >= 9 ? "a" : "");
  }

  std::unique_ptr<llvm::MemoryBuffer> input;
  const FileTuning &options;
  CompileCache cache;
  Session session;
  std::string entry, compiled;
  std::optional<Execution> execution;
  std::optional<run::Arguments> arguments;
};

class FileTuner {
public:
  FileTuner(const FileTuning &options, std::string text, std::vector<Parameter> parameters,
            bool isTile)
      : options(options), original(std::move(text)), parameters(std::move(parameters)),
        isTile(isTile) {}

  int run() {
    if (options.device != "sim" && !isTile) {
      Result<std::unique_ptr<run::Device>> opened = openDevice(options.device);
      if (!opened)
        return fail(opened.reason(), NoDevice);
      device = std::move(*opened);
    }
    std::vector<std::vector<size_t>> all = combinations();
    if (options.limit > 0 && all.size() > size_t(options.limit))
      all.resize(size_t(options.limit));
    // The unchanged file gives the expected results.
    Result<Tried> first = attempt(original, false);
    if (!first)
      return fail(
          {first.reason().id, cat(options.file, " does not run as it is: ", first.reason().text)});
    std::fprintf(stderr, "[0/%zu] as it is: %s\n", all.size(), figure(first->cost).c_str());
    best = std::move(*first);
    tryHoldingBack("as it is", original, best.code, cat("[0/", all.size(), "] "));
    for (size_t i = 0; i < all.size(); ++i) {
      const std::string name = named(all[i]), number = cat("[", i + 1, "/", all.size(), "] ");
      Result<std::string> text = withValues(original, parameters, all[i]);
      if (text && isTile)
        text = withHints(*text, options.file, parameters, all[i]);
      if (!text)
        return fail(text.reason());
      Result<Tried> tried = attempt(*text, false);
      say(cat(number, name), tried);
      const std::string code = tried ? tried->code : "";
      const bool isRight = tried && tried->wrong.empty();
      consider(name, std::move(tried));
      if (isRight)
        tryHoldingBack(name, *text, code, number);
    }
    std::printf("%s: %s\n", bestName.c_str(), figure(best.cost).c_str());
    return options.output.empty() ? int(Right) : writeFile(options.output, best.text);
  }

private:
  struct Tried {
    double cost = 0;
    std::string text, wrong, code;
  };

  /// The same candidate with loads held back (lower/HoldBackLoads.cpp), which pays for some
  /// kernels: where that makes another program.
  void tryHoldingBack(const std::string &name, const std::string &text, const std::string &code,
                      const std::string &number) {
    if (isTile)
      return;
    Result<Tried> tried = attempt(text, true, &code);
    if (tried && tried->code == code)
      return;
    const std::string full = cat(name, ", with --hold-back-loads");
    say(cat(number, full), tried);
    consider(full, std::move(tried));
  }
  void say(const std::string &name, const Result<Tried> &tried) const {
    std::string verdict = !tried                  ? cat("out: ", tried.reason().text)
                          : !tried->wrong.empty() ? cat("WRONG, ", tried->wrong)
                                                  : figure(tried->cost);
    std::fprintf(stderr, "%s: %s\n", name.c_str(), verdict.c_str());
  }
  void consider(const std::string &name, Result<Tried> tried) {
    if (tried && tried->wrong.empty() && tried->cost < best.cost) {
      best = std::move(*tried);
      bestName = name;
    }
  }

  std::string figure(double cost) const {
    char text[64];
    if (options.device == "sim")
      std::snprintf(text, sizeof text, "%.0f instructions of warps", cost);
    else
      std::snprintf(text, sizeof text, "%.4f ms", cost);
    return text;
  }

  std::string named(const std::vector<size_t> &chosen) const {
    std::string text;
    for (size_t i = 0; i < parameters.size(); ++i)
      text += cat(i ? " " : "", parameters[i].name, "=", parameters[i].values[chosen[i]]);
    return text;
  }

  /// Every value with every other, the last parameter fastest.
  std::vector<std::vector<size_t>> combinations() const {
    std::vector<std::vector<size_t>> all{{}};
    for (const Parameter &parameter : parameters) {
      std::vector<std::vector<size_t>> longer;
      for (const std::vector<size_t> &one : all)
        for (size_t value = 0; value < parameter.values.size(); ++value) {
          longer.push_back(one);
          longer.back().push_back(value);
        }
      all = std::move(longer);
    }
    return all;
  }

  /// Nothing is run if the text compiles to `unless`.
  Result<Tried> attempt(const std::string &text, bool holdsBack,
                        const std::string *unless = nullptr) {
    if (isTile)
      return attemptTile(text);
    Tried tried;
    {
      run::SimDevice simulator;
      Candidate candidate(options, text);
      if (!candidate.isRead())
        return Reason{"NotRead", candidate.error()};
      tried.text = candidate.text();
      Status prepared = candidate.prepare(
          simulator, /*simulated=*/true,
          options.simArguments.empty() ? options.arguments : options.simArguments, holdsBack);
      if (!prepared)
        return prepared.reason().text.empty() ? Reason{"NotCompiled", candidate.error()}
                                              : prepared.reason();
      tried.code = candidate.code();
      if (unless && tried.code == *unless)
        return tried;
      TESSERA_CHECK(candidate.call());
      tried.cost = double(simulator.instructions());
      TESSERA_TRY(Tensors tensors, candidate.tensors());
      if (expected) {
        TESSERA_TRY(tried.wrong, difference(tensors));
      } else {
        expected = std::move(tensors);
      }
    }
    if (!device || !tried.wrong.empty())
      return tried;
    Candidate candidate(options, text);
    TESSERA_CHECK(candidate.prepare(*device, /*simulated=*/false, options.arguments, holdsBack));
    TESSERA_CHECK(candidate.call());
    TESSERA_TRY(tried.cost, candidate.time());
    return tried;
  }

  /// A tile program on the simulator and, if it is right there, on the GPU.
  Result<Tried> attemptTile(const std::string &text) {
    auto on = [&](const std::string &device) {
      RunOptions run;
      const bool simulated = device == "sim";
      run.file = options.file;
      run.arch = options.arch;
      run.entry = options.entry;
      run.device = device;
      run.arguments =
          simulated && !options.simArguments.empty() ? options.simArguments : options.arguments;
      const std::vector<uint32_t> &grid =
          simulated && !options.simGrid.empty() ? options.simGrid : options.grid;
      run.grid = grid.empty() ? std::vector<uint32_t>{1} : grid;
      run.timeout = options.timeout;
      run.cache = options.cache;
      return tryTile(run, text, options.calls);
    };
    TESSERA_TRY(TileTrial simulated, on("sim"));
    Tried tried{simulated.cost, text, "", ""};
    if (expected) {
      TESSERA_TRY(tried.wrong, difference(simulated.tensors));
    } else {
      expected = std::move(simulated.tensors);
    }
    if (options.device == "sim" || !tried.wrong.empty())
      return tried;
    TESSERA_TRY(TileTrial timed, on(options.device));
    tried.cost = timed.cost;
    return tried;
  }

  /// What differs from the results of the unchanged file; empty if nothing does.
  Result<std::string> difference(const Tensors &tensors) const {
    if (tensors.size() != expected->size())
      return cat(tensors.size(), " tensors where the file has ", expected->size());
    for (size_t i = 0; i < tensors.size(); ++i) {
      TESSERA_TRY(run::Comparison compared,
                  run::compare(tensors[i], (*expected)[i], options.tolerance));
      if (!compared.ok())
        return cat(compared.mismatches, " of ", compared.count, " elements of tensor ", i);
    }
    return std::string();
  }

  const FileTuning &options;
  std::string original;
  std::vector<Parameter> parameters;
  const bool isTile;
  std::unique_ptr<run::Device> device; // null for the simulator, and for tile programs
  std::optional<Tensors> expected;
  Tried best;
  std::string bestName = "as it is";
};

} // namespace

/// Whether a file is a tile program.
static bool isTileProgram(const FileTuning &options, const std::string &content) {
  if (tile_bytecode::isTileBytecode(run::bytesOf(content)))
    return true;
  if (content.find("cuda_tile.module") == content.npos)
    return false;
  Session session(llvm::MemoryBuffer::getMemBuffer(content, options.file), options.reading,
                  /*quiet=*/true);
  return session.module && !session.module->getOps<cuda_tile::TileModuleOp>().empty();
}

int tessera::cli::tuneFile(const FileTuning &options) {
  std::unique_ptr<llvm::MemoryBuffer> input = readInput(options.file);
  if (!input)
    return BadInput;
  std::string text = input->getBuffer().str();
  const bool isTile = isTileProgram(options, text);
  if (isTile && options.noHostCode)
    return fail("--no-host-code has no meaning for a tile program: leave it out");
  if (!isTile && !(options.grid.empty() && options.simGrid.empty()))
    return fail("--grid is for tile programs: a host function says what it launches");
  std::vector<Parameter> parameters;
  for (const std::string &given : options.parameters) {
    std::optional<Result<Parameter>> hint;
    if (isTile)
      hint = hintParameter(given);
    if (!hint && isTile && tile_bytecode::isTileBytecode(run::bytesOf(text)))
      return fail(cat("--param ", given, ": bytecode has only hints as parameters; `tessera tile ",
                      options.file, "` prints it as text, which has names"));
    Result<Parameter> parameter = hint ? *std::move(hint) : findParameter(text, given);
    if (!parameter)
      return fail(parameter.reason());
    parameters.push_back(std::move(*parameter));
  }
  return FileTuner(options, std::move(text), std::move(parameters), isTile).run();
}
