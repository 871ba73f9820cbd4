// Elements of constants: packing of booleans, splats, types with odd sizes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/tile_bytecode/Constants.h"

#include <gtest/gtest.h>

using namespace tessera::tile_bytecode;

namespace {

struct Case {
  TypeKind kind;
  std::vector<int64_t> shape;
  std::string bytes;
  std::vector<uint64_t> codes;
};
const Case cases[] = {
    {TypeKind::I32, {}, {"\x05\0\0\0", 4}, {5}},
    {TypeKind::I16, {4}, {"\x01\x02", 2}, {0x201, 0x201, 0x201, 0x201}},
    {TypeKind::I8, {2}, "\x01\xff", {1, 255}},
    {TypeKind::I1, {4}, "\xff", {1, 1, 1, 1}},
    {TypeKind::I1, {4}, "\x05", {1, 0, 1, 0}},
    {TypeKind::I1, {16}, {"\x01\x80", 2}, {1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}},
    // 1.0 and -2.0 as the upper 19 bits of f32.
    {TypeKind::TF32, {2}, {"\x00\xfc\x01\x00\x00\x06", 6}, {0x3f800000, 0xc0000000}},
    {TypeKind::F4E2M1FN, {2}, "\x07\x0f", {7, 15}},
    {TypeKind::F64, {}, {"\0\0\0\0\0\0\xf0\x3f", 8}, {0x3ff0000000000000}},
};

} // namespace

TEST(Constants, HaveTheElementsOfTheirBytes) {
  for (const Case &c : cases) {
    Program program;
    Interner interner(program);
    Type tile{.kind = TypeKind::Tile, .element = interner.type({.kind = c.kind}), .shape = c.shape};
    Index constant = interner.constant(c.bytes);
    EXPECT_EQ(constantCodes(program, constant, tile), c.codes) << rowOf(c.kind).text;
    EXPECT_EQ(constantBytes(program, c.codes, tile), c.bytes) << rowOf(c.kind).text;
  }
}
