// Fills in the sentences of Diagnostics.def.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute/Diagnostics.h"

#include "tessera/layout/Text.h"

using namespace tessera;

namespace {
struct Row {
  llvm::StringLiteral name, text;
};
constexpr Row rows[] = {
#define DIAGNOSTIC(id, text) {#id, text},
#include "tessera/cute/Diagnostics.def"
#undef DIAGNOSTIC
};
} // namespace

llvm::StringRef cute::name(Diag diag) { return rows[size_t(diag)].name; }
llvm::StringRef cute::text(Diag diag) { return rows[size_t(diag)].text; }

std::string cute::detail::fill(llvm::StringRef text, llvm::ArrayRef<std::string> pieces) {
  std::string out;
  while (!text.empty()) {
    bool hole = text.size() > 2 && text[0] == '{' && text[2] == '}';
    if (!hole) {
      out += text[0];
      text = text.drop_front();
      continue;
    }
    size_t index = size_t(text[1] - '0');
    if (index < pieces.size())
      out += pieces[index];
    text = text.drop_front(3);
  }
  return out;
}

std::string cute::detail::shown(const layout::Tree &tree) { return layout::str(tree); }
std::string cute::detail::shown(const layout::AnyLayout &l) { return layout::str(l); }
