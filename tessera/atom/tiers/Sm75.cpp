// Rows of Turing: f16, 8-bit, 4-bit and 1-bit products of a warp, and ldmatrix.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/atom/tiers/Tiers.h"

namespace tessera::atom {

namespace {
using enum Fragment;
using enum Element;

constexpr WarpShape half{"16x8x8", 16, 8, 8, W16x8_2, W8x8_2, W16x8_2, 2, 1};
constexpr WarpShape bytes{"8x8x16", 8, 8, 16, W8x16_4, W8x16_4, W8x8_2, 1, 1};
constexpr WarpShape nibbles{"8x8x32", 8, 8, 32, W8x32_8, W8x32_8, W8x8_2, 1, 1};
constexpr WarpShape singleBits{"8x8x128", 8, 8, 128, W8x128_32, W8x128_32, W8x8_2, 1, 1};

MmaRow turing(const WarpShape &shape, const Types &types, std::string_view suffix) {
  MmaRow row = warpRow(shape, types);
  row.name = cat("SM75_", shape.name, "_", text(types), "_TN", suffix);
  row.alias = cat("SM80_", shape.name, "_", text(types), "_TN", suffix);
  row.needs = Requirement::atLeast(75);
  row.ptx = 65;
  row.source = "PTX ISA 9.7.14.5; CUTLASS mma_traits_sm75.hpp";
  return row;
}

/// SM75_<shape>_S32{..}{..}S32_TN[_SATURATE] for all mixes of the two formats.
void addIntegers(std::vector<MmaRow> &rows, const WarpShape &shape, Element plus, Element minus) {
  for (Element a : {minus, plus})
    for (Element b : {minus, plus})
      for (Overflow overflow : {Overflow::Wrapped, Overflow::Satfinite}) {
        MmaRow row = turing(shape, {s32, a, b}, overflow == Overflow::Wrapped ? "" : "_SATURATE");
        row.overflow = overflow;
        row.mnemonic = warpMnemonic(row);
        rows.push_back(std::move(row));
      }
}
} // namespace

// The same instructions run on sm_80, where CuTe calls them SM80_...: the alias.
void addSm75Mma(std::vector<MmaRow> &rows) {
  for (Element c : {f16, f32}) { // SM75_16x8x8_F16F16F16F16_TN, SM75_16x8x8_F32F16F16F32_TN
    MmaRow row = turing(half, {c, f16, f16}, "");
    row.mnemonic = warpMnemonic(row);
    rows.push_back(std::move(row));
  }
  addIntegers(rows, bytes, u8, s8);
  addIntegers(rows, nibbles, u4, s4);

  MmaRow row = turing(singleBits, {s32, b1, b1}, "_XORPOPC"); // SM75_8x8x128_S32U1U1S32_TN_XORPOPC
  row.bitOp = BitOp::XorPopc;
  row.route = Route::Asm; // the intrinsic of LLVM 22 is for sm_80 and later
  row.ptx = 70;
  row.mnemonic = warpMnemonic(row);
  rows.push_back(std::move(row));
}

void addSm75Copies(std::vector<CopyRow> &rows) {
  struct Matrices {
    std::string_view name;
    bool transpose;
    uint8_t count;
    Fragment memory, lanes;
  };
  constexpr Matrices table[] = {
      {"SM75_U32x1_LDSM_N", false, 1, Rows8, Regs1},
      {"SM75_U32x2_LDSM_N", false, 2, Rows16, Regs2},
      {"SM75_U32x4_LDSM_N", false, 4, Rows32, Regs4},
      {"SM75_U16x2_LDSM_T", true, 1, Rows8, RegsT1},
      {"SM75_U16x4_LDSM_T", true, 2, Rows16, RegsT2},
      {"SM75_U16x8_LDSM_T", true, 4, Rows32, RegsT4},
  };
  for (const Matrices &matrices : table) {
    CopyRow row;
    row.name = matrices.name;
    row.key = {.family = CopyFamily::Ldsm,
               .rows = 8,
               .columns = 8,
               .matrices = matrices.count,
               .transpose = matrices.transpose};
    row.src = matrices.memory;
    row.dst = row.ref = matrices.lanes;
    row.from = AddressSpace::Smem;
    row.to = AddressSpace::Rmem;
    row.alignFrom = 128;
    row.alignTo = 32;
    row.registers = matrices.count;
    row.needs = Requirement::atLeast(75);
    row.ptx = 65;
    row.mnemonic = cat("ldmatrix.sync.aligned.m8n8.x", int(matrices.count),
                       matrices.transpose ? ".trans" : "", ".shared.b16");
    row.source = "PTX ISA 9.7.14.5.15; CUTLASS copy_traits_sm75.hpp";
    rows.push_back(std::move(row));
  }
}

} // namespace tessera::atom
