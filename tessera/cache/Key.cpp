// Hashes of parts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cache/Key.h"

namespace tessera::cache {

Digest digestOf(std::string_view text) {
  llvm::BLAKE3 hasher;
  hasher.update(llvm::StringRef(text));
  return hasher.final();
}

std::string Key::hex() const {
  std::string text;
  for (uint8_t byte : bytes)
    for (int digit : {byte >> 4, byte & 15})
      text += "0123456789abcdef"[digit];
  return text;
}

KeyOf::KeyOf(std::string_view kind, std::string_view build) {
  add("kind", kind);
  add("build", build);
}

KeyOf &KeyOf::add(std::string_view name, std::string_view value) {
  for (std::string_view text : {name, value}) {
    uint64_t length = text.size();
    hasher.update(llvm::ArrayRef(reinterpret_cast<const uint8_t *>(&length), sizeof(length)));
    hasher.update(llvm::StringRef(text));
  }
  return *this;
}

KeyOf &KeyOf::add(std::string_view name, int64_t value) { return add(name, std::to_string(value)); }

Key KeyOf::key() const {
  llvm::BLAKE3 copy = hasher; // final() is not const
  return Key{copy.final()};
}

} // namespace tessera::cache
