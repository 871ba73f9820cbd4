// Tensor: rules of the atoms of tensor memory beyond their rows.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/cute_nvgpu/AtomForms.h"

namespace tessera::cute_nvgpu {

/// The fragment in tensor memory for a partition, given as a tensor or only as a shape.
Result<mlir::Type> tensorFragment(const MmaInstance &, mlir::Type element, layout::MmaOperand,
                                  mlir::Type partition, const layout::Tree &shape);

/// The tiled copy of an atom of tensor memory for a tensor there.
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
/// PTX's name for the type of numbers in a reducing load: f32, s32 or u32; empty for others.
llvm::StringRef reducedNumber(mlir::Type);
/// Checks the types and qualifiers of a reducing load. Source: PTX ISA 9.7.16.8.1.
llvm::LogicalResult verifyLoadReduction(Emitter, const CopyForm &);

/// Checks the qualifiers of a product against each other. Source: PTX ISA 9.7.16.10.9.
llvm::LogicalResult verifyProduct(Emitter, const MmaForm &);

/// `, int_overflow = <satfinite>, weight_stationary = true, collector = <fill>,
/// collector_buffer = 2, ashift = true, lane_mask = true`
mlir::ParseResult parseProductOptions(mlir::AsmParser &, atom::Overflow &, bool &stationary,
                                      atom::Collector &, int32_t &buffer, bool &ashift,
                                      bool &laneMask);
void printProductOptions(mlir::AsmPrinter &, atom::Overflow, bool stationary, atom::Collector,
                         int32_t buffer, bool ashift, bool laneMask);
/// The same without lanes.
mlir::ParseResult parseSparseOptions(mlir::AsmParser &, atom::Overflow &, bool &stationary,
                                     atom::Collector &, int32_t &buffer, bool &ashift);
void printSparseOptions(mlir::AsmPrinter &, atom::Overflow, bool stationary, atom::Collector,
                        int32_t buffer, bool ashift);
/// `, arch_promote = sm_103`: the first target that has the product, 100 or 103; `, collector =
/// <fill>`
mlir::ParseResult parseScaledOptions(mlir::AsmParser &, int32_t &arch, atom::Collector &);
void printScaledOptions(mlir::AsmPrinter &, int32_t arch, atom::Collector);

} // namespace tessera::cute_nvgpu
