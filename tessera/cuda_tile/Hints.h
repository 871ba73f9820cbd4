// Whether hints to the compiler are known and in range.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/cuda_tile/CudaTile.h"

#include <optional>

namespace tessera::cuda_tile::hints {

/// Which ops take a hint.
enum Place : unsigned {
  Entry = 1,
  View = 2,
  Pointer = 4
};

/// The hint of this name for a GPU (sm_90a has those of sm_90), else that for all; null where there
/// is none, or one that `verify` would report.
mlir::Attribute of(OptimizationHintsAttr attr, llvm::StringRef arch, llvm::StringRef name);
/// Likewise a hint that is a number.
std::optional<int64_t> numberOf(OptimizationHintsAttr attr, llvm::StringRef arch,
                                llvm::StringRef name);

/// Whether ops of such a place take a hint of this name; the place of an op, 0 if it takes none.
bool isOf(llvm::StringRef name, unsigned place);
unsigned placeOf(mlir::Operation *op);
/// What is wrong with a known hint of a target; empty if nothing.
std::string wrong(llvm::StringRef target, mlir::NamedAttribute hint);

/// Reports as the dialect's policy says; fails only where hints are errors.
llvm::LogicalResult verify(mlir::Operation *op, OptimizationHintsAttr attr, unsigned place);

} // namespace tessera::cuda_tile::hints
