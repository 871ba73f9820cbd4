// Tensor: what the atoms of tensor memory need besides their rows.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/cute_nvgpu/AtomForms.h"

namespace tessera::cute_nvgpu {

/// A fragment in tensor memory for a partition of this shape, a tensor or a shape alone.
Result<mlir::Type> tensorFragment(const MmaInstance &, mlir::Type element, layout::MmaOperand,
                                  mlir::Type partition, const layout::Tree &shape);

/// The tiled copy that an atom of tensor memory makes of a tensor there.
Result<mlir::Type> tensorCopyType(mlir::Type atom, mlir::Type tensor);

/// `x128`, then `, pack16b` for a load and `, expand16b` for a store.
mlir::ParseResult parseRepeatPack(mlir::AsmParser &, int32_t &repeat, bool &pack);
void printRepeatPack(mlir::AsmPrinter &, int32_t repeat, bool pack);
mlir::ParseResult parseRepeatExpand(mlir::AsmParser &, int32_t &repeat, bool &pack);
void printRepeatExpand(mlir::AsmPrinter &, int32_t repeat, bool pack);

/// `x4`
mlir::ParseResult parseRepeat(mlir::AsmParser &, int32_t &repeat);
void printRepeat(mlir::AsmPrinter &, int32_t repeat);
/// `maxabs, nan, half_split_off=3 : i64`
mlir::ParseResult parseLaneReduction(mlir::AsmParser &, atom::LaneReduction &, int64_t &columns);
void printLaneReduction(mlir::AsmPrinter &, const atom::LaneReduction &, int64_t columns);
/// PTX's name of the numbers that a reducing load takes: f32, s32 or u32; empty for others.
llvm::StringRef reducedNumber(mlir::Type);
/// The types and qualifiers that a reducing load has. Source: PTX ISA 9.7.16.8.1.
llvm::LogicalResult verifyLoadReduction(Emitter, const CopyForm &);

/// `, arch_promote = sm_103`: the first target that the product is for, 100 or 103.
mlir::ParseResult parseArchPromote(mlir::AsmParser &, int32_t &arch);
void printArchPromote(mlir::AsmPrinter &, int32_t arch);

} // namespace tessera::cute_nvgpu
