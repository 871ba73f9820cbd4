// LLVM dialect to PTX: translation, optimisation, code generation.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/ptx/Ptx.h"

#include "tessera/cache/Record.h"
#include "tessera/cache/Store.h"
#include "tessera/ptx/Fatal.h"
#include "tessera/ptx/IdlePasses.h"
#include "tessera/ptx/Libdevice.h"
#include "tessera/ptx/Lines.h"
#include "tessera/ptx/StoredProducts.h"
#include "tessera/ptx/Updates.h"
#include "tessera/ptx_text/InlineAssembly.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Scalar/SROA.h"

#include <chrono>
#include <mutex>

using namespace tessera;

namespace {

constexpr char triple[] = "nvptx64-nvidia-cuda";

class Stopwatch {
public:
  explicit Stopwatch(std::vector<ptx::Part> &parts) : parts(parts) {}
  void lap(const char *name) {
    auto now = std::chrono::steady_clock::now();
    parts.push_back({name, std::chrono::duration<double>(now - last).count()});
    last = now;
  }

private:
  std::vector<ptx::Part> &parts;
  std::chrono::steady_clock::time_point last = std::chrono::steady_clock::now();
};

/// Loop strength reduction gives each address of a loop an induction variable of its own, in two
/// registers. ptxas folds addresses better from a common base: attention forward spills 56 bytes
/// instead of 72, and runs 5 % faster at length 2048 (docs/benchmarks.md). LLVM offers the switch
/// as a command-line option only.
void keepLoopAddresses() {
  auto &options = llvm::cl::getRegisteredOptions();
  if (auto it = options.find("disable-lsr"); it != options.end())
    static_cast<llvm::cl::opt<bool> *>(it->second)->setValue(true);
}

Result<std::unique_ptr<llvm::TargetMachine>> targetMachine(const ptx::Options &options) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    keepLoopAddresses();
  });
  std::string error;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(llvm::Triple(triple), error);
  if (!target)
    return Reason{"NoBackend", "this build of LLVM cannot generate PTX: " + error};
  llvm::TargetOptions targetOptions;
  // A multiplication and an addition become one fma, as nvcc does by default.
  targetOptions.AllowFPOpFusion = llvm::FPOpFusion::Fast;
  std::string features = "+ptx" + std::to_string(options.ptxVersion);
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      llvm::Triple(triple), options.chip, features, targetOptions, llvm::Reloc::PIC_, std::nullopt,
      llvm::CodeGenOptLevel::Aggressive));
}

/// Reports what LLVM finds wrong, such as constraints of inline PTX that fit no register, at the
/// kernel if LLVM names it, else at the module. Without it LLVM ends the process.
class Reporter final : public llvm::DiagnosticHandler {
public:
  explicit Reporter(mlir::Operation *module) : module(module) {}
  bool failed() const { return errors; }

  bool handleDiagnostics(const llvm::DiagnosticInfo &info) override {
    if (info.getSeverity() != llvm::DS_Error)
      return true;
    errors = true;
    std::string text;
    llvm::raw_string_ostream stream(text);
    llvm::DiagnosticPrinterRawOStream printer(stream);
    info.print(printer);
    mlir::emitError(locationOf(info)) << "LLVM cannot compile this: " << text;
    return true;
  }

private:
  mlir::Location locationOf(const llvm::DiagnosticInfo &info) const {
    const llvm::Function *function = nullptr;
    if (const auto *inlineAsm = llvm::dyn_cast<llvm::DiagnosticInfoInlineAsm>(&info))
      function = inlineAsm->getInstruction() ? inlineAsm->getInstruction()->getFunction() : nullptr;
    else if (const auto *placed = llvm::dyn_cast<llvm::DiagnosticInfoUnsupported>(&info))
      function = &placed->getFunction();
    mlir::Operation *source =
        function ? mlir::SymbolTable::lookupSymbolIn(module, function->getName()) : nullptr;
    return source ? source->getLoc() : module->getLoc();
  }

  mlir::Operation *module;
  bool errors = false;
};

/// Instructions whose results are functions of their operands (PTX ISA 9.0, 9.7.1 to 9.7.9).
constexpr std::string_view functions[] = {
    "abs",  "add",  "bfe",  "bfi",  "bfind", "bmsk", "brev",  "clz",  "cnot",  "copysign",
    "cos",  "cvt",  "cvta", "div",  "dp2a",  "dp4a", "ex2",   "fma",  "fns",   "isspacep",
    "lg2",  "lop3", "mad",  "max",  "min",   "mov",  "mul",   "neg",  "not",   "or",
    "popc", "prmt", "rcp",  "rem",  "rsqrt", "sad",  "selp",  "set",  "setp",  "shf",
    "shl",  "shr",  "sin",  "slct", "sqrt",  "sub",  "szext", "tanh", "testp", "xor"};

/// Whether inline PTX is such a function as a whole: it reads no special registers, of which some
/// change, and neither reads nor leaves a carry.
bool isFunction(llvm::StringRef text) {
  auto instructions = ptx_text::parseInlineAssembly({text.data(), text.size()});
  return instructions && llvm::all_of(*instructions, [](const ptx_text::Instruction &one) {
           return llvm::is_contained(functions, one.mnemonic) && one.registers.empty() &&
                  !llvm::is_contained(one.modifiers, "cc");
         });
}

/// What inline PTX does, which MLIR cannot say. It may synchronise threads, and LLVM would copy it
/// into divergent branches. What is a function of its operands does not: LLVM takes it for code
/// that may read and write all memory otherwise, and computes nothing only once. Other PTX without
/// side effects may read memory all the same, as in programs that other compilers are careful with.
void describeAsm(llvm::Module &module) {
  llvm::StringMap<bool> known; // of texts, which recur
  auto isKnownFunction = [&](llvm::StringRef text) {
    auto [at, isNew] = known.try_emplace(text, false);
    if (isNew)
      at->second = isFunction(text);
    return at->second;
  };
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction : llvm::instructions(function)) {
      auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      auto *code = call ? llvm::dyn_cast<llvm::InlineAsm>(call->getCalledOperand()) : nullptr;
      if (!code)
        continue;
      if (code->hasSideEffects() || !isKnownFunction(code->getAsmString())) {
        call->setConvergent();
        continue;
      }
      call->setDoesNotAccessMemory();
      call->setDoesNotThrow();
      call->addFnAttr(llvm::Attribute::WillReturn);
    }
}

void optimize(llvm::Module &module, llvm::TargetMachine &machine, int level) {
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = false; // one thread is one lane
  tuning.SLPVectorization = false;
  tuning.LoopInterleaving = false;
  llvm::PassInstrumentationCallbacks callbacks;
  ptx::leaveOutIdlePasses(callbacks);
  llvm::PassBuilder builder(&machine, tuning, std::nullopt, &callbacks);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager graphs;
  llvm::ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(graphs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, graphs, modules);
  llvm::OptimizationLevel levels[] = {llvm::OptimizationLevel::O0, llvm::OptimizationLevel::O1,
                                      llvm::OptimizationLevel::O2, llvm::OptimizationLevel::O3};
  llvm::OptimizationLevel chosen = levels[std::clamp(level, 0, 3)];
  llvm::ModulePassManager passes = level == 0 ? builder.buildO0DefaultPipeline(chosen)
                                              : builder.buildPerModuleDefaultPipeline(chosen);
  // Before code is generated the backend does this at all levels: what is not promoted stays in
  // memory.
  if (level == 0 && ptx::hasProducts(module))
    passes.addPass(
        llvm::createModuleToFunctionPassAdaptor(llvm::SROAPass(llvm::SROAOptions::ModifyCFG)));
  passes.run(module, modules);
}

/// Writes the module as PTX; false if LLVM cannot write it for the target.
bool generate(llvm::Module &module, llvm::TargetMachine &machine, std::string &text) {
  llvm::SmallVector<char, 0> buffer;
  llvm::raw_svector_ostream out(buffer);
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, out, nullptr, llvm::CodeGenFileType::AssemblyFile))
    return false;
  passes.run(module);
  text.assign(buffer.begin(), buffer.end());
  return true;
}

/// " (kernels: @a, @b)", as LLVM does not say where it ended.
std::string kernelsOf(mlir::Operation *module) {
  std::string text;
  module->walk([&](mlir::LLVM::LLVMFuncOp function) {
    if (function->hasAttr("nvvm.kernel"))
      text += (text.empty() ? " (kernels: @" : ", @") + function.getSymName().str();
  });
  return text.empty() ? text : text + ")";
}

//===--- cubins that are kept -----------------------------------------------------------------===//

cache::Key cubinKey(const llvm::Module &module, const ptx::Options &options) {
  llvm::SmallVector<char, 0> bitcode;
  llvm::raw_svector_ostream out(bitcode);
  llvm::WriteBitcodeToFile(module, out);
  // A new member does not compile until it is decided here whether it changes the cubin.
  const auto &[chip, ptxVersion, optLevel, lines, ptxas, libdevice, store] =
      options; // lines and libdevice: in the bitcode
  return cache::KeyOf("cubin of LLVM IR")
      .add("llvm", {bitcode.data(), bitcode.size()})
      .add("chip", chip)
      .add("ptx version", ptxVersion)
      .add("level", optLevel)
      .add("ptxas", ptx::identityOf(ptxas, store))
      .key();
}

std::vector<std::string> kernelsOf(const llvm::Module &module) {
  std::vector<std::string> names;
  for (const llvm::Function &function : module)
    if (function.getCallingConv() == llvm::CallingConv::PTX_Kernel && !function.isDeclaration())
      names.push_back(function.getName().str());
  return names;
}

std::optional<ptx::Cubin> findCubin(const cache::Store &store, const cache::Key &key,
                                    const llvm::Module &module) {
  std::optional<std::string> record = store.find(key);
  auto parts = record ? cache::unpack(*record) : std::nullopt;
  if (!parts || parts->size() != 2)
    return std::nullopt;
  const std::string &bytes = parts->front(), &log = parts->back();
  if (!ptx::checkCubin(bytes, kernelsOf(module)))
    return std::nullopt;
  return ptx::Cubin{{bytes.begin(), bytes.end()}, log, ptx::parsePtxasLog(log)};
}

/// The cubin of optimised LLVM IR: from the store, or made and put there. `makePtx` gives the PTX
/// of it.
template <class F>
Result<ptx::Cubin> cubinOf(const llvm::Module &module, const ptx::Options &options,
                           Stopwatch &watch, F makePtx) {
  std::optional<cache::Key> key;
  if (options.store) {
    key = cubinKey(module, options);
    std::optional<ptx::Cubin> kept = findCubin(*options.store, *key, module);
    watch.lap(kept ? "cache: hit, the cubin of this LLVM IR"
                   : "cache: miss, no cubin of this LLVM IR");
    if (kept)
      return std::move(*kept);
  }
  TESSERA_TRY(std::string text, makePtx());
  TESSERA_TRY(ptx::Cubin cubin, ptx::assemble(options.ptxas, text, options.chip));
  watch.lap("assemble");
  if (key) // a cubin that cannot be stored is as good
    (void)options.store->put(*key,
                             cache::pack({{cubin.bytes.data(), cubin.bytes.size()}, cubin.log}));
  return cubin;
}
} // namespace

Result<ptx::Translation> tessera::ptx::translate(mlir::Operation *op, const Options &given,
                                                 Until until) {
  Translation result;
  Stopwatch watch(result.parts);
  Options options = given;
  InlinedCalls calls;
  if (options.lines)
    calls = attachLines(op, /*namesCalls=*/until != Until::Llvm);
  if (!calls.empty())
    options.ptxVersion = std::max(options.ptxVersion, inlinedAtVersion);
  TESSERA_TRY(std::unique_ptr<llvm::TargetMachine> machine, targetMachine(options));
  mlir::DialectRegistry registry;
  mlir::registerBuiltinDialectTranslation(registry);
  mlir::registerGPUDialectTranslation(registry);
  mlir::registerLLVMDialectTranslation(registry);
  mlir::registerNVVMDialectTranslation(registry);
  op->getContext()->appendDialectRegistry(registry);

  auto context = std::make_unique<llvm::LLVMContext>();
  auto owned = std::make_unique<Reporter>(op);
  const Reporter &reporter = *owned;
  context->setDiagnosticHandler(std::move(owned));
  std::unique_ptr<llvm::Module> module = mlir::translateModuleToLLVMIR(op, *context, "tessera");
  if (!module)
    return Reason{"Translation", "the module cannot be translated to LLVM IR"};
  // Without a data layout 64-bit accesses come out as pairs of 32-bit ones.
  module->setTargetTriple(llvm::Triple(triple));
  module->setDataLayout(machine->createDataLayout());
  TESSERA_CHECK(linkLibdevice(*module, options.libdevice));
  describeAsm(*module);
  watch.lap("translate to LLVM IR");

  optimize(*module, *machine, options.optLevel);
  ptx::endStoredProducts(*module);
  ptx::stateUpdates(*module, *machine);
  watch.lap("optimise LLVM IR");
  if (until == Until::Llvm) {
    llvm::raw_string_ostream out(result.llvm);
    module->print(out, nullptr);
    return result;
  }
  auto makePtx = [&]() -> Result<std::string> {
    std::string text;
    bool can = true;
    if (std::optional<std::string> said =
            fatalErrorOf([&] { can = generate(*module, *machine, text); })) {
      // In whatever state they are: kept, as their destructors would not do.
      [[maybe_unused]] const auto kept =
          std::tuple(module.release(), context.release(), machine.release());
      mlir::emitError(op->getLoc())
          << "LLVM cannot compile this for " << options.chip << ": " << *said << kernelsOf(op);
      return Reason{"Llvm", "the module cannot be compiled to PTX, see above"};
    }
    if (!can)
      return Reason{"NoPtx", "LLVM cannot write PTX for this target"};
    if (reporter.failed())
      return Reason{"Llvm", "the module cannot be compiled to PTX, see above"};
    if (options.lines)
      dropLineZero(text);
    if (!calls.empty())
      text = calls.written(text);
    watch.lap("generate PTX");
    return text;
  };
  if (until == Until::Cubin) {
    TESSERA_TRY(result.cubin, cubinOf(*module, options, watch, makePtx));
  } else {
    TESSERA_TRY(result.ptx, makePtx());
  }
  return result;
}
