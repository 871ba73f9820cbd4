// Rows of data centre Blackwell: products issued by one thread for one or two CTAs (tcgen05.mma).
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/atom/tiers/Tiers.h"

namespace tessera::atom {

namespace {
using enum Fragment;
using enum Element;

constexpr Element fp8fp6fp4[] = {e4m3, e5m2, e2m3, e3m2, e2m1};

// One line of the type table (PTX ISA 9.7.16.2.1): `stem` is CuTe's name for the kind.
struct UmmaTypes {
  MmaKind kind;
  std::string_view stem;
  Types types;
  int16_t k; // dense; a sparse A doubles it
};

// How an instruction of a kind is placed: CTAs, source of A, sparsity.
struct Placement {
  uint8_t ctas;
  Residency aFrom;
  bool sparse;
  bool stationary = false; // tcgen05.mma.ws
};
std::vector<Placement> placements() {
  std::vector<Placement> all;
  for (bool sparse : {false, true})
    for (uint8_t ctas : {1, 2})
      for (Residency aFrom : {Residency::Smem, Residency::Tmem})
        all.push_back({ctas, aFrom, sparse});
  return all;
}

/// .ws is of one CTA. Source: PTX ISA 9.7.16.2.1, table 39; 9.7.16.10.9.
std::vector<Placement> stationaryPlacements() {
  std::vector<Placement> all;
  for (bool sparse : {false, true})
    for (Residency aFrom : {Residency::Smem, Residency::Tmem})
      all.push_back({1, aFrom, sparse, true});
  return all;
}

/// fp4 and fp6 are K-major only, and so is A in tensor memory.
Major majorsOf(Element element, Residency where, bool packedFp4) {
  bool either = !packedFp4 && (bits(element) != 4 && bits(element) != 6);
  return either && where == Residency::Smem ? Major::Any : Major::K;
}

uint8_t elementsPerMetadataByte(Element a, bool packedFp4) {
  return uint8_t(packedFp4 ? 16 : a == tf32 ? 4 : 8);
}

MmaRow ummaRow(const UmmaTypes &entry, const Placement &placement) {
  bool two = placement.ctas == 2;
  bool packedFp4 = entry.kind == MmaKind::Mxf4 || entry.kind == MmaKind::Mxf4nvf4;
  bool inBytes = entry.kind == MmaKind::F8f6f4 || entry.kind == MmaKind::Mxf8f6f4;
  uint8_t container = inBytes ? 8 : 0;
  Residency aFrom = placement.aFrom;
  MmaRow row;
  row.family = placement.sparse ? MmaFamily::Sm100MmaSp : MmaFamily::Sm100Mma;
  row.kind = entry.kind;
  row.k = int16_t(entry.k * (placement.sparse ? 2 : 1));
  row.ctas = placement.ctas;
  row.threads = two ? "2:1" : "1:0";
  row.a = {.element = entry.types.a,
           .fragment = two ? TwoMK : OneMK,
           .registers = {aFrom == Residency::Smem ? RegisterType::B64 : RegisterType::B32, 1},
           .where = aFrom,
           .majors = majorsOf(entry.types.a, aFrom, packedFp4),
           .containerBits = container};
  row.b = {.element = entry.types.b,
           .fragment = two ? TwoNK : OneNK,
           .registers = {RegisterType::B64, 1},
           .where = Residency::Smem,
           .majors = majorsOf(entry.types.b, Residency::Smem, packedFp4),
           .containerBits = container};
  row.c = {.element = entry.types.c,
           .fragment = two ? TwoMN : OneMN,
           .registers = {RegisterType::B32, 1},
           .where = Residency::Tmem};
  row.d = {.element = entry.types.c, .fragment = row.c.fragment, .where = Residency::Tmem};
  if (placement.sparse)
    row.sparsity = {.metadata = Metadata::Plain,
                    .where = Residency::Tmem,
                    .elementsPerByte = elementsPerMetadataByte(entry.types.a, packedFp4)};
  row.recipe = Recipe::Umma;
  row.needs = familySm100 | familySm110;
  row.ptx = 86;
  row.weightStationary = placement.stationary;
  row.mnemonic =
      cat("tcgen05.mma", placement.stationary ? ".ws" : "", placement.sparse ? ".sp" : "",
          ".cta_group::", int(placement.ctas), ".kind::", name(entry.kind));
  row.source = "PTX ISA 9.7.16.2.1, 9.7.16.10.9; CUTLASS mma_traits_sm100.hpp";
  return row;
}

/// "SM100_MMA_<stem>[_2x1SM][_WS]_{SS,TS}[_SPARSE]<a,b,c>". CuTe has no name for .ws; FlashMLA's
/// for 16 bits is so.
std::string ummaName(std::string_view stem, const Placement &placement,
                     std::string_view arguments) {
  return cat("SM100_MMA_", stem, placement.ctas == 2 ? "_2x1SM" : "",
             placement.stationary ? "_WS" : "", placement.aFrom == Residency::Smem ? "_SS" : "_TS",
             placement.sparse ? "_SPARSE" : "", "<", arguments, ">");
}
std::string arguments(const Types &types) {
  return cat(name(types.a), ",", name(types.b), ",", name(types.c));
}

std::vector<UmmaTypes> plainTypes() {
  std::vector<UmmaTypes> all = {{MmaKind::F16, "F16BF16", {f16, f16, f16}, 16},
                                {MmaKind::F16, "F16BF16", {f32, f16, f16}, 16},
                                {MmaKind::F16, "F16BF16", {f32, bf16, bf16}, 16},
                                {MmaKind::Tf32, "TF32", {f32, tf32, tf32}, 8}};
  for (Element a : {s8, u8})
    for (Element b : {s8, u8})
      all.push_back({MmaKind::I8, "S8", {s32, a, b}, 32});
  for (Element a : fp8fp6fp4)
    for (Element b : fp8fp6fp4)
      for (Element c : {f32, f16})
        all.push_back({MmaKind::F8f6f4, "F8F6F4", {c, a, b}, 32});
  return all;
}

/// Sums of integers wrap, or stop at the largest and smallest number (the descriptor's saturate).
std::span<const Overflow> overflowsOf(MmaKind kind) {
  static constexpr Overflow all[] = {Overflow::Wrapped, Overflow::Satfinite};
  return std::span(all).first(kind == MmaKind::I8 ? 2 : 1);
}

void addPlain(std::vector<MmaRow> &rows, const std::vector<Placement> &places) {
  for (const UmmaTypes &entry : plainTypes())
    for (Overflow overflow : overflowsOf(entry.kind))
      for (const Placement &placement : places) {
        bool two = placement.ctas == 2;
        MmaRow row = ummaRow(entry, placement);
        row.name = ummaName(
            entry.stem, placement,
            cat(arguments(entry.types), overflow == Overflow::Satfinite ? ",saturate" : ""));
        row.overflow = overflow;
        row.m = two ? Range(128, 256, 128) : Range(64, 128, 64);
        row.n = two ? Range(16, 256, 16) : Range(8, 256, 8);
        row.scalesInput = entry.kind == MmaKind::F16 || entry.kind == MmaKind::Tf32;
        if (entry.kind == MmaKind::I8) {
          row.n = two ? Range(32, 256, 32) : Range(8, 256, 16, 32);
          row.needs = Requirement::exactly(100) | Requirement::exactly(110);
        }
        if (placement.stationary) { // 32, 64 or 128 rows; 64, 128 and, of a dense A, 256 columns
          row.m = Range(32, 128, 64, 32);
          row.n = placement.sparse ? Range(64, 128, 64) : Range(64, 256, 128, 64);
          row.scalesInput = false;
        }
        rows.push_back(std::move(row));
      }
}

// Scale factors: `vec` elements of a dense row share one (twice as many of a sparse row). The
// sparse atoms of both fp4 kinds are called MXF4NVF4 in CuTe, the dense ones MXF4.
struct Scaling {
  MmaKind kind;
  std::string_view stem, sparseStem;
  Element scale;
  uint8_t vec;
  int16_t k;
  std::string_view modifier; // CuTe leaves mxf8f6f4's only choice, block32, out
};
constexpr Scaling mxf8f6f4{MmaKind::Mxf8f6f4, "MXF8F6F4", "MXF8F6F4", ue8m0, 32, 32, ""};
constexpr Scaling fp4Scalings[] = {
    {MmaKind::Mxf4nvf4, "MXF4", "MXF4NVF4", ue8m0, 16, 64, ".block16"},
    {MmaKind::Mxf4nvf4, "MXF4", "MXF4NVF4", ue4m3, 16, 64, ".block16"},
    {MmaKind::Mxf4, "MXF4", "MXF4NVF4", ue8m0, 32, 64, ".block32"},
    {MmaKind::Mxf4nvf4, "MXF4NVF4_BLOCK32", "MXF4NVF4_BLOCK32", ue8m0, 32, 64, ".block32"},
};

MmaRow scaledRow(const Scaling &scaling, const Types &types, const Placement &placement) {
  bool two = placement.ctas == 2;
  MmaRow row = ummaRow({scaling.kind, scaling.stem, types, scaling.k}, placement);
  uint8_t vec = uint8_t(scaling.vec * (placement.sparse ? 2 : 1));
  row.family = placement.sparse ? MmaFamily::Sm100MmaBsSp : MmaFamily::Sm100MmaBs;
  row.scale = {.element = scaling.scale, .vec = vec, .where = Residency::Tmem};
  row.name = ummaName(placement.sparse ? scaling.sparseStem : scaling.stem, placement,
                      cat(arguments(types), ",", name(scaling.scale), ",", int(vec)));
  // PTX: two CTAs with a sparse A take M = 256 only. (CuTe lets M = 128 through for fp4.)
  row.m = !two ? Range(128) : placement.sparse ? Range(256) : Range(128, 256, 128);
  row.n = two ? Range(16, 256, 16) : Range(8, 256, 8);
  row.ptx = 88; // block16 and block32; before, scale_vec::NX stood in their place
  row.mnemonic += cat(".block_scale", scaling.modifier);
  if (placement.sparse && scaling.kind != MmaKind::Mxf8f6f4)
    row.needs = Requirement::exactly(100) | Requirement::exactly(103) | Requirement::exactly(110);
  return row;
}

void addScaled(std::vector<MmaRow> &rows) {
  for (const Placement &placement : placements()) {
    for (Element a : fp8fp6fp4)
      for (Element b : fp8fp6fp4)
        rows.push_back(scaledRow(mxf8f6f4, {f32, a, b}, placement));
    for (const Scaling &scaling : fp4Scalings)
      rows.push_back(scaledRow(scaling, {f32, e2m1, e2m1}, placement));
  }
}

// K = 96 of sm_103a. CuTe has it for one CTA and for M = 128 of two, and for A in shared memory;
// PTX's shape table lists M = 256 only, and its syntax has A in tensor memory as for K = 64.
constexpr Scaling ultraScalings[] = {
    {MmaKind::Mxf4nvf4, "", "", ue8m0, 16, 96, ".block16"},
    {MmaKind::Mxf4nvf4, "", "", ue4m3, 16, 96, ".block16"},
    {MmaKind::Mxf4nvf4, "", "", ue8m0, 32, 96, ".block32"},
};

void addUltra(std::vector<MmaRow> &rows) {
  for (Residency aFrom : {Residency::Smem, Residency::Tmem})
    for (uint8_t ctas : {1, 2})
      for (const Scaling &scaling : ultraScalings) {
        Types types{f32, e2m1, e2m1};
        MmaRow row = scaledRow(scaling, types, {ctas, aFrom, false});
        row.name = cat("SM103_MXF4_ULTRA", ctas == 2 ? "_2x1SM" : "",
                       aFrom == Residency::Smem ? "_SS_VS<" : "_TS_VS<", arguments(types), ",",
                       name(scaling.scale), ",", int(scaling.vec), ">");
        row.n = Range(16, 256, 16);
        row.needs = Requirement::exactly(103);
        row.source = "PTX ISA 9.7.16.2.1, 9.7.16.10.9; CUTLASS mma_traits_sm103.hpp";
        rows.push_back(std::move(row));
      }
}
} // namespace

void addSm100Mma(std::vector<MmaRow> &rows) {
  addPlain(rows, placements());
  addScaled(rows);
  addUltra(rows);
  addPlain(rows, stationaryPlacements());
}

} // namespace tessera::atom
