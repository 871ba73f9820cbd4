// Derives accumulator registers and PTX text of a warp-level row from its other columns.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/atom/tiers/Tiers.h"

namespace tessera::atom {

namespace {
Registers accumulators(Element element, int elementsPerThread) {
  switch (element) {
  case Element::f64: return {RegisterType::F64, uint8_t(elementsPerThread)};
  case Element::f32: return {RegisterType::F32, uint8_t(elementsPerThread)};
  case Element::f16: return {RegisterType::B32, uint8_t(elementsPerThread / 2)};
  default: return {RegisterType::B32, uint8_t(elementsPerThread)};
  }
}

/// `.row` where K is contiguous in A, or N in B; `.col` for the other.
std::string_view layoutOfA(Major major) { return major == Major::K ? ".row" : ".col"; }
std::string_view layoutOfB(Major major) { return major == Major::K ? ".col" : ".row"; }

std::string scaleText(const MmaRow &row) {
  int perRow = row.k / row.scale.vec;
  return cat(".block_scale.scale_vec::", perRow, "X");
}
} // namespace

std::string text(const Types &types) {
  return cat(cuteName(types.c), cuteName(types.a), cuteName(types.b), cuteName(types.c));
}

MmaRow warpRow(const WarpShape &shape, const Types &types) {
  RegisterType factor = types.a == Element::f64 ? RegisterType::F64 : RegisterType::B32;
  bool quadPair = shape.a == Fragment::QuadPairRow8x4 || shape.a == Fragment::QuadPairCol8x4;
  Registers c = accumulators(types.c, shape.m * shape.n / (quadPair ? 8 : 32));
  MmaRow row;
  row.family = MmaFamily::Sm80Mma;
  row.m = shape.m;
  row.n = shape.n;
  row.k = shape.k;
  row.a = {.element = types.a, .fragment = shape.a, .registers = {factor, shape.registersA}};
  row.b = {.element = types.b, .fragment = shape.b, .registers = {factor, shape.registersB}};
  row.c = {.element = types.c, .fragment = shape.c, .registers = c};
  row.d = row.c;
  return row;
}

std::string warpMnemonic(const MmaRow &row) {
  constexpr std::string_view sparse[] = {"", ".sp", ".sp::ordered_metadata"};
  constexpr std::string_view bitOps[] = {"", ".xor.popc", ".and.popc"};
  std::string kind = row.kind == MmaKind::None ? "" : cat(".kind::", name(row.kind));
  std::string text = cat("mma", sparse[size_t(row.sparsity.metadata)], ".sync.aligned.m",
                         row.m.first, "n", row.n.first, "k", row.k, layoutOfA(row.a.majors),
                         layoutOfB(row.b.majors), kind, row.scale.isScaled() ? scaleText(row) : "",
                         row.overflow == Overflow::Satfinite ? ".satfinite" : "");
  for (Element element : {row.d.element, row.a.element, row.b.element, row.c.element})
    text += cat(".", ptxName(element));
  text += bitOps[size_t(row.bitOp)];
  return row.scale.isScaled() ? cat(text, ".", ptxName(row.scale.element)) : text;
}

} // namespace tessera::atom
