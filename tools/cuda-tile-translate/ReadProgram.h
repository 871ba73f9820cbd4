// ReadProgram: the tile program in a text, for the programs with NVIDIA's names.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/cuda_tile/CudaTile.h"

#include "mlir/IR/OwningOpRef.h"

namespace llvm {
class SourceMgr;
}

namespace tessera {

/// The tile program that is in a text, alone or in a module of MLIR; null after an error, which
/// has NVIDIA's words: those for an op alone if `isAlone`.
mlir::OwningOpRef<cuda_tile::TileModuleOp> readProgram(const llvm::SourceMgr &text,
                                                       mlir::MLIRContext &context, bool isAlone);

} // namespace tessera
