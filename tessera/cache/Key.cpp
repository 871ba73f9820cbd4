// Hashes of parts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cache/Key.h"

#include "tessera/files/Descriptor.h"

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

namespace tessera::cache {

Digest digestOf(std::string_view text) {
  llvm::BLAKE3 hasher;
  hasher.update(llvm::StringRef(text));
  return hasher.final();
}

std::optional<Digest> digestOfFile(const std::string &path) {
  files::Descriptor file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  llvm::BLAKE3 hasher;
  std::array<uint8_t, size_t(1) << 16> piece;
  while (file) {
    ssize_t got = ::read(file.get(), piece.data(), piece.size());
    if (got == 0)
      return hasher.final();
    if (got > 0)
      hasher.update(llvm::ArrayRef(piece.data(), size_t(got)));
    else if (errno != EINTR)
      break;
  }
  return std::nullopt;
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
