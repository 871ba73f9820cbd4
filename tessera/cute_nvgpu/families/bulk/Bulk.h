// Bulk: rules of the bulk atoms beyond their rows.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/cute_nvgpu/AtomForms.h"

namespace tessera::cute_nvgpu {

/// The type as a reduction sees it: and, or and xor take bits. Sums of signed and unsigned 64-bit
/// integers have the same bits, so one type serves both.
atom::ReducedType reducedOf(atom::Reduction, mlir::Type);
/// The row of a bulk reduction into global memory, or into the shared memory of the cluster.
Result<const atom::CopyRow *> bulkReductionRow(bool toCluster, atom::Reduction, mlir::Type element);

/// Checks one side of a bulk copy: contiguous bytes.
llvm::LogicalResult verifyRun(Emitter, mlir::Type atom, llvm::StringRef side, mlir::Type view,
                              int64_t bits);

/// `mask = true`
mlir::ParseResult parseByteMask(mlir::AsmParser &, bool &mask);
void printByteMask(mlir::AsmPrinter &, bool mask);

} // namespace tessera::cute_nvgpu
