// The steps of a compilation, timed.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/driver/Compiler.h"

#include "tessera/atom/Target.h"
#include "tessera/cuda/Cuda.h"
#include "tessera/driver/Pipeline.h"
#include "tessera/driver/Registration.h"
#include "tessera/import/Import.h"
#include "tessera/lower/Passes.h"
#include "tessera/tile_bytecode/Reader.h"
#include "tessera/tile_io/TileIo.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ThreadPool.h"

#include <chrono>
#include <mutex>

using namespace mlir;
using namespace tessera;
using namespace tessera::driver;

namespace {

using Clock = std::chrono::steady_clock;
double since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Adds a part for every pass, with the sum of its times on several functions.
class PassTimes : public PassInstrumentation {
public:
  explicit PassTimes(std::vector<ptx::Part> &times) : times(times), first(times.size()) {}
  void runBeforePass(Pass *pass, Operation *) override {
    std::lock_guard lock(mutex);
    starts[pass] = Clock::now();
  }
  void runAfterPass(Pass *pass, Operation *) override { note(pass); }
  void runAfterPassFailed(Pass *pass, Operation *) override { note(pass); }

private:
  void note(Pass *pass) {
    std::lock_guard lock(mutex);
    std::string name = pass->getArgument().str();
    if (name.empty()) // what schedules others
      return;
    double took = since(starts[pass]);
    auto known = std::find_if(times.begin() + ptrdiff_t(first), times.end(),
                              [&](const ptx::Part &part) { return part.name == name; });
    if (known == times.end())
      times.push_back({name, took});
    else
      known->seconds += took;
  }
  std::mutex mutex;
  std::vector<ptx::Part> &times;
  size_t first;
  DenseMap<Pass *, Clock::time_point> starts; // each thread has passes of its own
};

DialectRegistry allDialects() {
  DialectRegistry registry;
  registerAllDialects(registry);
  return registry;
}

std::string joined(const std::vector<std::string> &names) {
  constexpr size_t shown = 8;
  std::string out;
  for (size_t i = 0; i < std::min(names.size(), shown); ++i)
    out += "\n  " + names[i];
  return names.size() <= shown ? out : cat(out, "\n  and ", names.size() - shown, " more");
}
} // namespace

cache::KeyOf &tessera::driver::addOptions(cache::KeyOf &key, const CompileOptions &options) {
  // A new member does not compile until it is decided here whether it changes what comes out.
  const auto &[arch, optLevel, printAfter, lowering, threads, ptxas, libdevice, store] = options;
  const auto &[checkLayoutAssumptions, holdBackLoads, lineInfo, tileLevel, library, explanations] =
      lowering;
  return key.add("arch", arch)
      .add("level", optLevel)
      .add("check layout assumptions", checkLayoutAssumptions)
      .add("hold back loads", holdBackLoads)
      .add("line info", lineInfo)
      .add("tile level", tileLevel)
      .add("library", library)
      // What a module that calls the library itself gets; it changes with ptxas.
      .add("libdevice",
           libdevice.empty() ? ptx::findLibdevice() : ptx::identityOf(libdevice, store))
      .add("ptxas", ptxas.empty() ? "" : ptx::identityOf(ptxas, store));
}

Compiler::Compiler() : ctx(allDialects(), MLIRContext::Threading::DISABLED) {
  // The constructor leaves the tables of types and attributes prepared for threads: then this
  // thread has a cache of each, which MLIR cannot use any more once memory ran out while an entry
  // was made.
  ctx.disableMultithreading();
  ctx.loadAllAvailableDialects();
  // An error about a module would print it whole; the diagnostics quote the line of the file.
  ctx.printOpOnDiagnostic(false);
}

Compiler::~Compiler() = default;

/// A tile program in bytecode as a module around it.
static OwningOpRef<ModuleOp> readTileProgram(StringRef file, MLIRContext &context) {
  auto bytes = std::as_bytes(std::span(file.data(), file.size()));
  OwningOpRef<cuda_tile::TileModuleOp> program = tile_io::readBytecode(bytes, context);
  if (!program || failed(verify(*program)))
    return nullptr;
  OwningOpRef<ModuleOp> module = ModuleOp::create(program->getLoc());
  module->push_back(program.release());
  return module;
}

OwningOpRef<ModuleOp> Compiler::read(llvm::SourceMgr &source, import::Reading how) {
  StringRef file = source.getMemoryBuffer(source.getMainFileID())->getBuffer();
  if (tile_bytecode::isTileBytecode(std::as_bytes(std::span(file.data(), file.size())))) {
    Clock::time_point start = Clock::now();
    OwningOpRef<ModuleOp> module = readTileProgram(file, ctx);
    times.push_back({"read bytecode of a tile program", since(start)});
    return module;
  }
  DialectRegistry own;
  registerOwnDialects(own);
  import::Report report;
  OwningOpRef<ModuleOp> module = import::importModule(source, ctx, own, &report, how);
  times.push_back({"read as LLVM 22 spells it", report.direct});
  if (report.foreign > 0) {
    times.push_back({"read as CuTe DSL spells it", report.foreign});
    times.push_back({"rewrite foreign ops", report.rewrite});
    times.push_back({"hand over", report.handOver});
  }
  if (!how.edited || !module)
    return module;
  Clock::time_point start = Clock::now();
  bool consistent = succeeded(reinfer(*module));
  times.push_back({"reinfer", since(start)});
  return consistent ? std::move(module) : nullptr;
}

std::vector<KernelSource> Compiler::kernels(ModuleOp module) {
  std::vector<KernelSource> found;
  module.walk([&](cuda::KernelOp kernel) {
    auto parent = kernel->getParentOfType<gpu::GPUModuleOp>();
    found.push_back(
        {parent ? parent.getName().str() : "", kernel.getSymName().str(), kernel.getLoc()});
  });
  return found;
}

std::optional<std::string> Compiler::targetOf(ModuleOp module) {
  for (auto device : module.getOps<gpu::GPUModuleOp>())
    for (Attribute target :
         device.getTargetsAttr() ? device.getTargetsAttr().getValue() : ArrayRef<Attribute>())
      if (auto nvvm = dyn_cast<NVVM::NVVMTargetAttr>(target))
        return nvvm.getChip().str();
  return std::nullopt;
}

void Compiler::keepOnly(ModuleOp module, const KernelSource &kept) {
  SmallVector<Operation *> dropped;
  for (Operation &op : *module.getBody()) {
    auto device = dyn_cast<gpu::GPUModuleOp>(op);
    if (!device || device.getName() != kept.module) {
      dropped.push_back(&op);
      continue;
    }
    for (auto kernel : device.getOps<cuda::KernelOp>())
      if (kernel.getSymName() != kept.name)
        dropped.push_back(kernel);
  }
  for (Operation *op : dropped)
    op->erase();
}

static LoweringChoices choicesOf(const CompileOptions &options) {
  LoweringChoices choices = options.lowering;
  if (options.optLevel == 0)
    choices.tileLevel = 0;
  choices.library = !options.libdevice.empty();
  return choices;
}

std::vector<std::string> tessera::driver::passNames(const CompileOptions &options) {
  OpPassManager passes(ModuleOp::getOperationName(), OpPassManager::Nesting::Explicit);
  buildPipeline(passes, options.arch, choicesOf(options));
  std::string text; // builtin.module(a{b=c d},any(e,f),gpu.module(any(g)))
  llvm::raw_string_ostream stream(text);
  passes.printAsTextualPipeline(stream);
  std::vector<std::string> names = {"all", "cute-expand-ops"};
  std::string word;
  int braces = 0;
  for (char c : text) {
    braces += (c == '{') - (c == '}');
    if (braces || c == '}')
      continue;
    if (c != ',' && c != '(' && c != ')') {
      word += c;
      continue;
    }
    if (c != '(' && !word.empty() && !llvm::is_contained(names, word))
      names.push_back(word);
    word.clear();
  }
  return names;
}

bool Compiler::lowerTiles(ModuleOp module, const CompileOptions &options) {
  PassManager passes(&ctx);
  addTileLowering(passes, options.arch, choicesOf(options));
  passes.addInstrumentation(std::make_unique<PassTimes>(times));
  return succeeded(passes.run(module));
}

bool Compiler::lower(ModuleOp module, const CompileOptions &options) {
  // Output of several functions at a time would be mixed.
  bool threaded = options.threads > 1 && options.printAfter.empty();
  if (threaded && !pool)
    pool = std::make_unique<llvm::DefaultThreadPool>(llvm::hardware_concurrency(options.threads));
  if (threaded)
    ctx.setThreadPool(*pool);
  llvm::scope_exit alone([&] { ctx.disableMultithreading(); });
  PassManager passes(&ctx);
  passes.enableVerifier(false); // between passes; once after the last
  buildPipeline(passes, options.arch, choicesOf(options));
  passes.addInstrumentation(std::make_unique<PassTimes>(times));
  if (!options.printAfter.empty()) {
    std::vector<std::string> names = options.printAfter;
    if (llvm::is_contained(names, "cute-expand-ops")) // all its steps
      names.push_back("cute-expand-atom-calls");
    bool all = llvm::is_contained(names, "all");
    passes.enableIRPrinting([](Pass *, Operation *) { return false; },
                            [=](Pass *pass, Operation *) {
                              return all || llvm::is_contained(names, pass->getArgument());
                            },
                            /*printModuleScope=*/false, /*printAfterOnlyOnChange=*/false,
                            /*printAfterOnlyOnFailure=*/false, llvm::errs());
  }
  if (failed(passes.run(module)))
    return false;
  // LLVM's translation relies on it: what no verifier saw would be an abort or a wrong kernel
  // there.
  Clock::time_point start = Clock::now();
  bool valid = succeeded(verify(module));
  times.push_back({"verify what came out", since(start)});
  if (!valid)
    emitError(module.getLoc())
        << "a pass of Tessera made an op that does not verify, see above: please report it "
           "with the input; --print-ir-after all shows which";
  return valid;
}

Result<std::vector<DeviceCode>> Compiler::translate(ModuleOp lowered, const CompileOptions &options,
                                                    ptx::Until until) {
  TESSERA_TRY(atom::Target target, atom::Target::parse(options.arch));
  std::vector<DeviceCode> code;
  for (auto device : lowered.getOps<gpu::GPUModuleOp>()) {
    int version = target.minimumPtx();
    if (auto needed = device->getAttrOfType<IntegerAttr>(lower::ptxVersionAttrName))
      version = std::max(version, int(needed.getInt()));
    ptx::Options how{.chip = options.arch,
                     .ptxVersion = version,
                     .optLevel = options.optLevel,
                     .lines = options.lowering.lineInfo,
                     .ptxas = options.ptxas,
                     .libdevice = options.libdevice,
                     .store = options.store};
    TESSERA_TRY(ptx::Translation translation, ptx::translate(device, how, until));
    for (ptx::Part &part : translation.parts)
      times.push_back(std::move(part));
    code.push_back({device.getName().str(), std::move(translation.llvm), std::move(translation.ptx),
                    std::move(translation.cubin)});
  }
  return code;
}

Result<size_t> tessera::driver::chooseName(const std::vector<std::string> &names,
                                           const std::string &part, std::string_view what,
                                           std::string_view option) {
  if (names.empty())
    return Reason{"NoName", cat("the file has no ", what)};
  if (part.empty()) {
    if (names.size() == 1)
      return size_t(0);
    return Reason{"ManyNames",
                  cat("the file has ", names.size(), " of these; say which ", what, " with ",
                      option, " and any unique part of its name:", joined(names))};
  }
  std::vector<size_t> found;
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i] == part)
      return i;
    if (names[i].find(part) != std::string::npos)
      found.push_back(i);
  }
  if (found.size() == 1)
    return found[0];
  if (found.empty())
    return Reason{"NoSuchName",
                  cat("no ", what, " has '", part, "' in its name; there are:", joined(names))};
  std::vector<std::string> candidates;
  for (size_t i : found)
    candidates.push_back(names[i]);
  return Reason{"AmbiguousName", cat("'", part, "' is part of ", found.size(),
                                     " names, expected one ", what, ":", joined(candidates))};
}
