// The ladders of tcgen05.mma and of block scaling: rules as rows, in order; the first that is
// broken is reported.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/atom/UmmaForm.h"

#include <algorithm>

namespace tessera::atom {

namespace {
using Form = const UmmaForm &;
using At = const Target *;

bool isFp4(MmaKind kind) { return kind == MmaKind::Mxf4 || kind == MmaKind::Mxf4nvf4; }
bool isScaledKind(MmaKind kind) { return kind == MmaKind::Mxf8f6f4 || isFp4(kind); }
bool hasUmma(const Target &t) { return (familySm100 | familySm110).metBy(t); }
bool hasInt8(const Target &t) {
  return (Requirement::exactly(100) | Requirement::exactly(110)).metBy(t);
} // not sm_103a
bool isOfFamily(const Target &t) { return t.suffix() == Suffix::F; }

/// Rules 0 to 4 ask for the target; the others follow from the qualifiers.
constexpr UmmaRule ladder[] = {
    {Error::UmmaArch, true, [](Form, At t) { return !hasUmma(*t); }},
    {Error::UmmaInt8, true, [](Form f, At t) { return f.kind == MmaKind::I8 && !hasInt8(*t); }},
    {Error::UmmaSparseFp4, true,
     [](Form f, At t) { return f.sparse && isFp4(f.kind) && isOfFamily(*t); }},
    {Error::UmmaScaleVec, true,
     [](Form f, At t) { return f.scaleVec != ScaleVec::None && isOfFamily(*t); }},
    {Error::UmmaScaleInputArch, true,
     [](Form f, At t) { return f.scaleInput && !familySm100.metBy(*t); }},
    {Error::UmmaScaleInput, false,
     [](Form f, At) { return f.scaleInput && f.kind != MmaKind::F16 && f.kind != MmaKind::Tf32; }},
    {Error::UmmaBlockScale, false,
     [](Form f, At) { return f.blockScale && !isScaledKind(f.kind); }},
    {Error::UmmaAshiftScaled, false, [](Form f, At) { return f.ashift && f.blockScale; }},
    {Error::UmmaStationaryPair, false,
     [](Form f, At) { return f.weightStationary && f.ctas == 2; }},
    {Error::UmmaStationaryScaled, false,
     [](Form f, At) { return f.weightStationary && isScaledKind(f.kind); }},
    {Error::UmmaAshiftCollector, false,
     [](Form f, At) {
       return f.ashift && (f.collectorA == Collector::Use || f.collectorA == Collector::Fill);
     }},
    {Error::UmmaVecMxf8f6f4, false,
     [](Form f, At) {
       return f.kind == MmaKind::Mxf8f6f4 &&
              (f.scaleVec == ScaleVec::X2 || f.scaleVec == ScaleVec::X4);
     }},
    {Error::UmmaVecMxf4nvf4, false,
     [](Form f, At) { return f.kind == MmaKind::Mxf4nvf4 && f.scaleVec == ScaleVec::X1; }},
    {Error::UmmaVecMxf4, false,
     [](Form f, At) {
       return f.kind == MmaKind::Mxf4 && (f.scaleVec == ScaleVec::X1 || f.scaleVec == ScaleVec::X4);
     }},
};

using Scaled = const ScaledForm &;
bool isScaled(Scaled f) { return f.scaleA != Element::none || f.scaleB != Element::none; }
bool areFp4(Scaled f) { return f.a == Element::e2m1 && f.b == Element::e2m1; }
bool isPair(Scaled f, int64_t k, int64_t vec) { return f.k == k && f.vecA == vec; }

/// The valid pairs (K of an instruction, elements per scale factor) of mxf8f6f4, of mxf4nvf4 and of
/// mxf4; K = 96 is for sm_103.
struct Pair {
  int64_t k, vec;
};
constexpr Pair pairs[] = {{32, 32}, {64, 16}, {64, 32}, {96, 16}, {96, 32}};
bool hasPair(Scaled f) {
  return std::any_of(std::begin(pairs), std::end(pairs),
                     [&](Pair p) { return isPair(f, p.k, p.vec); });
}

/// Five phases, then what a pair asks of the types. A product without scale factors ends after the
/// first rule.
constexpr ScaledRule scaledLadder[] = {
    // fp4 side by side, 64 and more along K, has no unscaled instruction; in 8-bit containers K
    // is 32.
    {Error::ScaledFp4, [](Scaled f) { return !isScaled(f) && areFp4(f) && f.k >= 64; }},
    {Error::ScaledTypesDiffer, [](Scaled f) { return f.scaleA != f.scaleB; }},
    {Error::ScaledAccumulator, [](Scaled f) { return isScaled(f) && f.c != Element::f32; }},
    {Error::ScaledVectors, [](Scaled f) { return isScaled(f) && f.vecA != f.vecB; }},
    {Error::ScaledConfiguration, [](Scaled f) { return isScaled(f) && !hasPair(f); }},
    // Unreachable: it asks what ScaledTypesDiffer asks. The closed compiler has both, in the
    // verifiers of two dialects.
    {Error::ScaledSameTypes, [](Scaled f) { return f.scaleA != f.scaleB; }},
    {Error::ScaledFp4Operands, [](Scaled f) { return isPair(f, 64, 16) && !areFp4(f); }},
    {Error::ScaledFp4Scales,
     [](Scaled f) {
       return isPair(f, 64, 16) && f.scaleA != Element::ue8m0 && f.scaleA != Element::ue4m3;
     }},
    {Error::ScaledMxf4,
     [](Scaled f) { return isPair(f, 64, 32) && (!areFp4(f) || f.scaleA != Element::ue8m0); }},
};

constexpr Spelling<ScaleVec> scaleVecs[] = {
    {ScaleVec::None, "none", ""}, {ScaleVec::X1, "x1"}, {ScaleVec::X2, "x2"}, {ScaleVec::X4, "x4"}};
constexpr Spelling<Collector> collectors[] = {{Collector::Discard, "discard"},
                                              {Collector::LastUse, "lastuse"},
                                              {Collector::Fill, "fill"},
                                              {Collector::Use, "use"}};
} // namespace

std::span<const Spelling<ScaleVec>> spellings(ScaleVec) { return scaleVecs; }
std::span<const Spelling<Collector>> spellings(Collector) { return collectors; }

std::span<const UmmaRule> ummaRules() { return ladder; }
std::span<const ScaledRule> scaledRules() { return scaledLadder; }

std::optional<Reason> ummaRefusal(const UmmaForm &form, const Target *target) {
  for (const UmmaRule &rule : ladder)
    if ((target || !rule.ofTarget) && rule.broken(form, target))
      return fail(rule.sentence);
  return std::nullopt;
}

std::string mnemonic(const UmmaForm &form, int64_t vec) {
  std::string text =
      cat("tcgen05.mma", form.weightStationary ? ".ws" : "", form.sparse ? ".sp" : "",
          ".cta_group::", form.ctas, ".kind::", name(form.kind));
  if (form.blockScale)
    text += ".block_scale";
  if (form.scaleVec != ScaleVec::None)
    text += cat(".scale_vec::", form.scaleVec == ScaleVec::X1   ? "1X"
                                : form.scaleVec == ScaleVec::X2 ? "2X"
                                                                : "4X");
  else if (form.blockScale && isFp4(form.kind))
    text += cat(".block", vec);
  if (form.ashift)
    text += ".ashift";
  if (form.collectorA != Collector::Discard)
    text += cat(
        ".collector::", form.weightStationary ? cat("b", form.collectorBuffer) : std::string("a"),
        "::", name(form.collectorA));
  return text;
}

std::optional<Reason> scaledRefusal(const ScaledForm &form) {
  for (const ScaledRule &rule : scaledLadder)
    if (rule.broken(form))
      return fail(rule.sentence, form.vecA, form.vecB, form.k);
  return std::nullopt;
}

} // namespace tessera::atom
