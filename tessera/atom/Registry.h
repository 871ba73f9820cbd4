// Registry: all rows, and finding one by name or by its columns.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/atom/CopyRow.h"
#include "tessera/atom/MmaRow.h"

#include <optional>

namespace tessera::atom {

/// All MMA and copy instructions, by tier. Built on the first call; rows never move.
std::span<const MmaRow> mmaRows();
std::span<const CopyRow> copyRows();

/// The row with this CuTe name or alias. A name with a number in place of a parametric N also finds
/// its row: SM90_64x128x16_F32F16F16_SS.
Result<const MmaRow *> findMma(std::string_view name);
Result<const CopyRow *> findCopy(std::string_view name);

/// The columns that an MMA atom type states. Each is compared; an empty one matches any value.
struct MmaQuery {
  MmaFamily family;
  int64_t m = 0, n = 0, k = 0;
  Element a = Element::none, b = Element::none, c = Element::none;
  Major aMajor = Major::K, bMajor = Major::K;
  Metadata metadata = Metadata::None;
  Element scale = Element::none;
  int vec = 0; // elements along K per scale factor
  int ctas = 1;
  Overflow overflow = Overflow::Wrapped;
  BitOp bitOp = BitOp::None;
  bool weightStationary = false;       // sm100: tcgen05.mma.ws
  std::optional<Residency> aFrom = {}; // sm90, sm100: registers, shared or tensor memory
  std::optional<MmaKind> kind = {};    // if types alone leave a choice (mxf4 and mxf4nvf4)

  friend bool operator==(const MmaQuery &, const MmaQuery &) = default;
};

/// The row of an atom type, or a reason with the column that does not match and its legal values.
Result<const MmaRow *> find(const MmaQuery &);
/// The row with this key, or such a reason.
Result<const CopyRow *> find(const CopyKey &);

/// The types that a family's bulk reduction accepts: "u32, s32 or u64".
std::string reducedTypes(CopyFamily, Reduction);

/// Nothing if `target` meets `needs`; otherwise the reason, about `what`.
std::optional<Reason> refusal(std::string_view what, const Requirement &needs, Target target);

} // namespace tessera::atom
