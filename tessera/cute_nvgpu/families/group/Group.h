// Group: rules of the atoms of a warpgroup beyond their rows.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/cute_nvgpu/AtomForms.h"

namespace tessera::cute_nvgpu {

/// A product of a warpgroup can negate operands only if they are floats.
llvm::LogicalResult groupGate(Emitter, const MmaForm &);

/// The matrix descriptors of a partition, one for each matrix, with offsets in units of 16 bytes.
Result<mlir::Type> descriptorFragment(mlir::Type partition);

/// `, overflow = satfinite, neg_a = true, neg_b = true`, all optional; then `binary_op = and_popc`,
/// if the atom has it.
mlir::ParseResult parseSm90Options(mlir::AsmParser &, atom::Overflow &, bool &negA, bool &negB);
mlir::ParseResult parseSm90Options(mlir::AsmParser &, atom::Overflow &, bool &negA, bool &negB,
                                   atom::BitOp &);
void printSm90Options(mlir::AsmPrinter &, atom::Overflow, bool negA, bool negB,
                      atom::BitOp = atom::BitOp::None);

} // namespace tessera::cute_nvgpu
