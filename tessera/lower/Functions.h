// Functions: what passes on functions share, whether they run on a module or on one function.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A pass that needs nothing but a function can be scheduled on a function, as the pipeline does, so
// that several are lowered at a time; on a module it works on each of its functions in turn, so
// that `tessera-opt --cute-desugar` needs no nested pipeline.
#pragma once

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace tessera::lower {

/// `root` if it is a function, otherwise all functions in it, in order; of these the ones with a
/// body that are not lowered yet.
llvm::SmallVector<mlir::FunctionOpInterface> functionsOf(mlir::Operation *root);

/// Where such a pass may be scheduled.
bool isModuleOrFunction(mlir::RegisteredOperationName);

/// Whether a block of the LLVM dialect, or any block of a region, has a product in tensor memory
/// (tcgen05.mma), which is inline PTX by then.
bool hasTensorProduct(mlir::Block &);
bool hasTensorProduct(mlir::Region &);

} // namespace tessera::lower
