// MmaAtom: functions of MMA atoms of all families: the row of a form, layouts, the gates of a call.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute_nvgpu/AtomTypes.h"
#include "tessera/cute_nvgpu/Diagnostics.h"
#include "tessera/cute_nvgpu/families/warp/Warp.h"

#include "tessera/layout/Domains.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute_nvgpu;
using cute::AddressSpace;
using cute::CuteMemRefType;
using layout::MmaOperand;

//===--- elements -----------------------------------------------------------------------------===//

atom::Element tessera::cute_nvgpu::elementOf(Type type) {
  using atom::Element;
  if (auto integer = dyn_cast<IntegerType>(type)) {
    bool isUnsigned = integer.isUnsigned();
    switch (integer.getWidth()) {
    case 1: return Element::b1;
    case 4: return isUnsigned ? Element::u4 : Element::s4;
    case 8: return isUnsigned ? Element::u8 : Element::s8;
    case 32: return Element::s32;
    default: return Element::none;
    }
  }
  return TypeSwitch<Type, Element>(type)
      .Case([](Float64Type) { return Element::f64; })
      .Case([](Float32Type) { return Element::f32; })
      .Case([](FloatTF32Type) { return Element::tf32; })
      .Case([](Float16Type) { return Element::f16; })
      .Case([](BFloat16Type) { return Element::bf16; })
      .Case([](Float8E4M3FNType) { return Element::e4m3; })
      .Case([](Float8E5M2Type) { return Element::e5m2; })
      .Case([](Float6E2M3FNType) { return Element::e2m3; })
      .Case([](Float6E3M2FNType) { return Element::e3m2; })
      .Case([](Float4E2M1FNType) { return Element::e2m1; })
      .Case([](Float8E8M0FNUType) { return Element::ue8m0; })
      .Default(Element::none);
}

atom::Element tessera::cute_nvgpu::scaleElementOf(Type type) {
  return isa<Float8E4M3FNType>(type) ? atom::Element::ue4m3 : elementOf(type);
}

//===--- the row ------------------------------------------------------------------------------===//

void MmaForm::complete() {
  query.m = shape.m;
  query.n = shape.n;
  query.k = shape.k;
  query.a = elementOf(a);
  query.b = elementOf(b);
  query.c = c ? elementOf(c) : atom::Element::none;
  query.scale = sf ? scaleElementOf(sf) : atom::Element::none;
}

Result<MmaInstance> MmaForm::instance() const {
  int halved = query.metadata == atom::Metadata::None ? 1 : 2;
  atom::ScaledForm scaled{query.a,
                          query.b,
                          query.c,
                          query.scale,
                          query.scale,
                          query.k / halved,
                          query.vec / halved,
                          query.vec / halved};
  if (std::optional<Reason> refusal = atom::scaledRefusal(scaled))
    return *std::move(refusal);
  TESSERA_TRY(const atom::MmaRow *row, atom::find(query));
  return MmaInstance{row, query.m, query.n};
}

llvm::hash_code tessera::cute_nvgpu::hash_value(const MmaForm &form) {
  const atom::MmaQuery &q = form.query;
  return llvm::hash_combine(q.family, q.m, q.n, q.k, form.a, form.b, form.c, form.sf, q.aMajor,
                            q.bMajor, q.metadata, q.vec, q.ctas, q.overflow);
}

LogicalResult TableMmaAtom::verifyForm(Emitter emitError, const MmaForm &form) {
  Result<MmaInstance> instance = form.instance();
  if (!instance)
    return emitError() << instance.reason().text;
  constexpr int64_t largestExponent = 15; // PTX ISA, tcgen05.mma: scale-input-d
  if (form.cScaleExp < 0 || form.cScaleExp > largestExponent)
    return emitError() << sentence(Diag::ScaleExponent, largestExponent, form.cScaleExp);
  return success();
}

bool TableMmaAtom::classof(Type type) { return isa<TableAtomType>(type) && isa<MmaAtomType>(type); }

std::optional<MmaInstance> tessera::cute_nvgpu::mmaInstanceOf(Type type) {
  auto mma = dyn_cast<TableMmaAtom>(cute::untiled(type));
  return mma ? std::optional(mma.getInstance()) : std::nullopt;
}

//===--- answers ------------------------------------------------------------------------------===//

layout::MmaAtomLayouts TableMmaAtom::getLayouts() const {
  const MmaInstance &mma = getInstance();
  return *atom::layouts(*mma.row, mma.m, mma.n);
}

Type TableMmaAtom::getOperandType(MmaOperand operand) const {
  const MmaForm &form = getForm();
  return operand == MmaOperand::A ? form.a : operand == MmaOperand::B ? form.b : form.c;
}

SmallVector<Type> TableMmaAtom::getFieldTypes() const {
  return llvm::map_to_vector(fieldsOf(*this), [](const AtomField &field) { return field.type; });
}

Result<Type> TableMmaAtom::fragmentType(MmaOperand operand, Type partition) const {
  return cute_nvgpu::fragmentType(getInstance(), getOperandType(operand), operand, partition);
}

std::optional<atom::Major> tessera::cute_nvgpu::descriptorMajor(Type type, MmaOperand operand) {
  auto mma = dyn_cast<TableMmaAtom>(cute::untiled(type));
  if (!mma || mma.getInstance().row->b.where != atom::Residency::Smem)
    return std::nullopt;
  const atom::MmaQuery &query = mma.getForm().query;
  return operand == MmaOperand::A ? query.aMajor : query.bMajor;
}

//===--- the gates of a call ------------------------------------------------------------------===//

namespace {
template <class... Pieces>
LogicalResult report(Emitter emitError, Diag diag, const Pieces &...pieces) {
  return emitError() << sentence(diag, pieces...);
}

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
  case atom::Residency::Rmem: return memref && memref.getAddressSpace() == AddressSpace::Rmem;
  case atom::Residency::Tmem: return memref && memref.getAddressSpace() == AddressSpace::Tmem;
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
    if (layout::Int values = layout::product(arith, l.shape()[0]); !values.is(kept))
      return report(emitError, Diag::InvalidLayouts, layoutOf(operands[0].view),
                    layoutOf(operands[1].view), layoutOf(operands[3].view), kept, operand.name,
                    values.value);
  }
  return success();
}

} // namespace

LogicalResult TableMmaAtom::verifyCall(Emitter emitError, Type d, Type a, Type b, Type c) const {
  const MmaInstance &mma = getInstance();
  const atom::MmaRow &row = *mma.row;
  CallOperand operands[] = {{"a", a, registerElement(row.a, getForm().a), row.a.where},
                            {"b", b, registerElement(row.b, getForm().b), row.b.where},
                            {"c", c, getForm().c, row.d.where},
                            {"d", d, getForm().c, row.d.where}};
  if (failed(verifyElements(emitError, operands)) || failed(verifyResidency(emitError, operands)))
    return failure();
  return verifyLayouts(emitError, *atom::layouts(row, mma.m, mma.n), row.sparsity.isSparse(),
                       operands);
}
