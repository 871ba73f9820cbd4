// Tensor: what the atoms of tensor memory need besides their rows.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/cute_nvgpu/AtomForms.h"

namespace tessera::cute_nvgpu {

/// A fragment in tensor memory for a partition of this shape.
Result<mlir::Type> tensorFragment(const MmaInstance &, mlir::Type element, layout::MmaOperand,
                                  const layout::Tree &shape);

/// `x128`, then `, pack16b`.
mlir::ParseResult parseRepeat(mlir::AsmParser &, int32_t &repeat, bool &pack);
void printRepeat(mlir::AsmPrinter &, int32_t repeat, bool pack);

} // namespace tessera::cute_nvgpu
