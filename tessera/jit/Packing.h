// Packing: the layout of values on x86-64, as LLVM has it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/run/Parameter.h"

#include "mlir/IR/Types.h"

#include <optional>

namespace tessera::jit {

/// The places of the numbers and addresses in a value of `lowered`, depth first. The type is an
/// integer, floating-point number, pointer, or a literal struct of such types, with natural
/// alignment (System V ABI, AMD64, 3.1.2). None for any other type.
std::optional<run::Packing> packingOf(mlir::Type lowered);

} // namespace tessera::jit
