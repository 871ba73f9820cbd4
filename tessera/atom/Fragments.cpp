// Reads the texts of Fragments.def and fills in their letters.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/atom/Fragments.h"

#include "tessera/layout/Text.h"

#include <cassert>
#include <cctype>

namespace tessera::atom {

namespace {
constexpr FragmentRow table[] = {
#define FRAGMENT(id, text, source) {Fragment::id, #id, text, source},
#include "tessera/atom/Fragments.def"
#undef FRAGMENT
};

bool isLetter(char c) { return c >= 'A' && c <= 'Z'; }
bool isDigit(char c) { return std::isdigit(static_cast<unsigned char>(c)); }

int64_t valueOf(char letter, const Extents &extents) {
  switch (letter) {
  case 'M': return extents.m;
  case 'N': return extents.n;
  case 'K': return extents.k;
  case 'B': return extents.bits;
  case 'R': return extents.repeat;
  case 'C': return extents.ctas;
  }
  assert(false && "a fragment's text has an unknown letter");
  return 1;
}

/// A factor, or factors joined by * and / from the left, at `at`; moves `at` after it.
int64_t evaluate(std::string_view text, size_t &at, const Extents &extents) {
  int64_t value = 1;
  char op = '*';
  for (;;) {
    int64_t factor = 0;
    if (isLetter(text[at]))
      factor = valueOf(text[at++], extents);
    else
      while (at < text.size() && isDigit(text[at]))
        factor = factor * 10 + (text[at++] - '0');
    value = op == '*' ? value * factor : value / factor;
    if (at == text.size() || (text[at] != '*' && text[at] != '/'))
      return value;
    op = text[at++];
  }
}
} // namespace

std::span<const FragmentRow> fragments() { return table; }
const FragmentRow &row(Fragment fragment) { return table[size_t(fragment)]; }

std::string text(Fragment fragment, const Extents &extents) {
  std::string_view pattern = row(fragment).text;
  std::string out;
  for (size_t at = 0; at < pattern.size();) {
    if (isLetter(pattern[at]) || isDigit(pattern[at]))
      out += std::to_string(evaluate(pattern, at, extents));
    else
      out += pattern[at++];
  }
  return out;
}

layout::Layout layoutOf(Fragment fragment, const Extents &extents) {
  Result<layout::Layout> parsed = layout::parseLayout(text(fragment, extents));
  assert(parsed && "a fragment's text is not a layout");
  return *std::move(parsed);
}

} // namespace tessera::atom
