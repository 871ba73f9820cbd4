// Elements: which types memory can hold, and the types in which their bits travel.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A pointer or tensor may name any type as its element. Whether code can count such elements, and
// move one, is said here once, and refused at the op that asks for it.
#pragma once

#include "mlir/IR/Builders.h"

namespace tessera::lower {

/// Whether a number of elements is a distance: integers and floats, whose bits are known, and
/// opaque objects of our dialects, such as tensor maps, which count in bytes. A tuple, a complex
/// number or an `index` has no size in memory.
bool isCounted(mlir::Type element);

/// Whether one element can be loaded and stored by itself: an integer or float whose width is a
/// power of two up to 128 bits, for which LLVM has a type or an integer of its bits.
bool isMoved(mlir::Type element);

/// The type in which the bits of an element travel: an integer without a sign of a signed or
/// unsigned one, and of tf32, which lies in memory as 32 bits. Any other type is its own.
mlir::Type carrierOf(mlir::Type element);

/// The same bits in the type that carries them, and back.
mlir::Value asCarrier(mlir::OpBuilder &, mlir::Location, mlir::Value element);
mlir::Value asElement(mlir::OpBuilder &, mlir::Location, mlir::Value carried, mlir::Type element);

/// Refuses, at `op`, to move values of a type, or to count elements of one.
mlir::LogicalResult checkMoved(mlir::Operation *op, mlir::Type element);
mlir::LogicalResult checkCounted(mlir::Operation *op, mlir::Type element);
/// Refuses an op that reaches into memory whose elements it cannot count or move. Any other op is
/// accepted.
mlir::LogicalResult checkAccess(mlir::Operation *op);

} // namespace tessera::lower
