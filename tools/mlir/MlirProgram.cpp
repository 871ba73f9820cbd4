// What MLIR's mains leave out.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/mlir/MlirProgram.h"

#include "tessera/files/OutputFile.h"
#include "tessera/import/Input.h"
#include "tessera/process/Deadline.h"
#include "tessera/process/Process.h"
#include "tools/version/Version.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/Timing.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

using namespace tessera;

/// Seconds of --timeout.
struct SecondsParser : llvm::cl::parser<double> {
  using llvm::cl::parser<double>::parser;
  bool parse(llvm::cl::Option &option, llvm::StringRef name, llvm::StringRef text,
             double &seconds) {
    if (llvm::cl::parser<double>::parse(option, name, text, seconds))
      return true;
    return !process::isLimit(seconds) &&
           option.error("expects seconds from 0 (no limit) to 1e6, but got '" + text + "'");
  }
};

int tessera::runMlirProgram(int argc, char **argv, const char *name,
                            int (*program)(int argc, char **argv)) {
  llvm::InitLLVM llvm(argc, argv); // whose handlers of signals come after ours
  llvm::cl::SetVersionPrinter([name](llvm::raw_ostream &out) { out << versionText(name); });
  llvm::cl::opt<double, false, SecondsParser> timeout(
      "timeout", llvm::cl::desc("Limit in seconds for the whole command; 0: no limit"),
      llvm::cl::init(0), llvm::cl::cb<void, double>([name](const double &seconds) {
        process::endWithin(seconds, name);
      }));
  // mlir-reduce hides what is not of its own category or that of --help.
  if (llvm::cl::Option *help = llvm::cl::getRegisteredOptions().lookup("help"))
    timeout.addCategory(*help->Categories.front());
  return process::run(argc, argv, program);
}

std::unique_ptr<llvm::MemoryBuffer> tessera::readFile(const std::string &path) {
  Result<std::unique_ptr<llvm::MemoryBuffer>> file = import::readFile(path);
  if (file)
    return *std::move(file);
  process::fail(cat("cannot open input file '", path, "': ", file.reason().text));
  return nullptr;
}

/// Whether what is asked for is passes over one module, and nothing else that MLIR's main does.
static bool asksForPassesOnly(const mlir::MlirOptMainConfig &config, llvm::StringRef text) {
  const mlir::tracing::DebugConfig &debug = config.getDebugConfig();
  return config.shouldVerifyOnParsing() && !config.shouldVerifyDiagnostics() &&
         !config.shouldVerifyRoundtrip() && !config.shouldUseExplicitModule() &&
         !config.shouldRunReproducer() && config.getReproducerFilename().empty() &&
         !config.shouldEmitBytecode() && !config.shouldEmitRemarks() && config.shouldShowNotes() &&
         config.getDiagnosticVerbosityLevel() == mlir::VerbosityLevel::ErrorsWarningsAndRemarks &&
         config.inputSplitMarker().empty() && config.getIrdlFile().empty() &&
         !debug.isDebuggerActionHookEnabled() && debug.getLogActionsTo().empty() &&
         debug.getProfileActionsTo().empty() &&
         !text.contains("{-#"); // resources, which only the text's parser keeps for the printer
}

/// Runs the passes of the command line and prints what they leave.
static mlir::LogicalResult runPasses(llvm::raw_ostream &out, mlir::ModuleOp module,
                                     const mlir::MlirOptMainConfig &config) {
  mlir::DefaultTimingManager timings;
  mlir::applyDefaultTimingManagerCLOptions(timings);
  mlir::TimingScope timing = timings.getRootScope();
  mlir::PassManager passes(module->getName(), mlir::PassManager::Nesting::Implicit);
  passes.enableVerifier(config.shouldVerifyPasses());
  if (failed(mlir::applyPassManagerCLOptions(passes)))
    return mlir::failure();
  passes.enableTiming(timing);
  if (failed(config.setupPassPipeline(passes)) || failed(passes.run(module)))
    return mlir::failure();
  mlir::TimingScope printing = timing.nest("Output");
  mlir::AsmState state(module);
  module->print(out, state);
  out << '\n';
  return mlir::success();
}

int tessera::optMain(int argc, char **argv, const char *title, mlir::DialectRegistry &registry,
                     ReadText *read) {
  auto [from, to] = mlir::registerAndParseCLIOptions(argc, argv, title, registry);
  // An error about a module would print it whole.
  constexpr llvm::StringLiteral printsOps = "mlir-print-op-on-diagnostic";
  if (llvm::cl::Option *prints = llvm::cl::getRegisteredOptions().lookup(printsOps);
      prints && !prints->getNumOccurrences())
    prints->addOccurrence(0, printsOps, "false");
  mlir::MlirOptMainConfig config = mlir::MlirOptMainConfig::createFromCLOptions();
  if (config.shouldShowDialects() || config.shouldListPasses())
    return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, from, to, registry));
  std::unique_ptr<llvm::MemoryBuffer> file = readFile(from);
  if (!file)
    return EXIT_FAILURE;
  std::unique_ptr<llvm::MemoryBuffer> input = import::asText(*file, registry);
  // A module that was read to see what the text is need not be read again.
  std::optional<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  if (input && read) {
    if (asksForPassesOnly(config, input->getBuffer()))
      context.emplace(registry);
    Input of = read(std::move(input), context ? &*context : nullptr, config);
    input = std::move(of.text);
    module = std::move(of.module);
  }
  if (!input)
    return EXIT_FAILURE;
  std::string text;
  llvm::raw_string_ostream out(text);
  bool right;
  if (module) {
    context->allowUnregisteredDialects(config.shouldAllowUnregisteredDialects());
    llvm::SourceMgr source;
    source.AddNewSourceBuffer(std::move(input), {});
    mlir::SourceMgrDiagnosticHandler handler(source, &*context);
    right = succeeded(runPasses(out, *module, config));
  } else {
    context.reset();
    right = succeeded(mlir::MlirOptMain(out, std::move(input), registry, config));
  }
  // What came out before an error is for the terminal, not for a file.
  if (right || to == "-") {
    llvm::outs().flush();
    if (Status written = files::writeFile(to, {text}); !written)
      return process::fail(written.reason().text, process::codeOf(written.reason()));
  }
  return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
