// The sentences of import/, from Diagnostics.def.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/import/Diagnostics.h"

namespace tessera::import {

namespace {
struct Sentence {
  llvm::StringLiteral text, help;
};
constexpr Sentence sentences[] = {
#define DIAGNOSTIC(id, text, help) {text, help},
#include "tessera/import/Diagnostics.def"
#undef DIAGNOSTIC
};
} // namespace

llvm::StringRef text(Diag diag) { return sentences[size_t(diag)].text; }
llvm::StringRef help(Diag diag) { return sentences[size_t(diag)].help; }

} // namespace tessera::import
