// Diagnostics of the `cute` dialect: the rows of Diagnostics.def.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/base/Sentence.h"
#include "tessera/layout/Layout.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Operation.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

namespace tessera::cute {

enum class Diag : uint8_t {
#define DIAGNOSTIC(id, text) id,
#include "tessera/cute/Diagnostics.def"
#undef DIAGNOSTIC
};

inline constexpr Sentence diagnostics[] = {
#define DIAGNOSTIC(id, text) {#id, text},
#include "tessera/cute/Diagnostics.def"
#undef DIAGNOSTIC
};

namespace detail {
std::string shown(const layout::Tree &);
std::string shown(const layout::AnyLayout &);
template <class T> std::string shown(const T &piece) {
  std::string out;
  llvm::raw_string_ostream(out) << piece;
  return out;
}
} // namespace detail

/// The sentence of a row, with {0}, {1}, ... replaced.
template <class... Pieces> std::string sentence(Diag diag, const Pieces &...pieces) {
  return filled(diagnostics[size_t(diag)].text, {detail::shown(pieces)...});
}
/// Reports at the op and fails: `return refuse(*this, Diag::PredSpace);`
template <class... Pieces>
llvm::LogicalResult refuse(mlir::Operation *op, Diag diag, const Pieces &...pieces) {
  return op->emitOpError() << sentence(diag, pieces...);
}

} // namespace tessera::cute
