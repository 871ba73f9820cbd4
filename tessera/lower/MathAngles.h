// MathAngles: reduces angles of any size to a remainder of up to pi/4 and a number of quarter
// turns.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Payne and Hanek: x is an integer m times 2^e. Of its product with 2/pi only the bits below 4
// count: m times the bits of 2/pi from number e - 1 on, where the first is number 1. This takes
// many instructions and is needed for few numbers, so it is a function of the module.
#pragma once

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/PatternMatch.h"

namespace tessera::lower {

/// The module's function for finite, large numbers of type f32 or f64. For an f32 it returns an
/// i64: the bits of the remainder, and above them the number of quarter turns modulo 4. For an f64,
/// whose e is at least -22, it returns a struct: that number, and the remainder in two parts, where
/// the second is the rounding error of the first.
mlir::LLVM::LLVMFuncOp farAngle(mlir::OpBuilder &b, mlir::gpu::GPUModuleOp module, mlir::Type type);

} // namespace tessera::lower
