// Rows of GeForce Blackwell: fp8, fp6 and fp4 products of a warp, plain and block-scaled.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/atom/tiers/Tiers.h"

namespace tessera::atom {

namespace {
using enum Fragment;
using enum Element;

constexpr Element fp8fp6fp4[] = {e4m3, e5m2, e2m3, e3m2, e2m1};

// One shape with numbers in bytes, one with packed fp4; each dense and with a sparse A of twice the
// K.
constexpr WarpShape bytes{"SM120_16x8x32", 16, 8, 32, W16x32_4, W8x32_4, W16x8_2, 4, 2};
constexpr WarpShape bytesSparse{
    "SM120_SPARSE_16x8x64", 16, 8, 64, W16x64_8, W8x64_4, W16x8_2, 4, 4};
constexpr WarpShape nibbles{"SM120_16x8x64", 16, 8, 64, W16x64_8, W8x64_8, W16x8_2, 4, 2};
constexpr WarpShape nibblesSparse{
    "SM120_SPARSE_16x8x128", 16, 8, 128, W16x128_16, W8x128_8, W16x8_2, 4, 4};

std::string arguments(const Types &types) {
  return cat(name(types.a), ",", name(types.b), ",", name(types.c));
}

MmaRow byteRow(const Types &types, bool sparse) {
  MmaRow row = warpRow(sparse ? bytesSparse : bytes, types);
  row.a.containerBits = row.b.containerBits = 8;
  if (sparse)
    row.sparsity = {
        .metadata = Metadata::Ordered, .fragment = MetaAll32, .elementsPerByte = 8, .selectors = 1};
  row.needs = familySm120;
  row.ptx = 87;
  row.source = sparse ? "PTX ISA 9.7.14.6.2.6; CUTLASS mma_traits_sm120_sparse.hpp"
                      : "PTX ISA 9.7.14.5.10; CUTLASS mma_traits_sm120.hpp";
  return row;
}

// SM120_16x8x32_TN<a,b,{f32,f16}>, SM120_SPARSE_16x8x64_TN<a,b,{f32,f16}>
void addPlain(std::vector<MmaRow> &rows, bool sparse) {
  for (Element c : {f32, f16})
    for (Element a : fp8fp6fp4)
      for (Element b : fp8fp6fp4) {
        MmaRow row = byteRow({c, a, b}, sparse);
        row.name = cat(sparse ? bytesSparse.name : bytes.name, "_TN<", arguments({c, a, b}), ">");
        row.family = sparse ? MmaFamily::Sm120MmaSp : MmaFamily::Sm120Mma;
        row.kind = MmaKind::F8f6f4;
        row.recipe = sparse ? Recipe::MmaSparse : Recipe::MmaSync;
        row.route = Route::Intrinsic;
        row.mnemonic = warpMnemonic(row);
        rows.push_back(std::move(row));
      }
}

void finishScaled(MmaRow &row, MmaKind kind, Element scale, int vec) {
  bool sparse = row.sparsity.isSparse();
  row.family = sparse ? MmaFamily::Sm120MmaBsSp : MmaFamily::Sm120MmaBs;
  row.kind = kind;
  row.scale = {.element = scale, .vec = uint8_t(vec), .a = ScaleA, .b = ScaleB};
  row.recipe = sparse ? Recipe::BlockScaleSparse : Recipe::BlockScale;
  row.mnemonic = warpMnemonic(row);
}

// SM120_16x8x32_TN_VS<a,b,f32,ue8m0,32>, SM120_SPARSE_16x8x64_TN_VS<a,b,f32,ue8m0,64>
void addScaledBytes(std::vector<MmaRow> &rows, bool sparse) {
  for (Element a : fp8fp6fp4)
    for (Element b : fp8fp6fp4) {
      MmaRow row = byteRow({f32, a, b}, sparse);
      row.name = cat(sparse ? bytesSparse.name : bytes.name, "_TN_VS<", arguments({f32, a, b}),
                     ",ue8m0,", sparse ? 64 : 32, ">");
      finishScaled(row, MmaKind::Mxf8f6f4, ue8m0, sparse ? 64 : 32);
      rows.push_back(std::move(row));
    }
}

// `vec` elements of a dense row share a factor, twice as many of a sparse row. CuTe has no mxf4
// here: it uses mxf4nvf4 with the same factors.
struct Scaling {
  MmaKind kind;
  std::string_view suffix;
  Element scale;
  int vec;
  Route route;
  uint8_t ptx;
};
constexpr Scaling scalings[] = {
    {MmaKind::Mxf4nvf4, "", ue8m0, 32, Route::Nvvm, 87},
    {MmaKind::Mxf4nvf4, "", ue4m3, 16, Route::Nvvm, 87},
    {MmaKind::Mxf4nvf4, "", ue8m0, 16, Route::Asm, 91}, // not in LLVM 22, nor in ptxas 13.0
    {MmaKind::Mxf4, "_MXF4", ue8m0, 32, Route::Nvvm, 87},
};

// SM120_16x8x64_TN_VS[_MXF4]<e2m1,e2m1,f32,scale,vec>, SM120_SPARSE_16x8x128_TN_VS[_MXF4]<...>
void addScaledNibbles(std::vector<MmaRow> &rows, bool sparse) {
  for (const Scaling &scaling : scalings) {
    const WarpShape &shape = sparse ? nibblesSparse : nibbles;
    int vec = scaling.vec * (sparse ? 2 : 1);
    Types types{f32, e2m1, e2m1};
    MmaRow row = warpRow(shape, types);
    row.name = cat(shape.name, "_TN_VS", scaling.suffix, "<", arguments(types), ",",
                   name(scaling.scale), ",", vec, ">");
    if (sparse)
      row.sparsity = {.metadata = Metadata::Ordered,
                      .fragment = MetaAll64,
                      .elementsPerByte = 16,
                      .selectors = 1};
    row.route = scaling.route;
    row.needs = sparse ? Requirement::exactly(120) | Requirement::exactly(121) : familySm120;
    row.ptx = scaling.ptx;
    row.source = sparse ? "PTX ISA 9.7.14.6.2.8; CUTLASS mma_traits_sm120_sparse.hpp"
                        : "PTX ISA 9.7.14.5.11; CUTLASS mma_traits_sm120.hpp";
    finishScaled(row, scaling.kind, scaling.scale, vec);
    rows.push_back(std::move(row));
  }
}
} // namespace

void addSm120Mma(std::vector<MmaRow> &rows) {
  for (bool sparse : {false, true}) {
    addPlain(rows, sparse);
    addScaledBytes(rows, sparse);
    addScaledNibbles(rows, sparse);
  }
}

} // namespace tessera::atom
