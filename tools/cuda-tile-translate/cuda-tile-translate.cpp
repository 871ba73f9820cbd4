// cuda-tile-translate: tile programs between text and bytecode, for NVIDIA's tests by its name.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cuda_tile/CudaTile.h"
#include "tessera/tile_io/TileIo.h"
#include "tools/version/Version.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"
#include "mlir/Tools/mlir-translate/Translation.h"
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

static void registerDialects(mlir::DialectRegistry &registry) {
  registry.insert<cuda_tile::CudaTileDialect>();
}

/// The tile program that an op is, or the only one in a module of MLIR.
static mlir::FailureOr<cuda_tile::TileModuleOp> programIn(mlir::Operation *op) {
  if (auto module = llvm::dyn_cast<cuda_tile::TileModuleOp>(op))
    return module;
  cuda_tile::TileModuleOp found;
  for (mlir::Region &region : op->getRegions())
    for (auto module : region.getOps<cuda_tile::TileModuleOp>()) {
      if (found)
        return module.emitError("expects one 'cuda_tile.module' in the input, but got several");
      found = module;
    }
  if (!found)
    return op->emitError("expects a 'cuda_tile.module' in the input, but got none");
  return found;
}

static llvm::LogicalResult toBytecode(mlir::Operation *op, llvm::raw_ostream &out) {
  mlir::FailureOr<cuda_tile::TileModuleOp> module = programIn(op);
  if (mlir::failed(module))
    return mlir::failure();
  mlir::FailureOr<std::string> bytes = tile_io::writeBytecode(*module, version);
  if (mlir::failed(bytes))
    return mlir::failure();
  out << *bytes;
  return mlir::success();
}
static mlir::OwningOpRef<cuda_tile::TileModuleOp> fromBytecode(llvm::StringRef bytes,
                                                               mlir::MLIRContext *context) {
  return tile_io::readBytecode(std::as_bytes(std::span(bytes.data(), bytes.size())), *context);
}

int main(int argc, char **argv) {
  llvm::cl::SetVersionPrinter(
      [](llvm::raw_ostream &out) { out << tessera::versionText("cuda-tile-translate"); });
  mlir::TranslateFromMLIRRegistration write(
      "mlir-to-cudatilebc", "Write a tile program as bytecode", toBytecode, registerDialects);
  mlir::TranslateToMLIRRegistration read(
      "cudatilebc-to-mlir", "Read a tile program from bytecode",
      [](llvm::SourceMgr &sources,
         mlir::MLIRContext *context) -> mlir::OwningOpRef<mlir::Operation *> {
        return fromBytecode(sources.getMemoryBuffer(sources.getMainFileID())->getBuffer(), context)
            .release()
            .getOperation();
      },
      registerDialects);
  mlir::TranslateFromMLIRRegistration roundTrip(
      "test-cudatile-roundtrip", "Write a tile program as bytecode and read it back",
      [](mlir::Operation *op, llvm::raw_ostream &out) {
        std::string bytes;
        llvm::raw_string_ostream stream(bytes);
        if (mlir::failed(toBytecode(op, stream)))
          return mlir::failure();
        mlir::OwningOpRef<cuda_tile::TileModuleOp> module = fromBytecode(bytes, op->getContext());
        if (!module || mlir::failed(mlir::verify(*module)))
          return mlir::failure();
        module->print(out);
        out << '\n';
        return mlir::success();
      },
      registerDialects);
  return mlir::failed(mlir::mlirTranslateMain(argc, argv, "Tessera's translator of tile programs"));
}
