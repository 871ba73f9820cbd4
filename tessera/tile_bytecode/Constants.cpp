// Elements of constants, from and to their bytes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/tile_bytecode/Constants.h"

#include <algorithm>
#include <cstring>

namespace tessera::tile_bytecode {

namespace {

/// Zeros below the 19 bits of tf32 where it is held as an f32.
constexpr unsigned tf32Zeros = 13;

uint64_t mask(unsigned bits) { return bits < 64 ? (uint64_t(1) << bits) - 1 : ~uint64_t(0); }

std::vector<uint64_t> booleans(std::string_view bytes, size_t count) {
  auto first = static_cast<unsigned char>(bytes[0]);
  if (bytes.size() == 1 && (first == 0xff || first == 0))
    return std::vector<uint64_t>(count, first != 0);
  std::vector<uint64_t> out(count);
  for (size_t i = 0; i < count && i / 8 < bytes.size(); ++i)
    out[i] = static_cast<unsigned char>(bytes[i / 8]) >> i % 8 & 1;
  return out;
}

} // namespace

std::vector<uint64_t> constantCodes(const Program &program, Index constant, const Type &tile) {
  std::string_view bytes = program.constants[constant];
  TypeKind kind = program.type(tile.element).kind;
  size_t count = size_t(elementsOf(tile));
  if (kind == TypeKind::I1)
    return booleans(bytes, count);
  size_t width = constantBytes(kind);
  std::vector<uint64_t> out(count);
  size_t given = std::min(bytes.size() / width, count);
  for (size_t i = 0; i < given; ++i) {
    uint64_t code = 0;
    std::memcpy(&code, bytes.data() + i * width, width);
    out[i] = kind == TypeKind::TF32 ? code << tf32Zeros : code & mask(rowOf(kind).bits);
  }
  if (given == 1)
    std::fill(out.begin(), out.end(), out[0]);
  return out;
}

std::string constantBytes(const Program &program, const std::vector<uint64_t> &codes,
                          const Type &tile) {
  TypeKind kind = program.type(tile.element).kind;
  bool isSplat =
      std::adjacent_find(codes.begin(), codes.end(), std::not_equal_to<>()) == codes.end();
  if (kind == TypeKind::I1 && isSplat)
    return std::string(1, codes[0] ? '\xff' : '\0');
  if (kind == TypeKind::I1) {
    std::string out((codes.size() + 7) / 8, '\0');
    for (size_t i = 0; i < codes.size(); ++i)
      out[i / 8] = char(out[i / 8] | int(codes[i] & 1) << i % 8);
    return out;
  }
  size_t width = constantBytes(kind);
  std::string out;
  for (size_t i = 0; i < (isSplat ? 1 : codes.size()); ++i) {
    uint64_t code = kind == TypeKind::TF32 ? codes[i] >> tf32Zeros : codes[i];
    out.append(reinterpret_cast<const char *>(&code), width);
  }
  return out;
}

} // namespace tessera::tile_bytecode
