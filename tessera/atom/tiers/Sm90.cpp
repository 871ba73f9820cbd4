// Rows of Hopper: f64 products of a warp, and products of a warpgroup (wgmma), dense and sparse.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/atom/tiers/Tiers.h"

namespace tessera::atom {

namespace {
using enum Fragment;
using enum Element;

// SM90_16x8x{4,8,16}_F64F64F64F64_TN
constexpr WarpShape doubles[] = {
    {"SM90_16x8x4", 16, 8, 4, W16x4_1, W8x4_1, W16x8_2, 2, 1},
    {"SM90_16x8x8", 16, 8, 8, W16x8_1, W8x8_1, W16x8_2, 4, 2},
    {"SM90_16x8x16", 16, 8, 16, W16x16_1, W8x16_1, W16x8_2, 8, 4},
};

// One line of wgmma's type table. K is the dense one; a sparse A doubles it.
struct GroupTypes {
  Element c, a, b;
  int16_t k;
  bool saturates;
};
constexpr Range columns{8, 256, 8};
constexpr Range integerColumns{8, 256, 16, 32};

// What holds A in registers, and which metadata goes with it, by the bits of its elements.
struct GroupOperand {
  int bits;
  Fragment dense, sparse, metadata;
  uint8_t elementsPerByte, selectors;
};
constexpr GroupOperand operands[] = {
    {32, G64x8_1, G64x16_2, MetaGroup8, 4, 2},
    {16, G64x16_2, G64x32_4, MetaGroup16, 8, 2},
    {8, G64x32_4, G64x64_8, MetaGroup32, 8, 1},
    {1, G64x256_32, None, None, 0, 0},
};
const GroupOperand &operandOf(Element a) {
  size_t at = 0;
  while (operands[at].bits != bits(a))
    ++at;
  return operands[at];
}

Registers groupAccumulators(Element c) {
  if (c == f32)
    return {RegisterType::F32, 4, true};
  return {RegisterType::B32, uint8_t(c == f16 ? 2 : 4), true};
}

/// SM90_64xNx<k>_<c><a><b>_{SS,RS}[_TN][_SATURATE][_ANDPOPC]; sparse ones are called GMMA_..., as
/// in CuTe.
MmaRow groupRow(const GroupTypes &types, Residency aFrom, bool sparse) {
  const GroupOperand &operand = operandOf(types.a);
  bool wide = bits(types.a) == 16; // only 16-bit operands may be M- or N-major
  bool integer = types.c == s32;
  MmaRow row;
  row.family = sparse ? MmaFamily::Sm90MmaSp : MmaFamily::Sm90Mma;
  row.m = 64;
  row.n = integer ? integerColumns : columns;
  row.k = int16_t(types.k * (sparse ? 2 : 1));
  row.threads = "128:1";
  if (aFrom == Residency::Smem)
    row.a = {.element = types.a,
             .fragment = GroupMK,
             .registers = {RegisterType::B64, 1},
             .where = Residency::Smem,
             .majors = wide ? Major::Any : Major::K};
  else
    row.a = {.element = types.a,
             .fragment = sparse ? operand.sparse : operand.dense,
             .registers = {RegisterType::B32, 4}};
  row.b = {.element = types.b,
           .fragment = GroupNK,
           .registers = {RegisterType::B64, 1},
           .where = Residency::Smem,
           .majors = wide ? Major::Any : Major::K};
  row.c = {.element = types.c, .fragment = G64xN, .registers = groupAccumulators(types.c)};
  row.d = {.element = types.c, .fragment = G64xN};
  if (sparse)
    row.sparsity = {.metadata = Metadata::Plain,
                    .fragment = operand.metadata,
                    .elementsPerByte = operand.elementsPerByte,
                    .selectors = operand.selectors};
  row.overflow = types.saturates ? Overflow::Satfinite : Overflow::Wrapped;
  row.bitOp = types.a == b1 ? BitOp::AndPopc : BitOp::None;
  row.recipe = Recipe::Wgmma;
  // nvvm.wgmma.mma_async has no A in registers and no run-time scale-d: inline PTX for all.
  row.route = Route::Asm;
  row.needs = Requirement::exactly(90);
  row.ptx = uint8_t(integer && types.a != types.b ? 84 : sparse ? 82 : 80);
  row.name =
      cat(sparse ? "GMMA" : "SM90", "_64xNx", row.k, "_", cuteName(types.c), cuteName(types.a),
          cuteName(types.b), aFrom == Residency::Smem ? "_SS" : "_RS", wide ? "" : "_TN",
          types.saturates ? "_SATURATE" : "", types.a == b1 ? "_ANDPOPC" : "");
  row.mnemonic = cat("wgmma.mma_async", sparse ? ".sp" : "", ".sync.aligned.m64n{N}k", row.k, ".",
                     ptxName(types.c), ".", ptxName(types.a), ".", ptxName(types.b),
                     types.saturates ? ".satfinite" : "", types.a == b1 ? ".and.popc" : "");
  row.source = sparse ? "PTX ISA 9.7.15.6; CUTLASS mma_traits_sm90_gmma_sparse.hpp"
                      : "PTX ISA 9.7.15.5; CUTLASS mma_traits_sm90_gmma.hpp";
  return row;
}

std::vector<GroupTypes> groupTypes() {
  std::vector<GroupTypes> types = {{f16, f16, f16, 16, false},
                                   {f32, f16, f16, 16, false},
                                   {f32, bf16, bf16, 16, false},
                                   {f32, tf32, tf32, 8, false}};
  for (Element a : {s8, u8})
    for (Element b : {s8, u8})
      for (bool saturates : {false, true})
        types.push_back({s32, a, b, 32, saturates});
  for (Element a : {e4m3, e5m2})
    for (Element b : {e4m3, e5m2})
      for (Element c : {f16, f32})
        types.push_back({c, a, b, 32, false});
  return types;
}
} // namespace

void addSm90Mma(std::vector<MmaRow> &rows) {
  for (const WarpShape &shape : doubles) {
    MmaRow row = warpRow(shape, {f64, f64, f64});
    row.name = cat(shape.name, "_F64F64F64F64_TN");
    row.route = Route::Intrinsic; // nvvm.mma.sync rejects these shapes
    row.needs = Requirement::atLeast(90);
    row.ptx = 78;
    row.mnemonic = warpMnemonic(row);
    row.source = "PTX ISA 9.7.14.5; CUTLASS mma_traits_sm90.hpp";
    rows.push_back(std::move(row));
  }
  for (bool sparse : {false, true})
    for (const GroupTypes &types : groupTypes())
      for (Residency aFrom : {Residency::Smem, Residency::Rmem})
        rows.push_back(groupRow(types, aFrom, sparse));
  // 1-bit products are in PTX but not in CuTe.
  for (Residency aFrom : {Residency::Smem, Residency::Rmem})
    rows.push_back(groupRow({s32, b1, b1, 256, false}, aFrom, false));
}

} // namespace tessera::atom
