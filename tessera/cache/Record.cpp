// Texts with their lengths.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cache/Record.h"

#include <cstdint>
#include <cstring>

namespace tessera::cache {

std::string pack(const std::vector<std::string_view> &parts) {
  std::string packed;
  for (std::string_view part : parts) {
    uint64_t length = part.size();
    packed.append(reinterpret_cast<const char *>(&length), sizeof(length));
    packed += part;
  }
  return packed;
}

std::optional<std::vector<std::string>> unpack(std::string_view packed) {
  std::vector<std::string> parts;
  while (!packed.empty()) {
    uint64_t length;
    if (packed.size() < sizeof(length))
      return std::nullopt;
    std::memcpy(&length, packed.data(), sizeof(length));
    packed.remove_prefix(sizeof(length));
    if (length > packed.size())
      return std::nullopt;
    parts.emplace_back(packed.substr(0, length));
    packed.remove_prefix(length);
  }
  return parts;
}

} // namespace tessera::cache
