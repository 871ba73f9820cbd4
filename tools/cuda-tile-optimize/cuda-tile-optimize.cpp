// cuda-tile-optimize: passes over a tile program, with the name and options of NVIDIA's tool.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cuda_tile/Passes.h"
#include "tessera/files/OutputFile.h"
#include "tessera/import/Input.h"
#include "tessera/process/Process.h"
#include "tessera/tile_bytecode/Reader.h"
#include "tessera/tile_io/TileIo.h"
#include "tools/cuda-tile-opt/HintFlags.h"
#include "tools/cuda-tile-translate/ReadProgram.h"
#include "tools/mlir/MlirProgram.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

using namespace tessera;
namespace cl = llvm::cl;

static cl::opt<std::string> input(cl::Positional, cl::desc("<bytecode or text of a tile program>")),
    output("output-file", cl::desc("File to write; without it, the text goes to stdout")),
    before("run-before-default-pipeline", cl::desc("Passes before the others, such as cse")),
    after("run-after-default-pipeline", cl::desc("Passes after the others"));
static cl::opt<bool> quiet("quiet", cl::desc("Print nothing to stdout")),
    emitBytecode("emit-bytecode", cl::desc("Write bytecode to the file, not text")),
    fuseFma("fuse-fma", cl::desc("Fuse products with sums too")),
    verbose("verbose", cl::desc("Print the text to stdout although it goes to a file")),
    threads("enable-multithread", cl::desc("Let passes use all threads of the machine"));
static cl::opt<int> level("opt-level",
                          cl::desc("0: no pass; 1, 2: `canonicalize` and `cse`; 3: these, and "
                                   "splitting of loops"),
                          cl::init(3));
static cl::alias shortOutput("o", cl::aliasopt(output), cl::desc("--output-file")),
    shortQuiet("q", cl::aliasopt(quiet), cl::desc("--quiet")),
    shortBefore("before", cl::aliasopt(before), cl::desc("--run-before-default-pipeline")),
    shortAfter("after", cl::aliasopt(after), cl::desc("--run-after-default-pipeline")),
    shortLevel("O", cl::aliasopt(level), cl::Prefix, cl::desc("--opt-level")),
    shortVerbose("v", cl::aliasopt(verbose), cl::desc("--verbose"));

static llvm::LogicalResult addPasses(mlir::PassManager &passes) {
  if (mlir::failed(mlir::parsePassPipeline(before, passes)))
    return mlir::failure();
  if (fuseFma)
    passes.addPass(cuda_tile::createFuseFma());
  if (level >= 1) {
    passes.addPass(mlir::createCanonicalizerPass());
    passes.addPass(mlir::createCSEPass());
  }
  if (level >= 3) {
    passes.addNestedPass<cuda_tile::EntryOp>(cuda_tile::createLoopSplit());
    passes.addPass(mlir::createCanonicalizerPass());
  }
  return mlir::parsePassPipeline(after, passes);
}

static int optimize(const llvm::MemoryBuffer &file) {
  mlir::DialectRegistry registry;
  registerTileDialect(registry);
  auto data = std::as_bytes(std::span(file.getBufferStart(), file.getBufferSize()));
  bool isBytecode = tile_bytecode::isTileBytecode(data);
  std::unique_ptr<llvm::MemoryBuffer> text =
      isBytecode ? llvm::MemoryBuffer::getMemBuffer(file) : import::asText(file, registry);
  if (!text)
    return EXIT_FAILURE;
  mlir::MLIRContext context(registry, threads ? mlir::MLIRContext::Threading::ENABLED
                                              : mlir::MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);
  llvm::SourceMgr source;
  source.AddNewSourceBuffer(std::move(text), llvm::SMLoc());
  mlir::SourceMgrDiagnosticHandler handler(source, &context);
  mlir::OwningOpRef<cuda_tile::TileModuleOp> module =
      isBytecode ? tile_io::readBytecode(data, context)
                 : readProgram(source, context, /*isAlone=*/false);
  if (!module || mlir::failed(mlir::verify(*module)))
    return process::fail("Failed to parse input", EXIT_FAILURE);
  auto passes = mlir::PassManager::on<cuda_tile::TileModuleOp>(&context);
  if (mlir::failed(addPasses(passes)) || mlir::failed(passes.run(*module)))
    return EXIT_FAILURE;

  std::string printed;
  llvm::raw_string_ostream(printed) << *module << '\n';
  if (!output.empty()) {
    mlir::FailureOr<std::string> made =
        emitBytecode ? tile_io::writeBytecode(*module, tile_bytecode::newestVersion)
                     : mlir::FailureOr<std::string>(printed);
    if (mlir::failed(made))
      return EXIT_FAILURE;
    if (Status written = files::writeFile(output, {*made}); !written)
      return process::fail(written.reason().text, process::codeOf(written.reason()));
  }
  if (output.empty() ? !quiet : bool(verbose))
    if (Status written = files::writeFile("-", {printed}); !written)
      return process::fail(written.reason().text, process::codeOf(written.reason()));
  return EXIT_SUCCESS;
}

static int program(int argc, char **argv) {
  mlir::registerTransformsPasses();
  cuda_tile::registerPasses();
  llvm::cl::ParseCommandLineOptions(argc, argv, "Runs the usual passes over a tile program\n");
  if (input.empty())
    return process::fail("no input file provided: expects bytecode or text of a tile program",
                         EXIT_FAILURE);
  std::unique_ptr<llvm::MemoryBuffer> file = readFile(input);
  return file ? optimize(*file) : EXIT_FAILURE;
}

int main(int argc, char **argv) {
  return runMlirProgram(argc, argv, "cuda-tile-optimize", program);
}
