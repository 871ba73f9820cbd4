// Rows of Volta: m8n8k4 products, one for each quad pair of a warp, in four operand layouts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/atom/tiers/Tiers.h"

namespace tessera::atom {

namespace {
using enum Fragment;

// T: K contiguous, N: the other mode contiguous; first A, then B (as BLAS names them).
struct OperandLayouts {
  std::string_view suffix;
  Major a, b;
};
constexpr OperandLayouts blasLayouts[] = {{"TN", Major::K, Major::K},
                                          {"NT", Major::MN, Major::MN},
                                          {"NN", Major::MN, Major::K},
                                          {"TT", Major::K, Major::MN}};
} // namespace

// SM70_8x8x4_F16F16F16F16_{TN,NT,NN,TT}, SM70_8x8x4_F32F16F16F32_{TN,NT,NN,TT}
void addSm70Mma(std::vector<MmaRow> &rows) {
  for (Element c : {Element::f16, Element::f32})
    for (const OperandLayouts &majors : blasLayouts) {
      Fragment a = majors.a == Major::K ? QuadPairRow8x4 : QuadPairCol8x4;
      Fragment b = majors.b == Major::K ? QuadPairRow8x4 : QuadPairCol8x4;
      Fragment accumulator = c == Element::f16 ? QuadPairRow8x8 : QuadPair2x2;
      Types types{c, Element::f16, Element::f16};
      MmaRow row = warpRow({"SM70_8x8x4", 8, 8, 4, a, b, accumulator, 2, 2}, types);
      row.name = cat("SM70_8x8x4_", text(types), "_", majors.suffix);
      row.a.majors = majors.a;
      row.b.majors = majors.b;
      row.threads = "(4,2):(1,16)";
      row.ptx = 64;
      row.mnemonic = warpMnemonic(row);
      row.source = "PTX ISA 9.7.14.5.1; CUTLASS mma_traits_sm70.hpp";
      rows.push_back(std::move(row));
    }
}

} // namespace tessera::atom
