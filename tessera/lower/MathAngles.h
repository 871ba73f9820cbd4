// MathAngles: angles of any size as a rest of up to pi/4 and a number of quarter turns.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Payne and Hanek: x is an integer m times 2^e, of whose product with 2/pi only the bits below 4
// count: m times those of 2/pi from number e - 1 on, the first of which is number 1. That takes
// many instructions and is for few numbers, so it is a function of the module.
#pragma once

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/PatternMatch.h"

namespace tessera::lower {

/// The function of a module for an f32 or f64, which is finite and large. Of an f32 it returns an
/// i64: the bits of the rest, and above them the number of quarter turns modulo 4. Of an f64, whose
/// e is at least -22, a struct: that number, and the rest in two parts, of which the second is
/// what rounding the first one left.
mlir::LLVM::LLVMFuncOp farAngle(mlir::OpBuilder &b, mlir::gpu::GPUModuleOp module, mlir::Type type);

} // namespace tessera::lower
