// AtomCalls: what an atom call becomes, by the family of its row.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/cute_nvgpu/CuteNvgpu.h"
#include "tessera/lower/expand/Expander.h"
#include "tessera/lower/expand/Runs.h"

namespace tessera::lower {

/// One call of a copy atom.
struct CopyCall {
  Expander &e;
  cute_nvgpu::CopyInstance atom;
  mlir::Type atomType; // without tiling
  cute::View src, dst;
  mlir::Value pred; // i1, or null

  const atom::CopyRow &row() const { return *atom.row; }
  /// Values of the atom's value type that a thread moves.
  int64_t valuesOf(const cute::View &) const;
};
Result<Done> universalCopy(CopyCall);
Result<Done> asyncCopy(CopyCall);
Result<Done> loadMatrix(CopyCall);
Result<Done> storeMatrix(CopyCall);

/// One call of an MMA atom.
struct MmaCall {
  Expander &e;
  cute_nvgpu::MmaInstance atom;
  mlir::Type atomType; // without tiling
  cute::View d, a, b, c;
  mlir::Value metadata; // E of sparse atoms
  int64_t selector;

  const atom::MmaRow &row() const { return *atom.row; }
};
Result<Done> fusedMultiplyAdd(MmaCall);
Result<Done> warpMma(MmaCall);

/// The pointer of a view as an operand of an architecture op: offsets and swizzle applied, seen as a pointer to
/// `element`, or to its own elements.
mlir::Value operandPointer(Expander &, const cute::View &, mlir::Type element = {});

} // namespace tessera::lower
