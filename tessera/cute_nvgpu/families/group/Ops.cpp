// Products of a warpgroup: which registers and descriptors they take.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute_nvgpu/MmaRegisters.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute_nvgpu;

namespace {
template <class Op> bool hasDescriptorA(Op op) {
  return llvm::any_of(op.getA().getTypes(), llvm::IsaPred<SmemDescType>);
}

template <class Op> LogicalResult verifyGroupMma(Op op) {
  FailureOr<const atom::MmaRow *> found = rowFor(op, op.getShapeMNK().getValue());
  if (failed(found))
    return failure();
  const atom::MmaRow &row = **found;
  Type accumulators = accumulatorOf(op.getC().getTypes());
  if (accumulators && elementOf(op.getCdType()) != elementOf(accumulators))
    return refuse(op, Diag::AccumulatorType, op.getCdType(), op.getC().getTypes().front());
  if ((op.getNegA() || op.getNegB()) && !row.negates())
    return refuse(op, Diag::Negate, StringRef(row.name));
  if (op.takesDescriptor() && op.getA().size() != 1)
    return refuse(op, Diag::OneDescriptor, op.getA().size());
  SmallVector<RegisterGroup> groups = {{"C", op.getC().getTypes(), row.c},
                                       {"D", op.getD().getTypes(), row.c}};
  if (!op.takesDescriptor())
    groups.push_back({"A", op.getA().getTypes(), row.a});
  return verifyGroups(op, row, op.getShapeMNK().getValue()[1].leaf().value.value, groups);
}
} // namespace

Result<const atom::MmaRow *> ArchMmaSm90Op::getRow() {
  return rowOf(formOf(*this, atom::MmaFamily::Sm90Mma, getShapeMNK().getValue()));
}
Result<const atom::MmaRow *> ArchMmaSm90SparseOp::getRow() {
  MmaForm form = formOf(*this, atom::MmaFamily::Sm90MmaSp, getShapeMNK().getValue());
  form.query.metadata = atom::Metadata::Plain;
  return rowOf(form);
}
bool ArchMmaSm90Op::takesDescriptor() { return hasDescriptorA(*this); }
bool ArchMmaSm90SparseOp::takesDescriptor() { return hasDescriptorA(*this); }
LogicalResult ArchMmaSm90Op::verify() { return verifyGroupMma(*this); }
LogicalResult ArchMmaSm90SparseOp::verify() {
  return failed(verifyGroupMma(*this)) ? failure() : verifySelector(*this);
}

#define GET_OP_CLASSES
#include "tessera/cute_nvgpu/families/group/Ops.cpp.inc"
