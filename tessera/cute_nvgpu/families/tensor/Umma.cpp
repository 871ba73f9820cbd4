// Products in tensor memory: the ladder of qualifiers, then that of block scaling, then where scale
// factors lie.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute_nvgpu/CuteNvgpu.h"
#include "tessera/cute_nvgpu/Diagnostics.h"

#include "tessera/layout/Text.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute_nvgpu;
using cute::AddressSpace;
using cute::CuteMemRefType;
using cute::PtrType;

namespace {
/// Operands that lie in tensor memory, by name.
LogicalResult verifyTmem(Operation *op, StringRef name, Type type) {
  auto pointer = isa<PtrType>(type) ? cast<PtrType>(type) : cast<CuteMemRefType>(type).getPtrType();
  return pointer.getAddressSpace() == AddressSpace::Tmem
             ? success()
             : refuse(op, Diag::PointerSpace, name, StringRef("tmem"), type);
}

/// Rows of a layout of scale factors, ROWS standing for as many as there are. Source: CUTLASS
/// tmem_sf_frg; strides in bytes, a lane of tensor memory being 262144 of them.
struct ScaleRows {
  bool pairOnly; // B of two CTAs
  size_t rank;
  std::string_view shape, stride;
};
constexpr ScaleRows scaleRows[] = {
    {false, 2, "((32,ROWS),4)", "((262144,4),8388608)"},
    {true, 3, "((32,ROWS),2,2)", "((262144,4),16777216,8388608)"},
};

/// Elements of a row that share a scale factor, and factors of a row. Zeros if the layout is not
/// (rows, (elements, factors)).
struct ScaleVector {
  int64_t elements = 0, factors = 0;
};
ScaleVector scaleVectorOf(const layout::AnyLayout &l) {
  if (!l.affine() || !l.isStatic() || l.rank() != 2)
    return {};
  const layout::Tree &vectors = l.shape()[1];
  if (!vectors.isTuple() || vectors.rank() != 2 || vectors.depth() != 1)
    return {};
  return {vectors[0].leaf().value.value, vectors[1].leaf().value.value};
}

/// The strides of modes of extent 1 are free.
bool liesAs(const layout::Layout &have, const layout::Layout &want) {
  std::vector<layout::Leaf> shape = have.shape.leaves(), stride = have.stride.leaves(),
                            expected = want.stride.leaves();
  if (!(have.shape == want.shape) || stride.size() != expected.size())
    return false;
  for (size_t i = 0; i < shape.size(); ++i)
    if (!shape[i].value.is(1) && !(stride[i] == expected[i]))
      return false;
  return true;
}

LogicalResult verifyScaleLayout(Operation *op, StringRef name, bool ofPair, CuteMemRefType scales) {
  const layout::AnyLayout &l = scales.getLayout();
  ScaleVector vector = scaleVectorOf(l);
  layout::Const arith;
  std::string expected;
  for (const ScaleRows &rows : scaleRows) {
    if (rows.pairOnly && !ofPair)
      continue;
    auto layoutFor = [&](std::string count) {
      std::string shape(rows.shape);
      shape.replace(shape.find("ROWS"), 4, count);
      return cat("(", shape, ",(", vector.elements, ",", vector.factors, ")):(", rows.stride,
                 ",(0,1))");
    };
    expected += (expected.empty() ? "" : " or ") + layoutFor("n");
    const layout::Tree &have = l.shape()[0];
    bool folded = vector.elements && have.isTuple() && have.rank() == rows.rank &&
                  have[0].isTuple() && have[0].rank() == 2;
    if (folded && liesAs(l.outer(), *layout::parseLayout(
                                        layoutFor(cat(layout::product(arith, have[0][1]).value)))))
      return success();
  }
  return refuse(op, Diag::ScaleLayout, name, StringRef(expected), l);
}

atom::MmaKind kindOf(atom::Element a, bool scaled, const ScaleVector &vector, atom::Element scale) {
  using enum atom::Element;
  using enum atom::MmaKind;
  if (scaled && a == e2m1)
    return vector.elements == 16 || scale == ue4m3 ? Mxf4nvf4 : Mxf4;
  return scaled                  ? Mxf8f6f4
         : a == f16 || a == bf16 ? F16
         : a == tf32             ? Tf32
         : a == s8 || a == u8    ? I8
                                 : F8f6f4;
}
/// K of one dense instruction. Source: PTX ISA 9.7.16.2.1.
int64_t denseK(atom::MmaKind kind) {
  switch (kind) {
  case atom::MmaKind::F16: return 16;
  case atom::MmaKind::Tf32: return 8;
  case atom::MmaKind::Mxf4:
  case atom::MmaKind::Mxf4nvf4: return 64;
  default: return 32;
  }
}

/// What the ladder, which is the closed compiler's, does not ask for. Source: PTX ISA 9.7.16.10.9,
/// the syntax of tcgen05.mma and of tcgen05.mma.ws.
LogicalResult verifySyntax(Operation *op, const atom::UmmaForm &form, Type a) {
  if (form.weightStationary && (form.ashift || form.scaleInput))
    return refuse(op, Diag::UmmaStationary, StringRef(form.ashift ? "ashift" : "scale"));
  if (form.collectorBuffer && !form.weightStationary)
    return refuse(op, Diag::UmmaCollectorBuffer, int64_t(form.collectorBuffer));
  return form.ashift && !isa<PtrType>(a) ? refuse(op, Diag::UmmaShiftShared, a) : success();
}

/// The common operands of all four ops; only block-scaled ones have `scales`.
template <class Op> atom::UmmaForm formOf(Op op, bool sparse, CuteMemRefType sfa) {
  atom::UmmaForm form;
  form.ctas = int(op.getNumCta());
  form.sparse = sparse;
  form.blockScale = bool(sfa);
  form.scaleInput = op.getScale() != 0;
  form.ashift = op.getAshift();
  form.weightStationary = op.getWeightStationary();
  form.scaleVec = op.getScaleVec().value_or(atom::ScaleVec::None);
  form.collectorA = op.getCollectorA().value_or(atom::Collector::Discard);
  form.collectorBuffer = int(op.getCollectorBuffer().value_or(0));
  form.kind = op.getKind()
                  ? *op.getKind()
                  : kindOf(elementOf(op.getAType()), form.blockScale,
                           sfa ? scaleVectorOf(sfa.getLayout()) : ScaleVector(),
                           sfa ? scaleElementOf(sfa.getElementType()) : atom::Element::none);
  return form;
}

template <class Op>
LogicalResult verifyUmma(Op op, CuteMemRefType sfa = {}, CuteMemRefType sfb = {}) {
  if (isa<PtrType>(op.getA().getType()) && failed(verifyTmem(op, "A", op.getA().getType())))
    return failure();
  if (failed(verifyTmem(op, "D", op.getD().getType())))
    return failure();
  for (auto [name, scales] : {std::pair<StringRef, CuteMemRefType>("the scale factors of A", sfa),
                              {"the scale factors of B", sfb}})
    if (scales && failed(verifyTmem(op, name, scales)))
      return failure();
  atom::UmmaForm form = op.getForm();
  if (std::optional<Reason> refusal = atom::ummaRefusal(form))
    return refuse(op, Diag::NoSuchUmma, StringRef(refusal->text));
  if (failed(verifySyntax(op, form, op.getA().getType())))
    return failure();
  ScaleVector a = sfa ? scaleVectorOf(sfa.getLayout()) : ScaleVector(),
              b = sfb ? scaleVectorOf(sfb.getLayout()) : ScaleVector();
  Type typeB = op.getBType().value_or(op.getAType());
  atom::ScaledForm scaled{elementOf(op.getAType()), elementOf(typeB),
                          elementOf(cast<PtrType>(op.getD().getType()).getElementType())};
  scaled.scaleA = sfa ? scaleElementOf(sfa.getElementType()) : atom::Element::none;
  scaled.scaleB = sfb ? scaleElementOf(sfb.getElementType()) : atom::Element::none;
  scaled.k = denseK(form.kind);
  // Of sm_103; the factors say what the instruction descriptor does.
  if (constexpr int64_t shortK = 64, longK = 96;
      scaled.k == shortK && !form.sparse && a.elements * a.factors == longK)
    scaled.k = longK;
  // Beside a sparse A a scale factor is for twice as many elements.
  scaled.vecA = a.elements / (form.sparse ? 2 : 1);
  scaled.vecB = b.elements / (form.sparse ? 2 : 1);
  if (std::optional<Reason> refusal = atom::scaledRefusal(scaled))
    return refuse(op, Diag::NoSuchUmma, StringRef(refusal->text));
  if (!sfa)
    return success();
  if (failed(verifyScaleLayout(op, "A", false, sfa)) ||
      failed(verifyScaleLayout(op, "B", form.ctas == 2, sfb)))
    return failure();
  if (a.elements * a.factors != scaled.k * (form.sparse ? 2 : 1))
    return refuse(op, Diag::ScaleCount, scaled.k * (form.sparse ? 2 : 1) / a.elements, a.factors);
  return a.factors == b.factors ? success() : refuse(op, Diag::ScaleCount, a.factors, b.factors);
}
CuteMemRefType memref(Value value) { return cast<CuteMemRefType>(value.getType()); }
LogicalResult verifyMetadata(Operation *op, Value e) {
  return verifyTmem(op, "the metadata E", e.getType());
}
} // namespace

atom::UmmaForm ArchUmmaOp::getForm() { return formOf(*this, false, {}); }
atom::UmmaForm ArchUmmaSparseOp::getForm() { return formOf(*this, true, {}); }
atom::UmmaForm ArchUmmaBlockScaledOp::getForm() { return formOf(*this, false, memref(getSfa())); }
atom::UmmaForm ArchUmmaBlockScaledSparseOp::getForm() {
  return formOf(*this, true, memref(getSfa()));
}

std::optional<atom::UmmaForm> tessera::cute_nvgpu::ummaFormOf(Operation *op) {
  return TypeSwitch<Operation *, std::optional<atom::UmmaForm>>(op)
      .Case<ArchUmmaOp, ArchUmmaSparseOp, ArchUmmaBlockScaledOp, ArchUmmaBlockScaledSparseOp>(
          [](auto umma) { return umma.getForm(); })
      .Default(std::nullopt);
}

LogicalResult ArchUmmaOp::verify() {
  if (Value lanes = getDisabled()) {
    constexpr int64_t words = 4; // of a block's 128 lanes
    int64_t count = cast<VectorType>(lanes.getType()).getNumElements();
    if (count != words * int64_t(getNumCta()))
      return refuse(*this, Diag::UmmaLanes, words * int64_t(getNumCta()), int64_t(getNumCta()),
                    count);
    if (getWeightStationary())
      return refuse(*this, Diag::UmmaStationary, StringRef("mask of lanes"));
  }
  return verifyUmma(*this);
}
LogicalResult ArchUmmaSparseOp::verify() {
  return failed(verifyMetadata(*this, getE())) ? failure() : verifyUmma(*this);
}
LogicalResult ArchUmmaBlockScaledOp::verify() {
  return verifyUmma(*this, memref(getSfa()), memref(getSfb()));
}
LogicalResult ArchUmmaBlockScaledSparseOp::verify() {
  return failed(verifyMetadata(*this, getE()))
             ? failure()
             : verifyUmma(*this, memref(getSfa()), memref(getSfb()));
}

#define GET_OP_CLASSES
#include "tessera/cute_nvgpu/families/tensor/Umma.cpp.inc"
