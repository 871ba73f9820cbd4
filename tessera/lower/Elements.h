// Elements: the element types that memory can hold, and the types in which their bits are moved.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A pointer or tensor may name any type as its element. This is the only place that decides whether
// code can count such elements, and move one. Other types are refused at the op that needs them.
#pragma once

#include "mlir/IR/Builders.h"

namespace tessera::lower {

/// Whether a number of elements is a distance in memory: for integers and floats, whose width is
/// known, and opaque objects of our dialects, such as tensor maps, which count in bytes. A tuple, a
/// complex number or an `index` has no size in memory.
bool isCounted(mlir::Type element);

/// Whether one element can be loaded and stored by itself: an integer or float whose width is a
/// power of two up to 128 bits, for which LLVM has a type or an integer of its bits.
bool isMoved(mlir::Type element);

/// The type in which the bits of an element are moved: a signless integer for a signed or unsigned
/// one, and for tf32, which takes 32 bits in memory. Any other type is its own carrier.
mlir::Type carrierOf(mlir::Type element);

/// The same bits in the carrier type, and back.
mlir::Value asCarrier(mlir::OpBuilder &, mlir::Location, mlir::Value element);
mlir::Value asElement(mlir::OpBuilder &, mlir::Location, mlir::Value carried, mlir::Type element);

/// Refuses, at `op`, a type whose values cannot be moved, or whose elements cannot be counted.
mlir::LogicalResult checkMoved(mlir::Operation *op, mlir::Type element);
mlir::LogicalResult checkCounted(mlir::Operation *op, mlir::Type element);
/// Refuses an op that accesses memory whose elements it cannot count or move. Accepts any other op.
mlir::LogicalResult checkAccess(mlir::Operation *op);

} // namespace tessera::lower
