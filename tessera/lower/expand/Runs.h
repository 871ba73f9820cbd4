// Runs: moves the elements of a small static tensor in accesses as wide as their places allow.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers are memory that LLVM promotes. That only works if no access is wider than 32 bits.
#pragma once

#include "tessera/base/Status.h"
#include "tessera/lower/expand/Expander.h"

namespace tessera::lower {

/// The widest access that every target has, in bits.
constexpr int64_t widestAccess = 128;

/// The elements in the order of the coordinates, each of the tensor's element type.
Result<llvm::SmallVector<mlir::Value>> loadElements(Expander &, const cute::View &);
Result<Done> storeElements(Expander &, const cute::View &, mlir::ValueRange elements);

/// The first `count` values of `type`, which holds one or several adjacent elements: the registers
/// of an instruction, with the same bits.
Result<llvm::SmallVector<mlir::Value>> loadWords(Expander &, const cute::View &, mlir::Type type,
                                                 int64_t count);
Result<Done> storeWords(Expander &, const cute::View &, mlir::ValueRange words);

/// Copies `count` elements in accesses of at most `bits` bits.
Result<Done> copyRun(Expander &, const cute::View &src, const cute::View &dst, int64_t count,
                     int64_t bits);

} // namespace tessera::lower
