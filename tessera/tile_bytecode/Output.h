// Output: appends numbers of bytecode to a text of bytes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace tessera::tile_bytecode {

class Output {
public:
  std::string bytes;

  void byte(unsigned value) { bytes.push_back(char(value)); }
  void varint(uint64_t value) {
    for (; value >= 0x80; value >>= 7)
      byte(unsigned(value & 0x7f) | 0x80);
    byte(unsigned(value));
  }
  void signedVarint(int64_t value) { varint(uint64_t(value) << 1 ^ uint64_t(value >> 63)); }
  template <class N> void fixed(N value) {
    bytes.append(reinterpret_cast<const char *>(&value), sizeof value); // the host is little-endian
  }
  template <class N, class Numbers> void list(const Numbers &numbers) {
    varint(numbers.size());
    for (auto n : numbers)
      fixed(N(n));
  }
  void append(std::string_view more) { bytes.append(more); }
  void pad(size_t alignment) {
    while (bytes.size() % alignment)
      bytes.push_back(char(0xcb));
  }
};

} // namespace tessera::tile_bytecode
