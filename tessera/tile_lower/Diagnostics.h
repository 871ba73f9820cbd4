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

/// Reports at the op and fails: `return refuse(op, Diag::NotLowered);`
template <class... Pieces>
llvm::LogicalResult refuse(mlir::Operation *op, Diag diag, const Pieces &...pieces) {
  return op->emitOpError() << filled(diagnostics[size_t(diag)].text, {shown(pieces)...});
}

} // namespace tessera::tile_lower
