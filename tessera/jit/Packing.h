// Packing: values in the layout that LLVM gives their type on x86-64.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mlir/IR/Types.h"
#include "llvm/ADT/ArrayRef.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace tessera::jit {

/// The bytes of a value of `lowered`: an integer, floating-point number, pointer, or a literal
/// struct of such, with natural alignment (System V ABI, AMD64, 3.1.2). `leaves` are its numbers
/// and addresses, depth first; the low bits are taken. Gaps are zero.
std::vector<std::byte> pack(mlir::Type lowered, llvm::ArrayRef<uint64_t> leaves);

/// How many leaves `lowered` has; none if it holds anything that pack() does not know.
std::optional<size_t> leafCount(mlir::Type lowered);

} // namespace tessera::jit
