// RuntimeCalls: calls from lowered host code to the runtime.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The runtime's functions are declared in tessera/jit/Runtime.h; names and types of the calls must
// agree.
#pragma once

#include "mlir/IR/Builders.h"

namespace tessera::lower {

/// A call of a runtime function, which is declared on first use. If `result` is null there is no
/// result, and the value is null. An error if the module has something else with that name.
mlir::FailureOr<mlir::Value> callRuntime(mlir::OpBuilder &, mlir::Operation *at,
                                         llvm::StringRef name, mlir::Type result,
                                         mlir::ValueRange arguments);

/// Memory in the function's frame for `count` values of a type.
mlir::Value stackSlot(mlir::OpBuilder &, mlir::Location, mlir::Type type, int64_t count,
                      unsigned alignment);
/// Values of one type side by side in the function's frame.
mlir::Value stackArray(mlir::OpBuilder &, mlir::Location, mlir::Type element,
                       mlir::ValueRange values);

} // namespace tessera::lower
