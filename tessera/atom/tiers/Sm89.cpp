// Rows of Ada: fp8 products of a warp.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/atom/tiers/Tiers.h"

namespace tessera::atom {

namespace {
using enum Fragment;
using enum Element;

struct ShapeRow {
  WarpShape shape;
  uint8_t ptxF32, ptxF16; // PTX versions that brought it, by accumulator
};
// CuTe has no k16.
constexpr ShapeRow shapes[] = {
    {{"SM89_16x8x16", 16, 8, 16, W16x16_4, W8x16_4, W16x8_2, 2, 1}, 87, 87},
    {{"SM89_16x8x32", 16, 8, 32, W16x32_4, W8x32_4, W16x8_2, 4, 2}, 84, 87},
};
} // namespace

// <shape>_{F16,F32}{E4M3,E5M2}{E4M3,E5M2}{F16,F32}_TN
void addSm89Mma(std::vector<MmaRow> &rows) {
  for (const ShapeRow &entry : shapes)
    for (Element c : {f32, f16})
      for (Element a : {e4m3, e5m2})
        for (Element b : {e4m3, e5m2}) {
          MmaRow row = warpRow(entry.shape, {c, a, b});
          row.name = cat(entry.shape.name, "_", text(Types{c, a, b}), "_TN");
          row.family = MmaFamily::Sm89Mma;
          row.route = Route::Intrinsic; // nvvm.mma.sync rejects fp8 types
          row.needs = Requirement::atLeast(89);
          row.ptx = c == f32 ? entry.ptxF32 : entry.ptxF16;
          row.mnemonic = warpMnemonic(row);
          row.source = "PTX ISA 9.7.14.5.9, .10; CUTLASS mma_traits_sm89.hpp";
          rows.push_back(std::move(row));
        }
}

} // namespace tessera::atom
