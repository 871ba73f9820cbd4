// What the text of a tile program has to be.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/cuda-tile-translate/ReadProgram.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/SourceMgr.h"

using namespace tessera;
using cuda_tile::TileModuleOp;

mlir::OwningOpRef<TileModuleOp> tessera::readProgram(const llvm::SourceMgr &text,
                                                     mlir::MLIRContext &context, bool isAlone) {
  mlir::Block block;
  mlir::LocationAttr place = mlir::UnknownLoc::get(&context);
  if (mlir::failed(mlir::parseSourceFile(text, &block, &context, &place)))
    return {};
  mlir::Operation *only = llvm::hasSingleElement(block) ? &block.front() : nullptr;
  mlir::Block *around = &block;
  if (auto module = llvm::dyn_cast_or_null<mlir::ModuleOp>(only)) {
    around = module.getBody();
    place = module.getLoc();
  }
  llvm::SmallVector<TileModuleOp> found(around->getOps<TileModuleOp>());
  size_t others = around->getOperations().size() - found.size();
  if (found.size() == 1 && others == 0) {
    found.front()->remove();
    return found.front();
  }
  if (isAlone && only && around == &block)
    only->emitError("expected a CUDA Tile IR module, but got a '") << only->getName() << "'";
  else
    mlir::emitError(place) << "expected a single CUDA Tile IR module in the MLIR module, but got "
                           << found.size() << " and " << others << " other operations";
  return {};
}
