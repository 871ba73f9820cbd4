// spin-opt: tessera-opt with an atom of one's own. Generic code asks interfaces only:
// partitions, cute.copy, its loops and its expansion need no line about `rotate`.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/driver/Dialects.h"
#include "tessera/driver/Registration.h"

#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tessera;

#include "SpinDialect.h.inc"
#define GET_TYPEDEF_CLASSES
#include "SpinTypes.h.inc"

#include "SpinDialect.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "SpinTypes.cpp.inc"

namespace spin {

void SpinDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "SpinTypes.cpp.inc"
      >();
}

LogicalResult RotateType::verify(function_ref<InFlightDiagnostic()> emitError, Type,
                                 int64_t count) {
  return count > 1 ? success()
                   : emitError() << "expects at least two values to rotate, but got " << count;
}

/// One thread; its values lie side by side, on both sides.
layout::CopyAtomLayouts RotateType::getLayouts() const {
  layout::Layout values{layout::Tree::of({1, getCount()}), layout::Tree::of({0, 1})};
  return {values, values, values};
}
Type RotateType::getValueType() const { return getValue(); }
SmallVector<Type> RotateType::getFieldTypes() const { return {}; }
bool RotateType::isStatic() const { return true; }

/// The atom's own gate.
LogicalResult RotateType::verifyCall(function_ref<InFlightDiagnostic()> emitError, Type src,
                                     Type) const {
  auto tensor = dyn_cast<cute::CuteMemRefType>(src);
  if (tensor && tensor.getAddressSpace() == cute::AddressSpace::Rmem)
    return emitError() << "expects spin.rotate to read memory, but got " << src;
  return success();
}

/// The atom's own lowering: value i + 1 goes to place i. `pred` is left out: the atom has no
/// predicated form.
LogicalResult RotateType::expandCall(OpBuilder &b, Location loc, ValueRange, Value src, Value dst,
                                     Value pred) const {
  if (pred)
    return failure();
  for (int64_t i = 0; i < getCount(); ++i) {
    IntegerAttr from = b.getI64IntegerAttr((i + 1) % getCount()), to = b.getI64IntegerAttr(i);
    Value value = cute::PtrLoadOp::create(b, loc, TypeRange{getValue()}, ValueRange{src},
                                          {b.getNamedAttr("offset", from)});
    cute::PtrStoreOp::create(b, loc, TypeRange{}, ValueRange{dst, value},
                             {b.getNamedAttr("offset", to)});
  }
  return success();
}

} // namespace spin

int main(int argc, char **argv) {
  DialectRegistry registry;
  driver::registerAllDialects(registry);
  registry.insert<spin::SpinDialect>();
  driver::registerAllPasses();
  return asMainReturnCode(MlirOptMain(argc, argv, "Tessera with the dialect spin\n", registry));
}
