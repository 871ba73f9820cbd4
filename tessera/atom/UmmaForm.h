// UmmaForm: legal combinations of qualifiers of tcgen05.mma, and of scale factors in a block-scaled
// product.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/atom/Errors.h"
#include "tessera/atom/MmaRow.h"

#include <optional>
#include <span>

namespace tessera::atom {

/// `.scale_vec::NX`: scale factors of a row; None if it is not written (or if `.block16` or
/// `.block32` is).
enum class ScaleVec : uint8_t {
  None,
  X1,
  X2,
  X4
};
/// What happens to the collector's copy of A, or of B in a product whose B stays.
enum class Collector : uint8_t {
  Discard,
  LastUse,
  Fill,
  Use
};

std::span<const Spelling<ScaleVec>> spellings(ScaleVec);   // "x2"
std::span<const Spelling<Collector>> spellings(Collector); // "lastuse"

/// The qualifiers of a tcgen05.mma.
struct UmmaForm {
  MmaKind kind = MmaKind::F16;
  int ctas = 1;
  bool sparse = false, blockScale = false, scaleInput = false, ashift = false,
       weightStationary = false;
  ScaleVec scaleVec = ScaleVec::None;
  Collector collectorA = Collector::Discard;
  int collectorBuffer = 0; // of B, 0 to 3
};

/// A rule of the ladder, and whether it depends on the target.
struct UmmaRule {
  Error sentence;
  bool ofTarget;
  bool (*broken)(const UmmaForm &, const Target *);
};
std::span<const UmmaRule> ummaRules();
/// The first rule of the ladder that the form breaks. Without a target, rules that depend on it are
/// skipped. Source: PTX ISA 9.7.16.10.9 and its table of qualifiers.
std::optional<Reason> ummaRefusal(const UmmaForm &, const Target *target = nullptr);

/// The PTX of a form, without operands. `vec` dense elements share a scale factor of a block-scaled
/// product. If the form has no `.scale_vec`, it is written as `.block16` or `.block32`, except for
/// mxf8f6f4, which has only one choice.
std::string mnemonic(const UmmaForm &, int64_t vec);

/// A product that may be block-scaled. A product without scale factors has Element::none, and
/// vectors of 0.
struct ScaledForm {
  Element a, b, c;
  Element scaleA = Element::none, scaleB = Element::none;
  int64_t k = 0;              // of one instruction
  int64_t vecA = 0, vecB = 0; // elements of a row that share a scale factor
};
struct ScaledRule {
  Error sentence;
  bool (*broken)(const ScaledForm &);
};
std::span<const ScaledRule> scaledRules();
/// The first rule of the block-scaled ladder that the form breaks. A sparse A doubles k and the
/// vectors: give half of them. Source: PTX ISA 9.7.14.3 and 9.7.16.10.7 (tables of .scale_vec_size
/// and .kind).
std::optional<Reason> scaledRefusal(const ScaledForm &);

} // namespace tessera::atom
