// tessera compile
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/atom/Target.h"
#include "tessera/cli/Cli.h"

#include "tessera/cli/CommandLine.h"
#include "tessera/cli/Execution.h"
#include "tessera/cli/ExportFile.h"
#include "tessera/cli/Usage.h"
#include "tessera/driver/JoinDevices.h"
#include "tessera/ptx/Disassembler.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BuryPointer.h"
#include "llvm/Support/raw_ostream.h"

#include <CLI/CLI.hpp>

#include <chrono>
#include <functional>

using namespace tessera;
using namespace tessera::cli;

namespace {

struct Options {
  std::string file, arch, emit = "ptx", kernel, output = "-";
  driver::CompileOptions compile;
  CacheOptions cache;
  import::Reading reading;
  bool timing = false;
  // Of --emit object:
  std::string header, name;
};

constexpr std::pair<std::string_view, ptx::Until> untilRows[] = {{"llvm", ptx::Until::Llvm},
                                                                 {"ptx", ptx::Until::Ptx},
                                                                 {"cubin", ptx::Until::Cubin},
                                                                 {"sass", ptx::Until::Cubin}};

/// What --kernel chooses by: names, with that of the module where two modules have one name.
std::vector<std::string> namesOf(const std::vector<driver::KernelSource> &kernels) {
  std::vector<std::string> names;
  for (const driver::KernelSource &kernel : kernels) {
    bool several = llvm::count_if(kernels, [&](const driver::KernelSource &other) {
                     return other.name == kernel.name;
                   }) > 1;
    names.push_back(several ? cat(kernel.module, "::", kernel.name) : kernel.name);
  }
  return names;
}

/// From the command line to the artefact. What was compiled before is found without a context of
/// MLIR.
class Compilation {
public:
  Compilation(Options &options, std::unique_ptr<llvm::MemoryBuffer> input)
      : options(options), cache(options.cache, *input), input(std::move(input)) {}

  int run() {
    if (int code = checkOptions())
      return code;
    if (int code = chooseTarget())
      return code;
    auto start = std::chrono::steady_clock::now();
    cache::KeyOf key = cache.keyOf(cat("artefact ", options.emit));
    driver::addOptions(key.add("kernel", options.kernel).add("disassembler", disassembler),
                       options.compile);
    std::optional<std::vector<std::string>> kept = cache.find(key);
    if (kept && kept->size() == 2) {
      std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
      lookup.push_back({"find in the cache", took.count()});
      llvm::errs() << kept->front();
      return writeFile(options.output, kept->back());
    }
    if (!open())
      return BadInput;
    Result<std::string> made = emit();
    if (!made)
      return fail(made.reason());
    llvm::errs() << usage;
    cache.put(key, {session->said() + usage, *made});
    return writeFile(options.output, *made);
  }

  void printTiming() const {
    cli::printTiming(session ? session->compiler.parts() : lookup, cache);
  }

private:
  /// Before anything takes time.
  int checkOptions() {
    if (!options.compile.printAfter.empty()) {
      const std::vector<std::string> passes = driver::passNames(options.compile);
      for (const std::string &name : options.compile.printAfter)
        if (!llvm::is_contained(passes, name))
          return fail(cat("--print-ir-after: this compilation has no pass '", name,
                          "'; the nearest are ", nearest(name, passes)));
    }
    const bool isText = options.emit == "sass";
    if (options.emit != "cubin" && !isText)
      return 0;
    options.compile.ptxas = ptx::findPtxas();
    if (options.compile.ptxas.empty())
      return fail(cat("--emit ", options.emit,
                      " needs NVIDIA's ptxas, which is not on $PATH, not at $TESSERA_PTXAS and not "
                      "in /usr/local/cuda/bin; --emit ptx does not need it"));
    if (isText && (disassembler = ptx::findDisassembler()).empty())
      return fail(
          "--emit sass needs NVIDIA's nvdisasm, which is not on $PATH, not at $TESSERA_NVDISASM "
          "and not in /usr/local/cuda/bin; --emit cubin does not need it");
    if (options.output == "-" && !isText)
      return fail("--emit cubin writes a binary file: name it with -o");
    options.compile.store = cache.store();
    return 0;
  }

  /// The file says its target once; which GPU is there is asked each time.
  int chooseTarget() {
    if (Result<atom::Target> asked = atom::Target::parse(options.arch);
        !asked && !options.arch.empty())
      return fail(cat("--arch: ", asked.reason().text));
    std::optional<std::string> own;
    if (options.arch.empty()) {
      own = cache.target();
      if (!own) {
        if (!open())
          return BadInput;
        own = driver::Compiler::targetOf(*session->module).value_or("");
        cache.putTarget(*own);
      }
      if (own->empty())
        own.reset();
    }
    options.compile.arch = chooseArch(options.arch, own);
    return 0;
  }

  /// Loads the dialects and parses, once. False after errors.
  bool open() {
    if (!session)
      session =
          std::make_unique<Session>(llvm::MemoryBuffer::getMemBuffer(*input), options.reading);
    return bool(session->module);
  }

  /// What goes to -o. A reason without text has been reported already.
  Result<std::string> emit() {
    const Reason said = {"Said", ""};
    mlir::ModuleOp module = *session->module;
    driver::Compiler &compiler = session->compiler;
    std::vector<driver::KernelSource> kernels = driver::Compiler::kernels(module);
    llvm::StringMap<BlockShape> shapes = blockShapesOf(module);
    module.walk<mlir::WalkOrder::PreOrder>([](mlir::Operation *op) {
      if (mlir::isa<mlir::gpu::GPUModuleOp>(op))
        return mlir::WalkResult::skip();
      auto function = mlir::dyn_cast<mlir::FunctionOpInterface>(op);
      if (function && function->hasAttr("cute.kernel"))
        mlir::emitWarning(function.getLoc())
            << "function '" << function.getName()
            << "' is marked cute.kernel, but is taken for host code: kernels are in a gpu.module";
      return mlir::WalkResult::advance();
    });
    if (!options.kernel.empty()) {
      TESSERA_TRY(size_t chosen,
                  driver::chooseName(namesOf(kernels), options.kernel, "kernel", "--kernel"));
      driver::Compiler::keepOnly(module, kernels[chosen]);
    }
    const Compiling compiling(options.file);
    if (!compiler.lower(module, options.compile))
      return said;
    std::string text;
    if (options.emit == "mlir") {
      llvm::raw_string_ostream(text) << module << "\n";
      return text;
    }
    auto until = std::find_if(std::begin(untilRows), std::end(untilRows),
                              [&](const auto &row) { return row.first == options.emit; });
    TESSERA_CHECK(driver::joinDevices(module));
    TESSERA_TRY(std::vector<driver::DeviceCode> codes,
                compiler.translate(module, options.compile, until->second));
    if (codes.empty())
      return Reason{"NoKernel", "the file has no kernel, so there is no device code to write; "
                                "--emit mlir shows the host code"};
    const driver::DeviceCode *code = &codes.front();
    if (until->second != ptx::Until::Cubin)
      return until->second == ptx::Until::Llvm ? code->llvm : code->ptx;
    warnAbout(compiler.context(), kernels, code->cubin.log);
    for (const ptx::PtxasReport &report : code->cubin.reports)
      if (llvm::is_contained(llvm::map_range(kernels, std::mem_fn(&driver::KernelSource::name)),
                             report.function))
        usage += usageOf(report, shapes.lookup(report.function), options.compile.arch) + "\n";
    if (options.emit == "sass")
      return ptx::disassemble(disassembler, code->cubin.bytes, options.compile.lowering.lineInfo);
    return std::string(code->cubin.bytes.begin(), code->cubin.bytes.end());
  }

  Options &options;
  CompileCache cache;
  std::unique_ptr<llvm::MemoryBuffer> input;
  std::unique_ptr<Session> session;
  std::vector<ptx::Part> lookup;
  std::string disassembler; // for --emit sass
  std::string usage;        // a line for each kernel, where ptxas was asked
};

/// --emit object, whose --arch may name several.
int exportWith(const Options &options) {
  if (Status written = differ({{"-o", options.output}, {"--header", options.header}}); !written)
    return fail(written.reason());
  llvm::SmallVector<llvm::StringRef> archs;
  llvm::SplitString(options.arch, archs, ",");
  std::vector<std::string> names;
  for (llvm::StringRef arch : archs)
    names.push_back(arch.str());
  return exportFile({options.file, options.output, options.header, names, options.name,
                     options.compile, options.reading});
}

int compile(Options options) {
  if (options.emit == "object")
    return exportWith(options);
  if (!options.header.empty() || !options.name.empty())
    return fail("--header and --name are for --emit object");
  std::unique_ptr<llvm::MemoryBuffer> input = readInput(options.file);
  if (!input)
    return BadInput;
  // The cache does not keep what passes leave, and its keys do not say how a file was read.
  options.cache.off |= !options.compile.printAfter.empty() || options.reading.isAsked();
  auto compilation = std::make_unique<Compilation>(options, std::move(input));
  int code = compilation->run();
  if (options.timing)
    compilation->printTiming();
  // The process ends: its ops need not go one by one. After errors its end says how many are not
  // shown.
  if (code == Right)
    llvm::BuryPointer(std::move(compilation));
  return code;
}
} // namespace

void tessera::cli::addCompile(CLI::App &app, int &exit) {
  auto options = std::make_shared<Options>();
  CLI::App *command =
      app.add_subcommand("compile", "Compiles the kernels of a file of CuTe IR, or a tile program");
  command->footer("Example: tessera compile gemm.mlir --arch sm_90a --emit cubin -o gemm.cubin");
  command
      ->add_option("FILE", options->file,
                   "CuTe IR as MLIR text or bytecode, or a tile program as text or bytecode "
                   "(docs/tile.md); - reads stdin")
      ->required();
  addReading(*command, options->reading);
  command->add_option("--arch", options->arch,
                      "target such as sm_80 or sm_90a; default: the file's own, else the "
                      "GPU's, else sm_90a; with --emit object several, as sm_80,sm_90a");
  command
      ->add_option("--emit", options->emit,
                   "what to write: mlir (LLVM dialect), llvm, ptx, cubin, sass (the cubin's "
                   "instructions as text), or object (host functions, or the entries of a tile "
                   "program, with their kernels for a linker)")
      ->check(CLI::IsMember({"mlir", "llvm", "ptx", "cubin", "sass", "object"}))
      ->capture_default_str();
  command->add_option(
      "--kernel", options->kernel,
      "compile only this kernel; any unique part of its name (of MODULE::NAME where two "
      "modules have one name)");
  command->add_option("-o,--output", options->output, "file to write; - is stdout")
      ->capture_default_str();
  command->add_option("-O", options->compile.optLevel, "optimisation level of LLVM")
      ->check(CLI::Range(0, 3))
      ->capture_default_str();
  command->add_option("--print-ir-after", options->compile.printAfter,
                      "print the IR after these passes, by name, or after 'all' (to stderr)");
  command->add_flag("--timing", options->timing, "say how long each step took (to stderr)");
  command
      ->add_option("--threads", options->compile.threads,
                   "threads that lower the functions of the file; what comes out is the same")
      ->check(CLI::Range(1, 256))
      ->capture_default_str();
  command->add_option("--header", options->header,
                      "with --emit object: the header for C to write beside it");
  command->add_option("--name", options->name,
                      "with --emit object: what its function, or the names of its functions, are "
                      "called; default: the file's name");
  addTimeout(*command);
  addLoweringOptions(*command, options->compile.lowering);
  addCacheOptions(*command, options->cache);
  command->callback([options, &exit] { exit = compile(*options); });
}
