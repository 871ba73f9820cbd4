// Bytes of bytecode, put together by hand from the description of the format.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

namespace tessera::tile_bytecode::test {

inline std::string bytes(std::initializer_list<int> all) {
  std::string out;
  for (int b : all)
    out += char(b);
  return out;
}
inline std::span<const std::byte> spanOf(const std::string &text) {
  return std::as_bytes(std::span(text));
}
inline std::string varint(uint64_t n) {
  std::string out;
  for (; n > 127; n >>= 7)
    out += char(n | 128);
  return out + char(n);
}
inline void pad(std::string &out, size_t alignment) {
  while (out.size() % alignment)
    out += '\xcb';
}

/// A file of sections, each with its number, alignment and content.
struct File {
  struct Part {
    int id;
    size_t alignment; // 1: none
    std::string content;
  };
  std::string head = std::string("\x7fTileIR\0", 8) + bytes({13, 1, 0, 0});
  std::vector<Part> parts;

  std::string make() const {
    std::string out = head;
    for (const Part &part : parts) {
      out += char(part.id | (part.alignment > 1 ? 0x80 : 0));
      out += varint(part.content.size());
      if (part.alignment > 1) {
        out += varint(part.alignment);
        pad(out, part.alignment);
      }
      out += part.content;
    }
    return out + '\0';
  }
};
/// A table with offsets of `width` bytes.
inline std::string table(size_t width, const std::vector<std::string> &entries) {
  std::string out = varint(entries.size()), data;
  pad(out, width);
  for (const std::string &entry : entries) {
    for (size_t i = 0; i < width; ++i)
      out += char(i < 8 ? data.size() >> (8 * i) : 0);
    data += entry;
  }
  return out + data;
}
/// entry @k(%0: tile<i32>) { %1 = constant <i32: 5>; %2 = addi %0, %1; return }, 13.1.
inline File smallFile() {
  std::string tile = bytes({13, 0, 0}); // of type 0, without extents
  // name 0, type 2, entry, no locations, body
  std::string body = bytes({16, 1, 0, 3, 1, 0, 0, 1, 92, 0, 0});
  std::string function = bytes({1, 0, 2, 2, 0}) + varint(body.size()) + body;
  return {.parts = {{2, 8, function},
                    {4, 8, table(8, {bytes({4, 5, 0, 0, 0})})},
                    {5, 4, table(4, {bytes({3}), tile, bytes({16, 1, 1, 0})})},
                    {1, 4, table(4, {"k"})}}};
}

} // namespace tessera::tile_bytecode::test
