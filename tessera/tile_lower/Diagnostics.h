// Diagnostics of the lowering of tile programs: the rows of Diagnostics.def.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/base/Sentence.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Operation.h"
#include "llvm/Support/raw_ostream.h"

namespace tessera::tile_lower {

enum class Diag : uint8_t {
#define DIAGNOSTIC(id, text) id,
#include "tessera/tile_lower/Diagnostics.def"
#undef DIAGNOSTIC
};

inline constexpr Sentence diagnostics[] = {
#define DIAGNOSTIC(id, text) {#id, text},
#include "tessera/tile_lower/Diagnostics.def"
#undef DIAGNOSTIC
};

/// A piece of a sentence as text.
template <class T> std::string shown(const T &piece) {
  std::string out;
  llvm::raw_string_ostream(out) << piece;
  return out;
}

/// An op without a location, as bytecode without debug information has none: " (in kernel 'add':
/// %3 = iota : tile<8xi32>)", with the names that the whole program has when it is printed. Empty
/// for an op with a location.
std::string placeWithoutLocation(mlir::Operation *);

/// Reports at the op and fails: `return refuse(op, Diag::NotLowered);`
template <class... Pieces>
llvm::LogicalResult refuse(mlir::Operation *op, Diag diag, const Pieces &...pieces) {
  return op->emitOpError() << filled(diagnostics[size_t(diag)].text, {shown(pieces)...})
                           << placeWithoutLocation(op);
}

} // namespace tessera::tile_lower
