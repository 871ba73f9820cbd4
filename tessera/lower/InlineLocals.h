// InlineLocals: values that end with the call, or the iteration, that made them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Operation.h"

namespace tessera::lower {

/// Whether values of this type are addresses on the stack of the function that made them: fragments
/// in registers, launch configurations.
bool endsWithItsCall(mlir::Type);

/// Loops that hand on fragments which their iterations make carry the elements instead, or make
/// them in other places; whether there were any. Fails, with an error, where neither can be done.
llvm::FailureOr<bool> carryLocals(mlir::Operation *root);

/// The same for branches between the blocks of one region: what makes such a fragment gets a place
/// for each that something still has.
llvm::FailureOr<bool> carryBetweenBlocks(mlir::Region &);

/// Has `maker` take a place in which none of `others` is, of as many as it needs, which are made at
/// the builder. Fails, with an error, for a launch configuration.
llvm::LogicalResult giveOtherPlaces(mlir::Operation *maker, llvm::ArrayRef<mlir::Value> others,
                                    mlir::OpBuilder &places);

} // namespace tessera::lower
