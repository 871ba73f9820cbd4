// Bytes: a host buffer whose allocation may fail with a reason; reading and writing whole files.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/run/Errors.h"

#include <cstddef>
#include <memory>

namespace tessera::run {

/// A move-only buffer of bytes, aligned for every arithmetic type. If a user asks for more memory
/// than there is, std::vector would throw; this returns a reason.
class Bytes {
public:
  Bytes() = default;

  /// `size` zero bytes, or the reason (with the size in bytes) why there is no memory for them.
  static Result<Bytes> zeros(size_t size);

  std::byte *data() { return memory.get(); }
  const std::byte *data() const { return memory.get(); }
  size_t size() const { return count; }
  std::span<std::byte> span() { return {data(), size()}; }
  std::span<const std::byte> span() const { return {data(), size()}; }

private:
  struct Free {
    void operator()(std::byte *) const;
  };
  std::unique_ptr<std::byte[], Free> memory;
  size_t count = 0;
};

/// The bytes of a string, for interfaces that take bytes.
inline std::span<const std::byte> bytesOf(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

/// The largest file, in bytes, that is read as a program, and as an array.
constexpr uint64_t mostProgramBytes = uint64_t(1) << 30, mostArrayBytes = uint64_t(1) << 36;

/// The whole content of a regular file of at most `most` bytes. Reasons name the path and the
/// system's message.
Result<Bytes> readFile(const std::string &path, uint64_t most);

/// Creates or overwrites `path` with the pieces, one after the other.
Status writeFile(const std::string &path, std::initializer_list<std::span<const std::byte>> pieces);

} // namespace tessera::run
