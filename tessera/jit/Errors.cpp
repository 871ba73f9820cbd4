// Fills in the sentences of Errors.def.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/jit/Errors.h"

namespace tessera::jit {

namespace {
struct Row {
  std::string_view name, text;
};
constexpr Row rows[] = {
#define ERROR(id, text) {#id, text},
#include "tessera/jit/Errors.def"
#undef ERROR
};
} // namespace

std::string_view name(Error error) { return rows[size_t(error)].name; }
std::string_view text(Error error) { return rows[size_t(error)].text; }

Reason detail::fill(Error error, std::initializer_list<std::string> pieces) {
  std::string_view pattern = text(error);
  std::string out;
  for (size_t i = 0; i < pattern.size(); ++i) {
    bool hole = pattern[i] == '{' && i + 2 < pattern.size() && pattern[i + 2] == '}';
    if (!hole) {
      out += pattern[i];
      continue;
    }
    size_t index = size_t(pattern[i + 1] - '0');
    if (index < pieces.size())
      out += pieces.begin()[index];
    i += 2;
  }
  return {name(error), std::move(out)};
}

} // namespace tessera::jit
