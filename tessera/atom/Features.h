// Features: what targets offer besides atoms, one row for each thing a lowering may emit.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// llc aborts on an instruction that the target lacks, so the gate before it must know all of them.
#pragma once

#include "tessera/atom/Target.h"

#include <algorithm>
#include <span>

namespace tessera::atom {

struct FeatureRow {
  std::string_view id;   // "cvt_fp8"
  std::string_view what; // "conversions to and from e4m3 and e5m2", the subject of a sentence
  Requirement needs;
  uint8_t ptx; // lowest PTX version, major * 10 + minor
  std::string_view source;

  int ptxFor(Target target) const { return std::max(int(ptx), target.minimumPtx()); }
};

std::span<const FeatureRow> features();
/// The row with this id, or a reason.
Result<const FeatureRow *> feature(std::string_view id);

} // namespace tessera::atom
