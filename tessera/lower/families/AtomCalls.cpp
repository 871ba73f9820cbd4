// AtomCalls: helpers that recipes of all families share.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/lower/families/AtomCalls.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute;
using namespace tessera::cute_nvgpu;

namespace tessera::lower {

int64_t CopyCall::valuesOf(const View &view) const {
  return layout::product(e.emit, view.layout.shape()).value;
}

Result<Value> operandPointer(Expander &e, const View &view, Type element) {
  Iterator first = view.iterator;
  if (view.layout.composed()) { // S o offset o L begins at S(offset)
    TESSERA_TRY(layout::Tree index, layout::crd2idx(e.emit, layout::Tree(0), view.layout));
    TESSERA_TRY(first, e.emit.advance(first, index));
  }
  Address at = e.emit.address(first);
  Value pointer = e.emit.moved(at);
  auto type = cast<PtrType>(pointer.getType());
  if (!element || element == type.getElementType())
    return pointer;
  auto recast = PtrType::get(type.getContext(), element, type.getAddressSpace(),
                             type.getAlignment(), type.getSwizzle());
  return Value(RecastIterOp::create(e.b, e.loc(), recast, pointer));
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

Type registersType(Expander &e, int64_t count) {
  Type i32 = e.b.getI32Type();
  return count == 1 ? i32 : VectorType::get({count}, i32);
}

} // namespace tessera::lower
