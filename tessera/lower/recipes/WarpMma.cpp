// Matrix multiplications of a thread or a warp on registers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/lower/recipes/AtomCalls.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute;
using namespace tessera::cute_nvgpu;

namespace tessera::lower {

Result<Done> fusedMultiplyAdd(MmaCall call) {
  Expander &e = call.e;
  auto element = [&](const View &view) { return loadElements(e, view); };
  TESSERA_TRY(SmallVector<Value> a, element(call.a));
  TESSERA_TRY(SmallVector<Value> b, element(call.b));
  TESSERA_TRY(SmallVector<Value> c, element(call.c));
  Value d = math::FmaOp::create(e.b, e.loc(), a[0], b[0], c[0]);
  return storeElements(e, call.d, d);
}

Type registerType(Expander &e, const atom::Operand &operand, Type element) {
  switch (operand.registers.type) {
  case atom::RegisterType::F32: return e.b.getF32Type();
  case atom::RegisterType::F64: return e.b.getF64Type();
  case atom::RegisterType::B64: return e.b.getI64Type();
  case atom::RegisterType::B16: return element;
  default: break;
  }
  if (operand.element == atom::Element::f16)
    return VectorType::get({2}, element);
  return e.b.getI32Type();
}

static void setAttributes(OperationState &state, MmaCall &call) {
  OpBuilder &b = call.e.b;
  const atom::MmaRow &row = call.row();
  auto mma = cast<MmaAtomType>(call.atomType());
  using layout::MmaOperand;
  state.addAttribute(
      "shape_MNK",
      ShapeAttr::get(b.getContext(), layout::Tree::of({call.atom.m, call.atom.n, row.k})));
  state.addAttribute("a_type", TypeAttr::get(mma.getOperandType(MmaOperand::A)));
  state.addAttribute("b_type", TypeAttr::get(mma.getOperandType(MmaOperand::B)));
  if (auto type = dyn_cast<Sm80MmaType>(call.atomType())) {
    if (type.getAMajor() != Major::k || type.getBMajor() != Major::k) {
      state.addAttribute("a_major", MajorAttr::get(b.getContext(), type.getAMajor()));
      state.addAttribute("b_major", MajorAttr::get(b.getContext(), type.getBMajor()));
    }
    if (type.getOverflow() != Overflow::wrapped)
      state.addAttribute("overflow", OverflowAttr::get(b.getContext(), type.getOverflow()));
    if (type.getBinaryOp() != BinaryOp::none)
      state.addAttribute("binary_op", BinaryOpAttr::get(b.getContext(), type.getBinaryOp()));
  } else if (auto type = dyn_cast<Sm80SparseMmaType>(call.atomType())) {
    state.addAttribute(
        "sparse_metadata_format",
        SparseMetadataFormatAttr::get(b.getContext(), type.getSparseMetadataFormat()));
    if (type.getOverflow() != Overflow::wrapped)
      state.addAttribute("overflow", OverflowAttr::get(b.getContext(), type.getOverflow()));
    state.addAttribute("selector", b.getI32IntegerAttr(int32_t(call.selector)));
  }
}

/// Registers of A, B and C in the order of their values, the instruction, registers of D.
Result<Done> warpMma(MmaCall call) {
  Expander &e = call.e;
  const atom::MmaRow &row = call.row();
  auto mma = cast<MmaAtomType>(call.atomType());
  using layout::MmaOperand;
  auto registers = [&](const View &view, const atom::Operand &operand, MmaOperand which) {
    Type type = registerType(e, operand, mma.getOperandType(which));
    return loadWords(e, view, type, operand.registers.at(call.atom.n));
  };
  // C has the registers of D, which the row states.
  TESSERA_TRY(SmallVector<Value> a, registers(call.a, row.a, MmaOperand::A));
  TESSERA_TRY(SmallVector<Value> b, registers(call.b, row.b, MmaOperand::B));
  TESSERA_TRY(SmallVector<Value> c, registers(call.c, row.d, MmaOperand::C));

  bool sparse = isa<Sm80SparseMmaType>(call.atomType());
  StringRef name = sparse                              ? ArchMmaSm80SparseOp::getOperationName()
                   : isa<Sm89MmaType>(call.atomType()) ? ArchMmaSm89Op::getOperationName()
                                                       : ArchMmaSm80Op::getOperationName();
  OperationState state(e.loc(), name);
  state.addOperands(a);
  state.addOperands(b);
  state.addOperands(c);
  SmallVector<int32_t> segments = {int32_t(a.size()), int32_t(b.size()), int32_t(c.size())};
  if (sparse) {
    if (std::string wrong = selectorRefusal(row, call.selector); !wrong.empty())
      return Reason{"Selector", std::move(wrong)};
    state.addOperands(e.emit.field(call.value, 0));
    segments.push_back(1);
  }
  setAttributes(state, call);
  state.addAttribute("operandSegmentSizes", e.b.getDenseI32ArrayAttr(segments));
  for (Value register_ : c)
    state.addTypes(register_.getType());
  Operation *op = e.b.create(state);
  return storeWords(e, call.d, op->getResults());
}

} // namespace tessera::lower
