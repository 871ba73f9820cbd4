// Parameters: types of the IR as descriptions of what a caller may pass, in plain data.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A parameter has its type from before lowering (!cute.memref, !cute.ptr, numbers, !cuda.stream).
// Its bytes are those of the type that lower::LoweredTypes gives it, laid out as LLVM does on
// x86-64.
#pragma once

#include "tessera/run/Binding.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace tessera::jit {

/// The parameter for a type. If no caller can pass one, it says why.
run::Parameter parameterOf(mlir::Type);
std::vector<run::Parameter> parametersOf(mlir::TypeRange);

/// The functions of a file that programs can call: those with a body, without the private ones that
/// others of the file call.
std::vector<mlir::func::FuncOp> hostFunctions(mlir::ModuleOp);

} // namespace tessera::jit
