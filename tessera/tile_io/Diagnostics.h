// Diagnostics of tile_io: the rows of Diagnostics.def.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/base/Sentence.h"

#include "llvm/Support/raw_ostream.h"

namespace tessera::tile_io {

enum class Diag : uint8_t {
#define DIAGNOSTIC(id, text) id,
#include "tessera/tile_io/Diagnostics.def"
#undef DIAGNOSTIC
};

inline constexpr Sentence diagnostics[] = {
#define DIAGNOSTIC(id, text) {#id, text},
#include "tessera/tile_io/Diagnostics.def"
#undef DIAGNOSTIC
};

/// The row's sentence with {0} replaced.
template <class... Pieces> std::string sentence(Diag diag, const Pieces &...pieces) {
  auto shown = [](const auto &piece) {
    std::string out;
    llvm::raw_string_ostream(out) << piece;
    return out;
  };
  return filled(diagnostics[size_t(diag)].text, {shown(pieces)...});
}

} // namespace tessera::tile_io
