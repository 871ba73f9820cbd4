// Rows of Ampere and Ada: products of a warp with a sparse A.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/atom/tiers/Tiers.h"

namespace tessera::atom {

namespace {
using enum Fragment;
using enum Element;

// Each shape comes with Plain and Ordered metadata (_ORDERED). CuTe has no atoms for them: the
// names are ours. K is logical; A's registers hold K / 2.
struct SparseShape {
  WarpShape shape;
  Fragment metadata;
  uint8_t elementsPerByte, selectors;
};
constexpr SparseShape half16{
    {"SM80_SPARSE_16x8x16", 16, 8, 16, W16x16_4, W8x16_2, W16x8_2, 2, 2}, MetaQuad16, 8, 4};
constexpr SparseShape half32{
    {"SM80_SPARSE_16x8x32", 16, 8, 32, W16x32_4, W8x32_2, W16x8_2, 4, 4}, MetaPair16, 8, 2};
constexpr SparseShape word8{
    {"SM80_SPARSE_16x8x8", 16, 8, 8, W16x8_2, W8x8_1, W16x8_2, 2, 2}, MetaQuad8, 4, 4};
constexpr SparseShape word16{
    {"SM80_SPARSE_16x8x16", 16, 8, 16, W16x16_2, W8x16_1, W16x8_2, 4, 4}, MetaPair8, 4, 2};
constexpr SparseShape byte32{
    {"SM80_SPARSE_16x8x32", 16, 8, 32, W16x32_8, W8x32_4, W16x8_2, 2, 2}, MetaPair32, 8, 2};
constexpr SparseShape byte64{
    {"SM80_SPARSE_16x8x64", 16, 8, 64, W16x64_8, W8x64_4, W16x8_2, 4, 4}, MetaAll32, 8, 1};
constexpr SparseShape nibble64{
    {"SM80_SPARSE_16x8x64", 16, 8, 64, W16x64_16, W8x64_8, W16x8_2, 2, 2}, MetaPair64, 16, 2};
constexpr SparseShape nibble128{
    {"SM80_SPARSE_16x8x128", 16, 8, 128, W16x128_16, W8x128_8, W16x8_2, 4, 4}, MetaAll64, 16, 1};

MmaRow sparse(const SparseShape &entry, const Types &types, Metadata metadata,
              Overflow overflow = Overflow::Wrapped) {
  MmaRow row = warpRow(entry.shape, types);
  row.name = cat(entry.shape.name, "_", text(types), "_TN",
                 overflow == Overflow::Satfinite ? "_SATURATE" : "",
                 metadata == Metadata::Ordered ? "_ORDERED" : "");
  row.family = MmaFamily::Sm80SparseMma;
  row.overflow = overflow;
  row.sparsity = {.metadata = metadata,
                  .fragment = entry.metadata,
                  .elementsPerByte = entry.elementsPerByte,
                  .selectors = entry.selectors};
  row.recipe = Recipe::MmaSparse;
  row.needs = Requirement::atLeast(80);
  row.ptx = metadata == Metadata::Ordered ? 85 : 71;
  row.mnemonic = warpMnemonic(row);
  row.source = "PTX ISA 9.7.14.6";
  return row;
}

struct FloatRow {
  const SparseShape &shape;
  Types types;
};
constexpr FloatRow floats[] = {
    {half16, {f16, f16, f16}},  {half16, {f32, f16, f16}},   {half16, {f32, bf16, bf16}},
    {half32, {f16, f16, f16}},  {half32, {f32, f16, f16}},   {half32, {f32, bf16, bf16}},
    {word8, {f32, tf32, tf32}}, {word16, {f32, tf32, tf32}},
};

struct IntegerRow {
  const SparseShape &shape;
  Element minus, plus;
};
constexpr IntegerRow integers[] = {
    {byte32, s8, u8}, {byte64, s8, u8}, {nibble64, s4, u4}, {nibble128, s4, u4}};
} // namespace

void addSm80Sparse(std::vector<MmaRow> &rows) {
  for (Metadata metadata : {Metadata::Plain, Metadata::Ordered}) {
    for (const FloatRow &entry : floats)
      rows.push_back(sparse(entry.shape, entry.types, metadata));
    for (const IntegerRow &entry : integers)
      for (Element a : {entry.minus, entry.plus})
        for (Element b : {entry.minus, entry.plus})
          for (Overflow overflow : {Overflow::Wrapped, Overflow::Satfinite})
            rows.push_back(sparse(entry.shape, {s32, a, b}, metadata, overflow));
    // fp8, from sm_89: SM80_SPARSE_16x8x64_F32{E4M3,E5M2}{E4M3,E5M2}F32_TN[_ORDERED]
    for (Element a : {e4m3, e5m2})
      for (Element b : {e4m3, e5m2}) {
        MmaRow row = sparse(byte64, {f32, a, b}, metadata);
        row.needs = Requirement::atLeast(89);
        row.ptx = metadata == Metadata::Ordered ? 85 : 84;
        row.route =
            Route::Intrinsic; // the verifier of nvvm.mma.sp.sync counts A's registers wrongly
        rows.push_back(std::move(row));
      }
  }
}

} // namespace tessera::atom
