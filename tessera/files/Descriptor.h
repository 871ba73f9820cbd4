// Descriptor: an open file that closes itself, read and written whole.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace tessera::files {

class Descriptor {
public:
  Descriptor() = default;
  explicit Descriptor(int number) : number(number) {}
  Descriptor(Descriptor &&from) noexcept : number(std::exchange(from.number, -1)) {}
  Descriptor &operator=(Descriptor &&from) noexcept {
    std::swap(number, from.number);
    return *this;
  }
  ~Descriptor() { close(); }

  explicit operator bool() const { return number >= 0; }
  int get() const { return number; }
  /// Leaves the file open to someone else.
  int release() { return std::exchange(number, -1); }

  /// All bytes from the position on; nothing after an error (errno says which), or where there are
  /// more than `most` (EFBIG). The bytes are read, not mapped: a file that is cut meanwhile is a
  /// short one and no SIGBUS.
  std::optional<std::string> read(uint64_t most = UINT64_MAX) const;
  /// False after an error, of which errno says which; any part may have been written then.
  bool write(std::string_view bytes) const;
  /// False where the last bytes did not reach their place, which NFS says only here.
  bool close();

private:
  int number = -1;
};

} // namespace tessera::files
