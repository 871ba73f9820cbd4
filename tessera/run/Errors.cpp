// Numbers and text as sentences show them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/run/Errors.h"

#include <charconv>

namespace tessera::run {

Reason prefixed(std::string_view words, Reason reason) {
  return {reason.id, cat(words, reason.text)};
}

std::string hex(uint64_t value) {
  char buffer[16];
  auto [end, error] = std::to_chars(buffer, buffer + sizeof(buffer), value, 16);
  return cat("0x", std::string_view(buffer, size_t(end - buffer)));
}

std::string tuple(std::span<const int64_t> numbers) {
  std::string out = "(";
  for (size_t i = 0; i < numbers.size(); ++i)
    out += cat(i ? ", " : "", numbers[i]);
  return out + ")";
}

} // namespace tessera::run
