// Numbers as sentences show them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/sim/Errors.h"

#include <charconv>

namespace tessera::sim {

std::string hex(uint64_t value) {
  char buffer[16];
  auto [end, error] = std::to_chars(buffer, buffer + sizeof(buffer), value, 16);
  return cat("0x", std::string_view(buffer, size_t(end - buffer)));
}

} // namespace tessera::sim
