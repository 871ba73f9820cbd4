// What atom types answer: layouts, the gates of a call, fragments. One implementation for all rows.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute_nvgpu/AtomTypes.h"
#include "tessera/cute_nvgpu/Diagnostics.h"

#include "tessera/layout/Domains.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute_nvgpu;
using cute::AddressSpace;
using cute::CuteMemRefType;
using layout::MmaOperand;

//===--- copies -------------------------------------------------------------------------------===//

namespace {
using Emitter = function_ref<InFlightDiagnostic()>;

template <class... Pieces>
LogicalResult report(Emitter emitError, Diag diag, const Pieces &...pieces) {
  return emitError() << sentence(diag, pieces...);
}

bool isIn(AddressSpace have, atom::Space want) {
  switch (want) {
  case atom::Space::Any: return have != AddressSpace::tmem;
  case atom::Space::Gmem: return have == AddressSpace::gmem || have == AddressSpace::generic;
  case atom::Space::Smem: return have == AddressSpace::smem || have == AddressSpace::generic;
  case atom::Space::Dsmem:
    return have == AddressSpace::dsmem ||
           have == AddressSpace::smem; // its window has the CTA's own
  case atom::Space::Rmem: return have == AddressSpace::rmem;
  case atom::Space::Tmem: return have == AddressSpace::tmem;
  }
  return false;
}

/// Gate of one side: where it is, then how its pointer is aligned. Registers have no alignment.
LogicalResult verifySide(Emitter emitError, Type atom, StringRef side, Type view, atom::Space space,
                         int64_t alignBits) {
  auto memref = dyn_cast<CuteMemRefType>(view);
  if (!memref)
    return success(); // coordinates and descriptors have their own rules
  if (!isIn(memref.getAddressSpace(), space))
    return report(emitError, Diag::CopySpace, side, atom, StringRef(atom::name(space)),
                  cute::stringifyAddressSpace(memref.getAddressSpace()));
  bool inMemory = memref.getAddressSpace() != AddressSpace::rmem &&
                  memref.getAddressSpace() != AddressSpace::tmem;
  int64_t have = memref.getPtrType().getAlignment() * 8;
  if (inMemory && have < alignBits)
    return report(emitError, Diag::CopyAlignment, side, have, alignBits, atom);
  return success();
}

/// One side of a bulk copy: bytes in order.
LogicalResult verifyRun(Emitter emitError, Type atom, StringRef side, Type view, int64_t bits) {
  auto memref = dyn_cast<CuteMemRefType>(view);
  if (!memref || memref.getAddressSpace() == AddressSpace::rmem)
    return success();
  if (memref.getPtrType().hasSwizzle() || memref.getLayout().composed())
    return report(emitError, Diag::BulkSwizzle, side, atom, view);
  layout::Symbolic arith;
  int64_t elements = bits / cute::bitsOf(memref.getElementType());
  if (elements == 1)
    return success();
  if (elements == 0) // a part of one
    return report(emitError, Diag::BulkRun, side, atom, elements, memref.getLayout());
  layout::Layout run = layout::coalesce(arith, memref.getLayout().outer()[0]);
  const layout::Int extent =
      run.shape.isLeaf() ? run.shape.leaf().value : run.shape[0].leaf().value;
  const layout::Leaf stride = run.stride.isLeaf() ? run.stride.leaf() : run.stride[0].leaf();
  if (extent.isStatic() && extent.value % elements == 0 && !stride.isBasis() && stride.value.is(1))
    return success();
  return report(emitError, Diag::BulkRun, side, atom, elements, memref.getLayout());
}

bool movesRuns(atom::CopyFamily family) {
  return family >= atom::CopyFamily::BulkG2S && family <= atom::CopyFamily::DsmemStore;
}

LogicalResult verifyCopy(Emitter emitError, Type atom, const CopyInstance &copy, Type src,
                         Type dst) {
  const atom::CopyRow &row = *copy.row;
  // Where the row leaves it open, a side is aligned to what a thread moves at once.
  int64_t moved = row.amounts.unit == atom::Amounts::Bits && copy.amount ? copy.amount : 8;
  if (row.key.family != atom::CopyFamily::UniversalCopy &&
      row.key.family != atom::CopyFamily::SimtAsyncCopy &&
      row.key.family != atom::CopyFamily::DsmemStore)
    moved = 8;
  if (failed(
          verifySide(emitError, atom, "src", src, row.from, row.alignFrom ? row.alignFrom : moved)))
    return failure();
  if (failed(verifySide(emitError, atom, "dst", dst, row.to, row.alignTo ? row.alignTo : moved)))
    return failure();
  if (!movesRuns(row.key.family))
    return success();
  if (failed(verifyRun(emitError, atom, "src", src, copy.amount)))
    return failure();
  return verifyRun(emitError, atom, "dst", dst, copy.amount);
}

layout::CopyAtomLayouts copyLayouts(const CopyInstance &copy, Type value) {
  Result<layout::CopyAtomLayouts> layouts =
      atom::layouts(*copy.row, copy.amount, cute::bitsOf(value));
  if (!layouts) // runs that are not a whole number of values; seen as bits
    layouts = atom::bitLayouts(*copy.row, copy.amount);
  return *std::move(layouts);
}

//===--- MMAs ---------------------------------------------------------------------------------===//

struct CallOperand {
  StringRef name;
  Type view, element;
  atom::Residency where;
};

Type elementOfView(Type view) {
  auto memref = dyn_cast<CuteMemRefType>(view);
  return memref ? memref.getElementType() : Type();
}

LogicalResult verifyElements(Emitter emitError, ArrayRef<CallOperand> operands) {
  for (const CallOperand &operand : operands) {
    Type element = elementOfView(operand.view);
    if (operand.where == atom::Residency::Rmem && !element)
      return report(emitError, Diag::NoElement);
    if (element && element != operand.element)
      return report(emitError, Diag::ElementOfOperand, operand.name, operand.element, element);
  }
  return success();
}

bool isResident(Type view, atom::Residency where) {
  auto memref = dyn_cast<CuteMemRefType>(view);
  switch (where) {
  case atom::Residency::Rmem: return memref && memref.getAddressSpace() == AddressSpace::rmem;
  case atom::Residency::Tmem: return memref && memref.getAddressSpace() == AddressSpace::tmem;
  case atom::Residency::Smem: return isa<SmemDescViewType>(view);
  }
  return false;
}

LogicalResult verifyResidency(Emitter emitError, ArrayRef<CallOperand> operands) {
  bool allRegisters = llvm::all_of(
      operands, [](const CallOperand &operand) { return operand.where == atom::Residency::Rmem; });
  const Diag diags[] = {Diag::ResidencyA, Diag::ResidencyB, Diag::ResidencyD, Diag::ResidencyD};
  for (auto [operand, diag] : llvm::zip(operands, diags)) {
    if (isResident(operand.view, operand.where))
      continue;
    if (allRegisters)
      return report(emitError, Diag::Rmem, operands[0].view, operands[1].view, operands[3].view);
    return report(emitError, diag, operand.view);
  }
  return success();
}

/// Registers: each operand's value mode holds what the atom takes of it, statically. Of a sparse A
/// the atom's layout has the logical tile, a thread the half that is kept.
LogicalResult verifyLayouts(Emitter emitError, const layout::MmaAtomLayouts &layouts, bool sparse,
                            ArrayRef<CallOperand> operands) {
  layout::Symbolic arith;
  const layout::Layout *atoms[] = {&layouts.a, &layouts.b, &layouts.c, &layouts.c};
  auto layoutOf = [](Type view) { return cast<ViewType>(view).getViewLayout(); };
  for (auto [operand, tv] : llvm::zip(operands, atoms)) {
    if (operand.where != atom::Residency::Rmem)
      continue;
    layout::AnyLayout l = layoutOf(operand.view);
    if (!l.isStatic() || l.outer().stride.hasBasis())
      return report(emitError, Diag::LayoutOfOperand, operand.name);
    int64_t kept = layout::size(arith, (*tv)[1]).value / (sparse && tv == &layouts.a ? 2 : 1);
    if (!layout::product(arith, l.shape()[0]).is(kept))
      return report(emitError, Diag::InvalidLayouts, layoutOf(operands[0].view),
                    layoutOf(operands[1].view), layoutOf(operands[3].view));
  }
  return success();
}

LogicalResult verifyMma(Emitter emitError, const MmaInstance &mma, Type a, Type b, Type c, Type d,
                        Type elementA, Type elementB, Type elementC) {
  const atom::MmaRow &row = *mma.row;
  CallOperand operands[] = {{"a", a, elementA, row.a.where},
                            {"b", b, elementB, row.b.where},
                            {"c", c, elementC, row.d.where},
                            {"d", d, elementC, row.d.where}};
  if (failed(verifyElements(emitError, operands)) || failed(verifyResidency(emitError, operands)))
    return failure();
  return verifyLayouts(emitError, *atom::layouts(row, mma.m, mma.n), row.sparsity.isSparse(),
                       operands);
}

SmallVector<Type> typesOfFields(Type atom) {
  return llvm::map_to_vector(fieldsOf(atom), [](const AtomField &field) { return field.type; });
}

/// What all MMA types answer alike. T has getA, getB and getC.
template <class T> Type operandType(T t, MmaOperand operand) {
  return operand == MmaOperand::A ? t.getA() : operand == MmaOperand::B ? t.getB() : t.getC();
}
} // namespace

#define MMA_ANSWERS(TYPE)                                                                          \
  layout::MmaAtomLayouts TYPE::getLayouts() const {                                                \
    MmaInstance mma = *getInstance();                                                              \
    return *atom::layouts(*mma.row, mma.m, mma.n);                                                 \
  }                                                                                                \
  bool TYPE::isStatic() const { return getFieldTypes().empty(); }                                  \
  Type TYPE::getOperandType(MmaOperand operand) const { return operandType(*this, operand); }      \
  SmallVector<Type> TYPE::getFieldTypes() const { return typesOfFields(*this); }                   \
  LogicalResult TYPE::verifyCall(Emitter emitError, Type d, Type a, Type b, Type c) const {        \
    return verifyMma(emitError, *getInstance(), a, b, c, d, getA(), getB(), getC());               \
  }                                                                                                \
  Result<Type> TYPE::fragmentType(MmaOperand operand, Type partition) const {                      \
    return cute_nvgpu::fragmentType(*getInstance(), operandType(*this, operand), operand,          \
                                    partition);                                                    \
  }
MMA_ANSWERS(UniversalFmaType)
MMA_ANSWERS(Sm80MmaType)
MMA_ANSWERS(Sm80SparseMmaType)
MMA_ANSWERS(Sm89MmaType)
MMA_ANSWERS(Sm90MmaType)
MMA_ANSWERS(Sm90MmaSpType)
MMA_ANSWERS(Sm100MmaType)
MMA_ANSWERS(Sm100MmaSpType)
MMA_ANSWERS(Sm100MmaBsType)
MMA_ANSWERS(Sm100MmaBsSpType)
MMA_ANSWERS(Sm120MmaBsType)
#undef MMA_ANSWERS

#define COPY_ANSWERS(TYPE)                                                                         \
  layout::CopyAtomLayouts TYPE::getLayouts() const {                                               \
    return copyLayouts(*getInstance(), getValType());                                              \
  }                                                                                                \
  Type TYPE::getValueType() const { return getValType(); }                                         \
  bool TYPE::isStatic() const { return getFieldTypes().empty(); }                                  \
  SmallVector<Type> TYPE::getFieldTypes() const { return typesOfFields(*this); }                   \
  LogicalResult TYPE::verifyCall(Emitter emitError, Type src, Type dst) const {                    \
    return verifyCopy(emitError, *this, *getInstance(), src, dst);                                 \
  }
COPY_ANSWERS(UniversalCopyType)
COPY_ANSWERS(SimtAsyncCopyType)
COPY_ANSWERS(LdsmType)
COPY_ANSWERS(StsmType)
COPY_ANSWERS(TmemLoadType)
COPY_ANSWERS(TmemStoreType)
COPY_ANSWERS(S2TCopyType)
COPY_ANSWERS(TmaLoadType)
COPY_ANSWERS(TmaStoreType)
COPY_ANSWERS(TmaReduceType)
COPY_ANSWERS(NonExecTiledTmaLoadType)
COPY_ANSWERS(NonExecTiledTmaStoreType)
COPY_ANSWERS(NonExecTiledTmaReduceType)
COPY_ANSWERS(NonExecIm2colTmaLoadType)
COPY_ANSWERS(BulkCopyG2SType)
COPY_ANSWERS(BulkCopyS2GType)
COPY_ANSWERS(BulkCopyS2SType)
COPY_ANSWERS(BulkReduceS2GType)
COPY_ANSWERS(BulkReduceS2SType)
COPY_ANSWERS(DsmemStoreType)
#undef COPY_ANSWERS

#define PREFETCH_ANSWERS(TYPE)                                                                     \
  layout::Layout TYPE::getPrefetchLayout() const { return getLayouts().src; }
PREFETCH_ANSWERS(TmaLoadType)
PREFETCH_ANSWERS(BulkCopyG2SType)
PREFETCH_ANSWERS(NonExecTiledTmaLoadType)
PREFETCH_ANSWERS(NonExecIm2colTmaLoadType)
#undef PREFETCH_ANSWERS
