// WarpMmaToNVVM: a row's instruction on registers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/atom/MmaRow.h"

#include "mlir/IR/Builders.h"

namespace tessera::lower {

/// Registers of a warp-level MMA in the order of PTX, of the types that its intrinsic takes.
struct WarpMma {
  const atom::MmaRow &row;
  mlir::ValueRange a, b, c;
  mlir::Value metadata; // of a sparse A
  int32_t selector = 0;
};

/// The registers of D, by the row's route: NVVM op, intrinsic or inline PTX.
llvm::SmallVector<mlir::Value> buildWarpMma(mlir::OpBuilder &, mlir::Location, const WarpMma &);

} // namespace tessera::lower
