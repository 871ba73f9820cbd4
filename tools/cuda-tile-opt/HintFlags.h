// HintFlags: the flags of NVIDIA's tools that say what becomes of wrong hints.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/cuda_tile/CudaTile.h"

#include "mlir/IR/DialectRegistry.h"
#include "llvm/Support/CommandLine.h"

namespace tessera {

inline llvm::cl::opt<bool>
    warnHints("Wunsupported-hints",
              llvm::cl::desc("Warn of hints that are unknown or out of range")),
    refuseHints("Werr-hints", llvm::cl::desc("Refuse hints that are unknown or out of range"));

/// Registers the dialect `cuda_tile`, which obeys the flags.
inline void registerTileDialect(mlir::DialectRegistry &registry) {
  using cuda_tile::CudaTileDialect;
  registry.insert<CudaTileDialect>();
  registry.addExtension(+[](mlir::MLIRContext *, CudaTileDialect *dialect) {
    using Policy = CudaTileDialect::HintPolicy;
    dialect->hintPolicy = refuseHints ? Policy::Error : warnHints ? Policy::Warn : Policy::Ignore;
  });
}

} // namespace tessera
