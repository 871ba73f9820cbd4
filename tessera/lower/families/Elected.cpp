// Elected: code that one lane executes for the whole warp.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/lower/families/Elected.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace tessera::lower {

void enterElected(RewriterBase &b, Operation *op) {
  Location loc = op->getLoc();
  Block *before = op->getBlock();
  Block *after = b.splitBlock(before, std::next(op->getIterator()));
  Block *elected = b.createBlock(after);
  b.setInsertionPointToEnd(before);
  Value lane = NVVM::ElectSyncOp::create(b, loc, b.getI1Type(), /*membermask=*/Value());
  LLVM::CondBrOp::create(b, loc, lane, elected, after);
  b.setInsertionPointToEnd(elected);
  LLVM::BrOp::create(b, loc, ValueRange(), after);
  b.setInsertionPointToStart(elected);
}

} // namespace tessera::lower
