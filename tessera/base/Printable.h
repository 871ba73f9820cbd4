// printable: text of others in a form that is safe for a terminal.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tessera {

namespace detail {
/// The length of the UTF-8 sequence that begins a text, and is whole and no control character; else
/// 0. Unicode 16.0, table 3-7.
constexpr size_t printableLength(std::string_view text) {
  auto byte = [&](size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  auto follows = [&](size_t i, unsigned least = 0x80, unsigned most = 0xbf) {
    return byte(i) >= least && byte(i) <= most;
  };
  unsigned first = byte(0);
  if (first < 0x80)
    return (first >= 0x20 && first != 0x7f) || first == '\n' || first == '\t';
  if (first == 0xc2)
    return follows(1, 0xa0) ? 2 : 0; // below are the controls U+0080 to U+009F
  if (first >= 0xc3 && first <= 0xdf)
    return follows(1) ? 2 : 0;
  if (first >= 0xe0 && first <= 0xef)
    return follows(1, first == 0xe0 ? 0xa0 : 0x80, first == 0xed ? 0x9f : 0xbf) && follows(2) ? 3
                                                                                              : 0;
  if (first >= 0xf0 && first <= 0xf4)
    return follows(1, first == 0xf0 ? 0x90 : 0x80, first == 0xf4 ? 0x8f : 0xbf) && follows(2) &&
                   follows(3)
               ? 4
               : 0;
  return 0;
}
} // namespace detail

/// Control characters other than line ends and tabs, and bytes that are not UTF-8, become `\x1b`
/// and the like, so that a file cannot steer the terminal that shows a message about it.
inline std::string printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    size_t length = detail::printableLength(text);
    if (length) {
      out += text.substr(0, length);
    } else {
      constexpr char digits[] = "0123456789abcdef";
      auto byte = static_cast<unsigned char>(text[0]);
      out += {'\\', 'x', digits[byte >> 4], digits[byte & 15]};
      length = 1;
    }
    text.remove_prefix(length);
  }
  return out;
}

} // namespace tessera
