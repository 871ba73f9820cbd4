// Which orderings and scopes loads and stores may have, and what a load does.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/cuda_tile/CudaTile.h"

namespace tessera::cuda_tile {

/// Weak without a scope; relaxed or `third` with one. `what` is "load" or "store".
llvm::LogicalResult verifyOrder(mlir::Operation *op, llvm::StringRef what,
                                MemoryOrderingSemantics order, std::optional<MemoryScope> scope,
                                MemoryOrderingSemantics third);
void addLoadEffects(
    MemoryOrderingSemantics order,
    llvm::SmallVectorImpl<mlir::SideEffects::EffectInstance<mlir::MemoryEffects::Effect>> &effects);

/// What mode an atomic update may have for elements of a type.
llvm::LogicalResult verifyMode(mlir::Operation *op, AtomicRMWMode mode, mlir::Type element);

} // namespace tessera::cuda_tile
