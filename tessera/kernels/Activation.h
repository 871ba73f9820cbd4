// Activation: functions of vectors of f32, for epilogues.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/dsl/Builder.h"

namespace tessera::kernels {

/// A number, in every element of a vector of another's type.
mlir::Value splat(dsl::Builder &, mlir::Value scalar, mlir::Value like);
mlir::Value splat(dsl::Builder &, double number, mlir::Value like);
mlir::Value times(dsl::Builder &, mlir::Value, mlir::Value);
mlir::Value plus(dsl::Builder &, mlir::Value, mlir::Value);
/// The same numbers as another type of floating point.
mlir::Value converted(dsl::Builder &, mlir::Value vector, mlir::Type element);

/// A function of a vector of f32; null for none.
struct Activation {
  const char *name;
  mlir::Value (*of)(dsl::Builder &, mlir::Value);
};
/// By name: none, relu, gelu, silu; null if there is no such.
const Activation *findActivation(llvm::StringRef name);

} // namespace tessera::kernels
