// Key: the name of something in the cache, a hash of all that it depends on.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/cache/BuildId.h"

#include "llvm/Support/BLAKE3.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tessera::cache {

/// BLAKE3-256. Inputs with the same key are taken to be the same, so the hash has to withstand
/// collisions.
using Digest = std::array<uint8_t, 32>;
Digest digestOf(std::string_view);
/// The digest of a file's content, read in pieces; nothing if it cannot be read.
std::optional<Digest> digestOfFile(const std::string &path);

struct Key {
  Digest bytes{};
  /// 64 lower-case hexadecimal digits.
  std::string hex() const;
  friend bool operator==(const Key &, const Key &) = default;
};

/// Collects the parts that a result depends on. Each has a name and a length before its value, so
/// that different lists of parts are different bytes. The program that makes the result is always
/// one of them.
class KeyOf {
public:
  /// `kind` says what is kept, such as "ptx": results of different kinds never share a key.
  explicit KeyOf(std::string_view kind, std::string_view build = buildId());

  KeyOf &add(std::string_view name, std::string_view value);
  KeyOf &add(std::string_view name, int64_t value);
  /// The key of the parts so far.
  Key key() const;

private:
  llvm::BLAKE3 hasher;
};

} // namespace tessera::cache
