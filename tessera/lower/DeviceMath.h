// DeviceMath: mathematical functions of kernels, which have no C library.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function becomes one of these:
//
//   an instruction  where the op allows approximation (fastmath<afn>), and where the instruction is
//                   as good as a C library's function: ex2.approx and rsqrt.approx, within 2 ulp
//                   (PTX ISA 9.0, 9.7.3)
//   LLVM            what the back end knows: sqrt, floor, fma, ...
//   a call          of NVIDIA's libdevice, where the caller links that, for the bits that its
//                   compilers give; else
//   a polynomial    all else, on f32, f16 and bf16: those of MathPolynomials.cpp and of MLIR's math
//                   dialect, and on f64 those of MathDoubles.cpp, within the ulp that
//                   test/sim/math.py holds for each; powers of f32, f16 and bf16 through f64
//                   (MathPowers.cpp)
//
// So an op without fastmath is never less precise because there is an instruction: lg2.approx near
// 1 keeps 2 of 7 digits.
#pragma once

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/PatternMatch.h"

namespace tessera::lower {

/// Patterns for functions on f32 that MLIR approximates too coarsely: exp, sinh, tanh, asinh,
/// acosh, atanh, cbrt, erf, sin, cos, atan, atan2.
void addPolynomials(mlir::RewritePatternSet &patterns, mlir::PatternBenefit benefit);

/// Patterns for powf and fpowi on f32, f16 and bf16, and for ipowi.
void addPowers(mlir::RewritePatternSet &patterns, mlir::PatternBenefit benefit);

/// Patterns for functions on f64, which MLIR does not approximate.
void addDoublePolynomials(mlir::RewritePatternSet &patterns, mlir::PatternBenefit benefit);

/// Replaces a remainder of numbers of f64, f32, f16 or bf16 by ops that compute it exactly.
void expandRemainder(mlir::arith::RemFOp);

/// Lowers all `math` ops of a module, and remainders; with `library` some become calls of
/// libdevice. Fails, after errors, at ops on types without a function.
llvm::LogicalResult lowerMath(mlir::gpu::GPUModuleOp module, bool library = false);

} // namespace tessera::lower
