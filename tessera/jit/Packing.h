// Packing: the layout that LLVM gives values of a type on x86-64.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/run/Parameter.h"

#include "mlir/IR/Types.h"

#include <optional>

namespace tessera::jit {

/// Where the numbers and addresses of a value of `lowered` lie, depth first: an integer,
/// floating-point number, pointer, or a literal struct of such, with natural alignment (System V
/// ABI, AMD64, 3.1.2). None if it holds anything else.
std::optional<run::Packing> packingOf(mlir::Type lowered);

} // namespace tessera::jit
