// Facts: what is known of the scalars of a tile program before it runs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mlir/IR/Value.h"

namespace tessera::tile_lower {

/// A power of two of which a scalar is a multiple, from constants, assumptions and arithmetic; of
/// a pointer in bytes. 1 where nothing is known, at most 2^20.
int64_t divisorOf(mlir::Value scalar);
/// Whether a scalar is sure to be at least zero and below 2^31, with and without a sign.
bool isSmall(mlir::Value scalar);

/// Whether all elements of a tile are this number, by the constant that it is made of.
bool isEverywhere(mlir::Value tile, double number);

} // namespace tessera::tile_lower
