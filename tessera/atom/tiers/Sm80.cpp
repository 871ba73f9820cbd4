// Rows of Ampere: products of a warp in f16, bf16, tf32, f64, 8, 4 and 1 bit, and cp.async.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/atom/tiers/Tiers.h"

namespace tessera::atom {

namespace {
using enum Fragment;
using enum Element;

MmaRow ampere(const WarpShape &shape, const Types &types, std::string_view suffix = "") {
  MmaRow row = warpRow(shape, types);
  row.name = cat(shape.name, "_", text(types), "_TN", suffix);
  row.needs = Requirement::atLeast(80);
  row.ptx = 70;
  row.source = "PTX ISA 9.7.14.5; CUTLASS mma_traits_sm80.hpp";
  return row;
}

// SM80_16x8x8 with f16 is in Sm75.cpp.
struct FloatRow {
  WarpShape shape;
  Types types;
};
constexpr FloatRow floats[] = {
    {{"SM80_16x8x8", 16, 8, 8, W16x8_2, W8x8_2, W16x8_2, 2, 1}, {f32, bf16, bf16}},
    {{"SM80_16x8x16", 16, 8, 16, W16x16_2, W8x16_2, W16x8_2, 4, 2}, {f16, f16, f16}},
    {{"SM80_16x8x16", 16, 8, 16, W16x16_2, W8x16_2, W16x8_2, 4, 2}, {f32, f16, f16}},
    {{"SM80_16x8x16", 16, 8, 16, W16x16_2, W8x16_2, W16x8_2, 4, 2}, {f32, bf16, bf16}},
    {{"SM80_16x8x4", 16, 8, 4, W16x4_1, W8x4_1, W16x8_2, 2, 1}, {f32, tf32, tf32}},
    {{"SM80_16x8x8", 16, 8, 8, W16x8_1, W8x8_1, W16x8_2, 4, 2}, {f32, tf32, tf32}},
    {{"SM80_8x8x4", 8, 8, 4, W8x4_1, W8x4_1, W8x8_2, 1, 1}, {f64, f64, f64}},
};

// <shape>_S32{S8,U8}{S8,U8}S32_TN[_SATURATE] and {S4,U4}; SM80_8x8x16 and SM80_8x8x32 are in
// Sm75.cpp.
struct IntegerShape {
  WarpShape shape;
  Element minus, plus;
};
constexpr IntegerShape integers[] = {
    {{"SM80_16x8x16", 16, 8, 16, W16x16_4, W8x16_4, W16x8_2, 2, 1}, s8, u8},
    {{"SM80_16x8x32", 16, 8, 32, W16x32_4, W8x32_4, W16x8_2, 4, 2}, s8, u8},
    {{"SM80_16x8x32", 16, 8, 32, W16x32_8, W8x32_8, W16x8_2, 2, 1}, s4, u4},
    {{"SM80_16x8x64", 16, 8, 64, W16x64_8, W8x64_8, W16x8_2, 4, 2}, s4, u4},
};

// SM80_8x8x128 with xor is in Sm75.cpp.
struct BitRow {
  WarpShape shape;
  std::string_view suffix;
  BitOp op;
  uint8_t ptx;
};
constexpr WarpShape bits8{"SM80_8x8x128", 8, 8, 128, W8x128_32, W8x128_32, W8x8_2, 1, 1};
constexpr WarpShape bits16{"SM80_16x8x128", 16, 8, 128, W16x128_32, W8x128_32, W16x8_2, 2, 1};
constexpr WarpShape bits16Long{"SM80_16x8x256", 16, 8, 256, W16x256_32, W8x256_32, W16x8_2, 4, 2};
constexpr BitRow singleBits[] = {
    {bits8, "_ANDPOPC", BitOp::AndPopc, 71},      {bits16, "_XORPOPC", BitOp::XorPopc, 70},
    {bits16, "_ANDPOPC", BitOp::AndPopc, 71},     {bits16Long, "_XORPOPC", BitOp::XorPopc, 70},
    {bits16Long, "_ANDPOPC", BitOp::AndPopc, 71},
};
} // namespace

void addSm80Mma(std::vector<MmaRow> &rows) {
  for (const FloatRow &entry : floats) {
    MmaRow row = ampere(entry.shape, entry.types);
    row.mnemonic = warpMnemonic(row);
    rows.push_back(std::move(row));
  }
  for (const IntegerShape &entry : integers)
    for (Element a : {entry.minus, entry.plus})
      for (Element b : {entry.minus, entry.plus})
        for (Overflow overflow : {Overflow::Wrapped, Overflow::Satfinite}) {
          MmaRow row =
              ampere(entry.shape, {s32, a, b}, overflow == Overflow::Wrapped ? "" : "_SATURATE");
          row.overflow = overflow;
          row.mnemonic = warpMnemonic(row);
          rows.push_back(std::move(row));
        }
  for (const BitRow &entry : singleBits) {
    MmaRow row = ampere(entry.shape, {s32, b1, b1}, entry.suffix);
    row.bitOp = entry.op;
    row.ptx = entry.ptx;
    row.mnemonic = warpMnemonic(row);
    rows.push_back(std::move(row));
  }
}

void addSm80Copies(std::vector<CopyRow> &rows) {
  struct Path {
    std::string_view name, mnemonic;
    CacheMode cache;
    uint32_t leastBits;
  };
  // The _ZFILL atoms are the same instruction with its optional operand, the bytes to read.
  constexpr Path paths[] = {
      {"SM80_CP_ASYNC_CACHEALWAYS", "cp.async.ca.shared.global", CacheMode::Always, 32},
      {"SM80_CP_ASYNC_CACHEGLOBAL", "cp.async.cg.shared.global", CacheMode::Global, 128},
  };
  for (const Path &path : paths) {
    CopyRow row;
    row.name = path.name;
    row.alias = cat(path.name, "_ZFILL");
    row.key = {.family = CopyFamily::SimtAsyncCopy, .cache = path.cache};
    row.amounts = {Amounts::Bits, path.leastBits, 128};
    row.threads = "1:0";
    row.src = row.dst = row.ref = BitsOne;
    row.from = AddressSpace::Gmem;
    row.to = AddressSpace::Smem;
    row.completion = Completion::AsyncGroup;
    row.needs = Requirement::atLeast(80);
    row.ptx = 70;
    row.mnemonic = path.mnemonic;
    row.source = "PTX ISA 9.7.9.25.3.1; CUTLASS copy_traits_sm80.hpp";
    rows.push_back(std::move(row));
  }
}

} // namespace tessera::atom
