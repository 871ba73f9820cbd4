// Diagnostics of the `cute_nvgpu` dialect: the rows of Diagnostics.def.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/cute/Diagnostics.h"

namespace tessera::cute_nvgpu {

enum class Diag : uint8_t {
#define DIAGNOSTIC(id, text) id,
#include "tessera/cute_nvgpu/Diagnostics.def"
#undef DIAGNOSTIC
};

inline constexpr Sentence diagnostics[] = {
#define DIAGNOSTIC(id, text) {#id, text},
#include "tessera/cute_nvgpu/Diagnostics.def"
#undef DIAGNOSTIC
};

/// The sentence of a row, with {0}, {1}, ... replaced.
template <class... Pieces> std::string sentence(Diag diag, const Pieces &...pieces) {
  return filled(diagnostics[size_t(diag)].text, {cute::detail::shown(pieces)...});
}
/// The same as a reason.
template <class... Pieces> Reason reason(Diag diag, const Pieces &...pieces) {
  return {diagnostics[size_t(diag)].id, sentence(diag, pieces...)};
}
/// Reports at the op and fails.
template <class... Pieces>
llvm::LogicalResult refuse(mlir::Operation *op, Diag diag, const Pieces &...pieces) {
  return op->emitOpError() << sentence(diag, pieces...);
}

} // namespace tessera::cute_nvgpu
