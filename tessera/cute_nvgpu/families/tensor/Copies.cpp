// Copies between tensor memory and registers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute_nvgpu/CuteNvgpu.h"
#include "tessera/cute_nvgpu/Diagnostics.h"
#include "tessera/cute_nvgpu/families/tensor/Tensor.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute_nvgpu;

template <class Op> static Result<const atom::CopyRow *> rowOf(Op op, atom::CopyFamily family) {
  return atom::find({.family = family,
                     .rows = int64_t(op.getNumDp()),
                     .columns = int64_t(op.getNumB()),
                     .packed16 = op.getPack16b()});
}
Result<const atom::CopyRow *> ArchTmemLoadOp::getRow() {
  return rowOf(*this, atom::CopyFamily::TmemLoad);
}
Result<const atom::CopyRow *> ArchTmemStoreOp::getRow() {
  return rowOf(*this, atom::CopyFamily::TmemStore);
}

/// The row and the repetitions say how many registers there are.
template <class Op>
static LogicalResult verifyTmemCopy(Op op, StringRef side, Type pointer, Type words) {
  auto space = cast<cute::PtrType>(pointer).getAddressSpace();
  if (space != cute::AddressSpace::Tmem)
    return refuse(op, Diag::PointerSpace, side, StringRef("tmem"), pointer);
  Result<const atom::CopyRow *> row = op.getRow();
  if (!row)
    return refuse(op, Diag::NoSuchAtom, StringRef(row.reason().text));
  if (!(*row)->amounts.contains(op.getNumRep()))
    return refuse(op, Diag::TmemRepeats, StringRef((*row)->name), (*row)->amounts.first,
                  (*row)->amounts.last, op.getNumRep());
  auto vector = dyn_cast<VectorType>(words);
  int64_t count = vector ? vector.getNumElements() : 1;
  int64_t expected = (*row)->registersFor(op.getNumRep());
  return count == expected ? success() : refuse(op, Diag::TmemRegisters, expected, count);
}
LogicalResult ArchTmemLoadOp::verify() {
  return verifyTmemCopy(*this, "src", getSrc().getType(), getType());
}
LogicalResult ArchTmemStoreOp::verify() {
  return verifyTmemCopy(*this, "dst", getDst().getType(), getValue().getType());
}

Result<const atom::CopyRow *> ArchTmemLoadRedOp::getRow() {
  return atom::find({.family = atom::CopyFamily::TmemLoadRed,
                     .rows = int64_t(getNumDp()),
                     .columns = int64_t(getNumB()),
                     .reduction = getSmallest() ? atom::Reduction::Min : atom::Reduction::Max});
}
LogicalResult ArchTmemLoadRedOp::verify() {
  CopyForm form;
  form.valType = getTypeAttr().getValue();
  form.key.rows = int64_t(getNumDp());
  form.amount = int64_t(getNumRep());
  form.laneReduction = getReduction();
  form.halfSplit = int64_t(getHalfSplit().value_or(0));
  if (failed(verifyLoadReduction([&] { return emitOpError(); }, form)))
    return failure();
  return verifyTmemCopy(*this, "src", getSrc().getType(), getResult().getType());
}

Result<const atom::CopyRow *> ArchCopyS2TOp::getRow() {
  return atom::find({.family = atom::CopyFamily::S2TCopy,
                     .rows = int64_t(getNumDp()),
                     .columns = int64_t(getNumB()),
                     .format = getFormat().value_or(atom::PackedFormat::None),
                     .broadcast = getBroadcast(),
                     .ctas = int64_t(getNumCta())});
}
LogicalResult ArchCopyS2TOp::verify() {
  auto pointer = cast<cute::PtrType>(getDst().getType());
  if (pointer.getAddressSpace() != cute::AddressSpace::Tmem)
    return refuse(*this, Diag::PointerSpace, StringRef("dst"), StringRef("tmem"), pointer);
  Result<const atom::CopyRow *> row = getRow();
  return row ? success() : refuse(*this, Diag::NoSuchAtom, StringRef(row.reason().text));
}

#define GET_OP_CLASSES
#include "tessera/cute_nvgpu/families/tensor/Copies.cpp.inc"
