// Where ops without a location are.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/tile_lower/Diagnostics.h"

#include "tessera/cuda_tile/CudaTile.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

std::string tessera::tile_lower::placeWithoutLocation(Operation *op) {
  auto kernel = op->getParentOfType<cuda_tile::EntryOp>();
  if (!kernel || !isa<UnknownLoc>(op->getLoc()))
    return "";
  AsmState names(kernel->getParentOp(), OpPrintingFlags().skipRegions().elideLargeElementsAttrs());
  std::string text;
  llvm::raw_string_ostream stream(text);
  op->print(stream, names);
  return cat(" (in kernel '", kernel.getSymName().str(), "': ", text, ")");
}
