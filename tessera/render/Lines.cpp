// Widths and line breaks of UTF-8.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/render/Lines.h"

#include <algorithm>

namespace tessera::render {

int columns(std::string_view text) {
  return int(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

std::vector<std::string> wrapped(std::string_view text, int width) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    std::string_view word = text.substr(0, text.find(' '));
    if (lines.empty() || columns(lines.back()) + 1 + columns(word) > width)
      lines.emplace_back(word);
    else
      (lines.back() += ' ') += word;
    text.remove_prefix(std::min(word.size() + 1, text.size()));
  }
  return lines;
}

} // namespace tessera::render
