// Scanner: a cursor over text, for the small notations of this project (layouts, tuples,
// arguments).
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

namespace tessera {

/// Reads tokens from the left. Blanks and tabs before a token are skipped; nothing is copied.
class Scanner {
public:
  explicit Scanner(std::string_view text) : text(text) {}

  /// Offset of the next character in bytes, for error messages.
  size_t position() const { return at; }
  std::string_view rest() const { return text.substr(at); }

  bool atEnd() {
    skipBlanks();
    return at == text.size();
  }

  /// The next character, or 0 at the end.
  char peek() {
    skipBlanks();
    return at < text.size() ? text[at] : '\0';
  }

  /// Consumes `token` if it comes next.
  bool take(std::string_view token) {
    skipBlanks();
    if (text.substr(at, token.size()) != token)
      return false;
    at += token.size();
    return true;
  }

  /// A decimal integer with optional minus sign that fits int64, or nothing (and nothing consumed).
  std::optional<int64_t> takeInteger() {
    skipBlanks();
    size_t p = at;
    bool negative = p < text.size() && text[p] == '-';
    if (negative)
      ++p;
    size_t firstDigit = p;
    uint64_t magnitude = 0;
    const uint64_t limit = uint64_t(std::numeric_limits<int64_t>::max()) + (negative ? 1 : 0);
    for (; p < text.size() && text[p] >= '0' && text[p] <= '9'; ++p) {
      uint64_t digit = uint64_t(text[p] - '0');
      if (magnitude > (limit - digit) / 10)
        return std::nullopt;
      magnitude = magnitude * 10 + digit;
    }
    if (p == firstDigit)
      return std::nullopt;
    at = p;
    return negative ? int64_t(~magnitude + 1) : int64_t(magnitude);
  }

private:
  void skipBlanks() {
    while (at < text.size() && (text[at] == ' ' || text[at] == '\t'))
      ++at;
  }

  std::string_view text;
  size_t at = 0;
};

} // namespace tessera
