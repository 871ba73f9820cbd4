// Diagnostics of the `cuda_tile` dialect: the rows of Diagnostics.def.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/base/Sentence.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Operation.h"
#include "llvm/Support/raw_ostream.h"

namespace tessera::cuda_tile {

enum class Diag : uint8_t {
#define DIAGNOSTIC(id, text) id,
#include "tessera/cuda_tile/Diagnostics.def"
#undef DIAGNOSTIC
};

inline constexpr Sentence diagnostics[] = {
#define DIAGNOSTIC(id, text) {#id, text},
#include "tessera/cuda_tile/Diagnostics.def"
#undef DIAGNOSTIC
};

namespace detail {
/// Numbers of a shape, `2, 4`.
std::string shown(llvm::ArrayRef<int64_t> numbers);
/// Types as diagnostics show several: `'a', 'b'`.
std::string shown(mlir::TypeRange types);
template <class T> std::string shown(const T &piece) {
  std::string out;
  llvm::raw_string_ostream(out) << piece;
  return out;
}
} // namespace detail

/// The row's sentence with {0}, {1}, ... replaced.
template <class... Pieces> std::string sentence(Diag diag, const Pieces &...pieces) {
  return filled(diagnostics[size_t(diag)].text, {detail::shown(pieces)...});
}
/// Reports at the op and fails: `return refuse(*this, Diag::JoinTwo);`
template <class... Pieces>
llvm::LogicalResult refuse(mlir::Operation *op, Diag diag, const Pieces &...pieces) {
  return op->emitOpError() << sentence(diag, pieces...);
}

} // namespace tessera::cuda_tile
