// Parameters: types of the IR as what a caller may give, in plain data.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A parameter has its type from before lowering (!cute.memref, !cute.ptr, numbers, !cuda.stream).
// Its bytes are those of the type that lower::LoweredTypes gives it, laid out as LLVM does on
// x86-64.
#pragma once

#include "tessera/run/Binding.h"

#include "mlir/IR/TypeRange.h"

namespace tessera::jit {

/// What may be given for a parameter of a type; nothing where nobody can give one, with the reason.
run::Parameter parameterOf(mlir::Type);
std::vector<run::Parameter> parametersOf(mlir::TypeRange);

} // namespace tessera::jit
