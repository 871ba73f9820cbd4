// Fills in the sentences of Errors.def.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/atom/Errors.h"

namespace tessera::atom {

namespace {
struct Row {
  std::string_view id, text;
};
constexpr Row rows[] = {
#define ERROR(id, text) {#id, text},
#include "tessera/atom/Errors.def"
#undef ERROR
};
} // namespace

Reason detail::fill(Error error, std::initializer_list<std::string> pieces) {
  const Row &row = rows[size_t(error)];
  std::string out;
  for (size_t i = 0; i < row.text.size(); ++i) {
    bool hole = row.text[i] == '{' && i + 2 < row.text.size() && row.text[i + 2] == '}';
    if (!hole) {
      out += row.text[i];
      continue;
    }
    size_t index = size_t(row.text[i + 1] - '0');
    if (index < pieces.size())
      out += pieces.begin()[index];
    i += 2;
  }
  return {row.id, std::move(out)};
}

} // namespace tessera::atom
