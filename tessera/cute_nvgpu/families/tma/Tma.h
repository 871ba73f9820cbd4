// Tma: rules of the atoms of TMA beyond their rows.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/cute_nvgpu/AtomForms.h"

namespace tessera::cute_nvgpu {

/// TMA can reduce only some element types.
llvm::LogicalResult reductionGate(Emitter, const CopyForm &);

/// `, internal_val_type = f16` and `, tma_format = F16_RN`, both optional.
mlir::ParseResult parseTmaFormat(mlir::AsmParser &, std::optional<atom::TensorMapType> &,
                                 mlir::Type &internal);
void printTmaFormat(mlir::AsmPrinter &, std::optional<atom::TensorMapType>, mlir::Type internal);

} // namespace tessera::cute_nvgpu
