// Functions: helpers for passes that run on a module or on one function.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A pass that needs nothing but a function can be scheduled on a function, as the pipeline does, so
// that several are lowered at a time; on a module it works on each of its functions in turn, so
// that `tessera-opt --cute-desugar` needs no nested pipeline.
#pragma once

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace tessera::lower {

/// `root` if it is a function, otherwise all functions in it, in order. Only functions with a body
/// that are not lowered yet.
llvm::SmallVector<mlir::FunctionOpInterface> functionsOf(mlir::Operation *root);

/// Calls `visit` for `root` if it is a function, otherwise for each function in it, lowered or not.
/// No function is looked for inside of functions.
void forEachFunction(mlir::Operation *root,
                     llvm::function_ref<void(mlir::FunctionOpInterface)> visit);

/// Whether such a pass may be scheduled on this op.
bool isModuleOrFunction(mlir::RegisteredOperationName);

/// Whether a block of the LLVM dialect, or any block of a region, has a product in tensor memory
/// (tcgen05.mma), which is inline PTX at this stage.
bool hasTensorProduct(mlir::Block &);
bool hasTensorProduct(mlir::Region &);

} // namespace tessera::lower
