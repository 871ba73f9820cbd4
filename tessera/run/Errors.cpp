// Fills in the sentences of Errors.def and writes the numbers in them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/run/Errors.h"

#include <charconv>
#include <cmath>

namespace tessera::run {

namespace {
struct Row {
  std::string_view name, text;
};
constexpr Row rows[] = {
#define ERROR(id, text) {#id, text},
#include "tessera/run/Errors.def"
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

Reason prefixed(std::string_view words, Reason reason) {
  return {reason.id, cat(words, reason.text)};
}

std::string decimal(double value) {
  char buffer[32];
  bool integer = std::fabs(value) < 1e15 && value == std::trunc(value); // 100000 rather than 1e+05
  auto [end, error] = integer ? std::to_chars(buffer, buffer + sizeof(buffer), int64_t(value))
                              : std::to_chars(buffer, buffer + sizeof(buffer), value);
  return cat(integer && value == 0 && std::signbit(value) ? "-" : "",
             std::string_view(buffer, size_t(end - buffer)));
}

std::string hex(uint64_t value) {
  char buffer[16];
  auto [end, error] = std::to_chars(buffer, buffer + sizeof(buffer), value, 16);
  return cat("0x", std::string_view(buffer, size_t(end - buffer)));
}

std::string printable(std::string_view text) {
  std::string out;
  for (char c : text) {
    unsigned byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7F)
      out += c;
    else
      out += cat("\\x", "0123456789abcdef"[byte >> 4], "0123456789abcdef"[byte & 15]);
  }
  return out;
}

std::string tuple(std::span<const int64_t> numbers) {
  std::string out = "(";
  for (size_t i = 0; i < numbers.size(); ++i)
    out += cat(i ? ", " : "", numbers[i]);
  return out + ")";
}

} // namespace tessera::run
