// Rows of every GPU: scalar fused multiply-add, and plain loads and stores.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/atom/tiers/Tiers.h"

namespace tessera::atom {

namespace {
struct FmaRow {
  std::string_view name, mnemonic;
  Element element;
  RegisterType registers;
  int minimum;
  uint8_t ptx;
};
// llc widens bf16 below sm_80 to f32, with other rounding: the row asks for the instruction.
constexpr FmaRow fmas[] = {
    {"UniversalFMA<f64>", "fma.rn.f64", Element::f64, RegisterType::F64, 70, 60},
    {"UniversalFMA<f32>", "fma.rn.f32", Element::f32, RegisterType::F32, 70, 60},
    {"UniversalFMA<f16>", "fma.rn.f16", Element::f16, RegisterType::B16, 70, 60},
    {"UniversalFMA<bf16>", "fma.rn.bf16", Element::bf16, RegisterType::B16, 80, 70},
};
} // namespace

void addUniversalMma(std::vector<MmaRow> &rows) {
  for (const FmaRow &fma : fmas) {
    Operand operand{
        .element = fma.element, .fragment = Fragment::Scalar, .registers = {fma.registers, 1}};
    MmaRow row;
    row.name = fma.name;
    row.family = MmaFamily::UniversalFma;
    row.m = row.n = row.k = 1;
    row.a = row.b = row.c = row.d = operand;
    row.threads = "1:0";
    row.recipe = Recipe::Fma;
    row.needs = Requirement::atLeast(fma.minimum);
    row.ptx = fma.ptx;
    row.mnemonic = fma.mnemonic;
    row.source = "PTX ISA 9.7.3.6, 9.7.4.4; CUTLASS arch/mma.hpp";
    rows.push_back(std::move(row));
  }
}

void addUniversalCopies(std::vector<CopyRow> &rows) {
  CopyRow row;
  row.name = "UniversalCopy";
  row.key = {.family = CopyFamily::UniversalCopy};
  row.amounts = {Amounts::Bits, 8, 256}; // 256: two accesses before sm_100
  row.threads = "1:0";
  row.src = row.dst = row.ref = Fragment::BitsOne;
  row.ptx = 60;
  row.mnemonic = "ld, st";
  row.source = "PTX ISA 9.7.9.8, 9.7.9.12; CUTLASS copy_traits.hpp";
  rows.push_back(std::move(row));
}

} // namespace tessera::atom
