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
  cute::Opaque value; // the atom by its run-time fields
  cute::View src, dst;
  mlir::Value pred; // i1, or null

  const atom::CopyRow &row() const { return *atom.row; }
  mlir::Type atomType() const { return cute::untiled(value.type); }
  /// Values of the atom's value type that a thread moves.
  int64_t valuesOf(const cute::View &) const;
};
Result<Done> universalCopy(CopyCall);
Result<Done> asyncCopy(CopyCall);
Result<Done> loadMatrix(CopyCall);
Result<Done> storeMatrix(CopyCall);
Result<Done> tmaLoad(CopyCall);
Result<Done> tmaStore(CopyCall);
Result<Done> tmaReduce(CopyCall);
Result<Done> tmaPrefetch(CopyCall);
Result<Done> bulkCopyG2S(CopyCall);
Result<Done> bulkCopyS2G(CopyCall);
Result<Done> bulkCopyS2S(CopyCall);
Result<Done> bulkReduce(CopyCall);
Result<Done> bulkPrefetch(CopyCall);
Result<Done> dsmemStore(CopyCall);

/// One call of an MMA atom.
struct MmaCall {
  Expander &e;
  cute_nvgpu::MmaInstance atom;
  cute::Opaque value; // the atom by its run-time fields
  cute::View d, a, b, c;
  int64_t selector;

  const atom::MmaRow &row() const { return *atom.row; }
  mlir::Type atomType() const { return cute::untiled(value.type); }
};
Result<Done> fusedMultiplyAdd(MmaCall);
Result<Done> warpMma(MmaCall);
Result<Done> groupMma(MmaCall);

/// The type in which an instruction takes a register of an operand: pairs of f16 as such, other
/// packed formats as bits.
mlir::Type registerType(Expander &, const atom::Operand &, mlir::Type element);

/// A tensor map made by the host: its atom and the tensor of its coordinates.
struct MappedTensor {
  cute::Opaque atom;
  cute::Datum coords;
};
Result<MappedTensor> tensorMap(Expander &, cute_nvgpu::MakeNonExecTiledTmaLoadOp);
Result<MappedTensor> tensorMap(Expander &, cute_nvgpu::MakeNonExecTiledTmaStoreOp);
Result<MappedTensor> tensorMap(Expander &, cute_nvgpu::MakeNonExecTiledTmaReduceOp);
/// A tensor map in memory gets another tensor's address, extents and strides.
Result<Done> updateTensorMap(Expander &, cute_nvgpu::UpdateTmaDescOp);

/// The pointer of a view as an operand of an architecture op: offsets and swizzle applied, seen as
/// a pointer to `element`, or to its own elements.
mlir::Value operandPointer(Expander &, const cute::View &, mlir::Type element = {});

} // namespace tessera::lower
