// AtomCalls: one call of an atom, and helpers that recipes of all families share.
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
  /// Number of values of the atom's value type that a thread moves.
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

/// A field of the atom of a call, by the name that `atom.set_value` has for it. It must be set.
template <class Call> mlir::Value field(const Call &call, llvm::StringRef name) {
  return call.e.emit.field(call.value, cute_nvgpu::placeOfField(call.value.type, name));
}
/// Likewise; null if it is not set.
template <class Call> mlir::Value fieldIfSet(const Call &call, llvm::StringRef name) {
  return call.e.field(call.value, cute_nvgpu::placeOfField(call.value.type, name));
}

/// The type in which an instruction takes a register of an operand: pairs of f16 as a vector, other
/// packed formats as bits.
mlir::Type registerType(Expander &, const atom::Operand &, mlir::Type element);

/// The type of a lane's words as one value: an integer, or a vector of integers.
mlir::Type registersType(Expander &, int64_t count);

/// The pointer to a view's first element as operand of an architecture op: with offsets and
/// swizzles of the pointer and of a composed layout applied, as a pointer to `element`, or to its
/// own elements.
Result<mlir::Value> operandPointer(Expander &, const cute::View &, mlir::Type element = {});

} // namespace tessera::lower
