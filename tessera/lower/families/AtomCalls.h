// AtomCalls: one call of an atom, and what recipes of all families build with.
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
  cute::Opaque value; // the atom by its run-time fields
  cute::View src, dst;
  mlir::Value pred; // i1, or null

  const atom::CopyRow &row() const { return *atom.row; }
  cute_nvgpu::TableCopyAtom atomType() const {
    return mlir::cast<cute_nvgpu::TableCopyAtom>(cute::untiled(value.type));
  }
  /// Values of the atom's value type that a thread moves.
  int64_t valuesOf(const cute::View &) const;
};
/// One call of an MMA atom.
struct MmaCall {
  Expander &e;
  cute_nvgpu::MmaInstance atom;
  cute::Opaque value; // the atom by its run-time fields
  cute::View d, a, b, c;
  int64_t selector;

  const atom::MmaRow &row() const { return *atom.row; }
  cute_nvgpu::TableMmaAtom atomType() const {
    return mlir::cast<cute_nvgpu::TableMmaAtom>(cute::untiled(value.type));
  }
};
/// The type in which an instruction takes a register of an operand: pairs of f16 as such, other
/// packed formats as bits.
mlir::Type registerType(Expander &, const atom::Operand &, mlir::Type element);

/// Words of a lane as one value: a number, or a vector of them.
mlir::Type registersType(Expander &, int64_t count);

/// The pointer of a view as an operand of an architecture op: offsets and swizzle applied, seen as
/// a pointer to `element`, or to its own elements.
mlir::Value operandPointer(Expander &, const cute::View &, mlir::Type element = {});

} // namespace tessera::lower
