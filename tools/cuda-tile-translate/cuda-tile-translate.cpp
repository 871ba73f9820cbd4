// cuda-tile-translate: tile programs between text and bytecode, for NVIDIA's tests by its name.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/files/OutputFile.h"
#include "tessera/import/Input.h"
#include "tessera/process/Process.h"
#include "tessera/tile_io/TileIo.h"
#include "tools/cuda-tile-opt/HintFlags.h"
#include "tools/cuda-tile-translate/ReadProgram.h"
#include "tools/mlir/MlirProgram.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Support/ToolUtilities.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>

using namespace tessera;
using tile_bytecode::Version;

/// `13.2`.
template <> class llvm::cl::parser<Version> : public basic_parser<Version> {
public:
  using basic_parser::basic_parser;
  bool parse(Option &option, llvm::StringRef, llvm::StringRef argument, Version &out) {
    auto [major, minor] = argument.split('.');
    bool isVersion = !major.getAsInteger(10, out.major) && !minor.getAsInteger(10, out.minor);
    if (isVersion && tile_bytecode::isKnown(out))
      return false;
    return option.error("Invalid argument '" + argument + "': the supported versions are [" +
                        tile_bytecode::oldestVersion.str() + " - " +
                        tile_bytecode::newestVersion.str() + "]");
  }
  void printOptionDiff(const Option &option, const Version &value, OptVal, size_t width) const {
    printOptionName(option, width);
    llvm::outs() << "= " << value.str() << '\n';
  }
  llvm::StringRef getValueName() const override { return "13.N"; }
};

static llvm::cl::opt<Version> version("bytecode-version",
                                      llvm::cl::desc("The version of the bytecode that is written"),
                                      llvm::cl::init(tile_bytecode::newestVersion));
static llvm::cl::opt<bool> listVersions("list-versions",
                                        llvm::cl::desc("Print the versions of bytecode, and stop"),
                                        llvm::cl::cb<void, bool>([](bool) {
                                          for (Version each = tile_bytecode::oldestVersion;
                                               each <= tile_bytecode::newestVersion; ++each.minor)
                                            llvm::outs() << each.str() << '\n';
                                          llvm::outs().flush();
                                          std::exit(0);
                                        }));

enum class Direction {
  ToBytecode,
  FromBytecode,
  RoundTrip
};
static llvm::cl::opt<Direction>
    direction(llvm::cl::desc("What to do:"), llvm::cl::Required,
              llvm::cl::values(clEnumValN(Direction::ToBytecode, "mlir-to-cudatilebc",
                                          "Write a tile program as bytecode"),
                               clEnumValN(Direction::FromBytecode, "cudatilebc-to-mlir",
                                          "Read a tile program from bytecode"),
                               clEnumValN(Direction::RoundTrip, "test-cudatile-roundtrip",
                                          "Write a tile program as bytecode and read it back")));
static llvm::cl::opt<std::string> input(llvm::cl::Positional, llvm::cl::desc("<input file>"),
                                        llvm::cl::init("-")),
    output("o", llvm::cl::desc("File to write; - is stdout"), llvm::cl::init("-"));
static llvm::cl::opt<bool> noImplicitModule(
    "no-implicit-module",
    llvm::cl::desc("Expect a program without a module around it, and word errors accordingly")),
    allowUnregistered("allow-unregistered-dialect",
                      llvm::cl::desc("Allow ops of unknown dialects")),
    verifyDiagnostics("verify-diagnostics",
                      llvm::cl::desc("Compare diagnostics with what the text expects"));
static llvm::cl::opt<std::string> splitMarker("split-input-file", llvm::cl::ValueOptional,
                                              llvm::cl::desc("Split the input at this line"));

static llvm::LogicalResult translate(const llvm::SourceMgr &source, mlir::MLIRContext &context,
                                     llvm::raw_ostream &out) {
  std::string bytes = source.getMemoryBuffer(source.getMainFileID())->getBuffer().str();
  if (direction != Direction::FromBytecode) {
    mlir::OwningOpRef<cuda_tile::TileModuleOp> module =
        readProgram(source, context, noImplicitModule);
    if (!module)
      return mlir::failure();
    mlir::FailureOr<std::string> written = tile_io::writeBytecode(*module, version);
    if (mlir::failed(written))
      return mlir::failure();
    bytes = std::move(*written);
  }
  if (direction == Direction::ToBytecode) {
    out << bytes;
    return mlir::success();
  }
  mlir::OwningOpRef<cuda_tile::TileModuleOp> module =
      tile_io::readBytecode(std::as_bytes(std::span(bytes)), context);
  if (!module || mlir::failed(mlir::verify(*module)))
    return mlir::failure();
  module->print(out);
  out << '\n';
  return mlir::success();
}

static llvm::LogicalResult translatePiece(std::unique_ptr<llvm::MemoryBuffer> piece,
                                          const mlir::DialectRegistry &registry,
                                          llvm::raw_ostream &out) {
  llvm::SourceMgr source;
  source.AddNewSourceBuffer(std::move(piece), llvm::SMLoc());
  mlir::MLIRContext context(registry);
  context.allowUnregisteredDialects(allowUnregistered);
  context.printOpOnDiagnostic(!verifyDiagnostics);
  if (!verifyDiagnostics) {
    mlir::SourceMgrDiagnosticHandler handler(source, &context);
    return translate(source, context, out);
  }
  mlir::SourceMgrDiagnosticVerifierHandler expected(source, &context);
  (void)translate(source, context, out);
  return expected.verify();
}

static int program(int argc, char **argv) {
  mlir::registerAsmPrinterCLOptions();
  mlir::registerMLIRContextCLOptions();
  llvm::cl::ParseCommandLineOptions(argc, argv, "Tessera's translator of tile programs\n");
  mlir::DialectRegistry registry;
  registerTileDialect(registry);
  std::unique_ptr<llvm::MemoryBuffer> file = readFile(input);
  if (!file)
    return EXIT_FAILURE;
  std::unique_ptr<llvm::MemoryBuffer> text = direction == Direction::FromBytecode
                                                 ? llvm::MemoryBuffer::getMemBuffer(*file)
                                                 : import::asText(*file, registry);
  if (!text)
    return EXIT_FAILURE;
  std::string made;
  llvm::raw_string_ostream out(made);
  auto piece = [&](std::unique_ptr<llvm::MemoryBuffer> one, llvm::raw_ostream &to) {
    return translatePiece(std::move(one), registry, to);
  };
  const bool isSplit = splitMarker.getNumOccurrences();
  llvm::StringRef marker =
      splitMarker.empty() ? mlir::kDefaultSplitMarker : llvm::StringRef(splitMarker);
  llvm::LogicalResult done = isSplit
                                 ? mlir::splitAndProcessBuffer(std::move(text), piece, out, marker)
                                 : piece(std::move(text), out);
  if (mlir::failed(done) && output != "-")
    return EXIT_FAILURE;
  if (Status written = files::writeFile(output, {made}); !written)
    return process::fail(written.reason().text, process::codeOf(written.reason()));
  return mlir::failed(done);
}

int main(int argc, char **argv) {
  return runMlirProgram(argc, argv, "cuda-tile-translate", program);
}
