// Tensor: what the atoms of tensor memory need besides their rows.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/cute_nvgpu/AtomForms.h"

namespace tessera::cute_nvgpu {

/// A fragment in tensor memory for a partition of this shape, a tensor or a shape alone.
Result<mlir::Type> tensorFragment(const MmaInstance &, mlir::Type element, layout::MmaOperand,
                                  mlir::Type partition, const layout::Tree &shape);

/// `x128`, then `, pack16b` for a load and `, expand16b` for a store.
mlir::ParseResult parseRepeatPack(mlir::AsmParser &, int32_t &repeat, bool &pack);
void printRepeatPack(mlir::AsmPrinter &, int32_t repeat, bool pack);
mlir::ParseResult parseRepeatExpand(mlir::AsmParser &, int32_t &repeat, bool &pack);
void printRepeatExpand(mlir::AsmPrinter &, int32_t repeat, bool pack);

/// `, arch_promote = sm_103`: the first target that the product is for, 100 or 103.
mlir::ParseResult parseArchPromote(mlir::AsmParser &, int32_t &arch);
void printArchPromote(mlir::AsmPrinter &, int32_t arch);

} // namespace tessera::cute_nvgpu
