// Tma: rules of the atoms of TMA beyond their rows.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/cute_nvgpu/AtomForms.h"

namespace tessera::cute_nvgpu {

/// TMA can reduce only some element types.
llvm::LogicalResult reductionGate(Emitter, const CopyForm &);

/// Pixels are copied under a filter, or along W.
llvm::LogicalResult pixelGate(Emitter, const CopyForm &);

/// Bits of an element as a tensor map of this format counts them; of `element` without one.
int64_t bitsIn(std::optional<atom::TensorMapType> format, mlir::Type element);
/// The same for the tensor map of an atom: 16 where bytes are taken in pairs.
int64_t bitsInMap(const CopyForm &);

/// `, internal_val_type = f16` and `, tma_format = F16_RN`, both optional.
mlir::ParseResult parseTmaFormat(mlir::AsmParser &, std::optional<atom::TensorMapType> &,
                                 mlir::Type &internal);
void printTmaFormat(mlir::AsmPrinter &, std::optional<atom::TensorMapType>, mlir::Type internal);
/// The same and `, mode = w`.
mlir::ParseResult parsePixelFormat(mlir::AsmParser &, std::optional<atom::TensorMapType> &,
                                   mlir::Type &internal, atom::TmaMode &);
void printPixelFormat(mlir::AsmPrinter &, std::optional<atom::TensorMapType>, mlir::Type internal,
                      atom::TmaMode);

} // namespace tessera::cute_nvgpu
