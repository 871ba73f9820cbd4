// Which types memory can hold, by their bits.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/lower/Elements.h"

#include "tessera/cute/Cute.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinDialect.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tessera::cute;

namespace tessera::lower {

bool isCounted(Type element) {
  if (element.isIntOrFloat())
    return true;
  StringRef dialect = element.getDialect().getNamespace();
  return dialect != BuiltinDialect::getDialectNamespace() &&
         dialect != LLVM::LLVMDialect::getDialectNamespace() &&
         dialect != CuteDialect::getDialectNamespace();
}

bool isMoved(Type element) {
  constexpr int64_t widest = 128; // the widest access, and the widest integer that PTX has
  if (isa<Float80Type, Float128Type>(element))
    return false;
  return element.isIntOrFloat() && bitsOf(element) <= widest &&
         llvm::isPowerOf2_64(uint64_t(bitsOf(element)));
}

Type carrierOf(Type element) {
  if (isa<FloatTF32Type>(element))
    return IntegerType::get(element.getContext(), unsigned(bitsOf(element)));
  if (auto integer = dyn_cast<IntegerType>(element))
    return IntegerType::get(element.getContext(), integer.getWidth());
  return element;
}

static Value casted(OpBuilder &b, Location loc, Value v, Type type) {
  return v.getType() == type ? v : UnrealizedConversionCastOp::create(b, loc, type, v).getResult(0);
}
Value asCarrier(OpBuilder &b, Location loc, Value element) {
  return casted(b, loc, element, carrierOf(element.getType()));
}
Value asElement(OpBuilder &b, Location loc, Value carried, Type element) {
  return casted(b, loc, carried, element);
}

LogicalResult checkMoved(Operation *op, Type element) {
  if (isMoved(element))
    return success();
  return op->emitOpError() << "expects elements to load and store of 1, 2, 4, 8, 16, 32, 64 or 128 "
                              "bits, integers or floats that PTX has registers for, but got "
                           << element << ": access its parts, or its bytes, by a type that is one";
}

LogicalResult checkCounted(Operation *op, Type element) {
  if (isCounted(element))
    return success();
  return op->emitOpError() << "expects elements of a known size in memory, but got " << element
                           << ": use an integer or float of as many bits";
}

/// A value at an address may be a vector of adjacent elements.
static LogicalResult checkAtAddress(Operation *op, PtrType pointer, int64_t offset, Type value) {
  if (offset != 0 && failed(checkCounted(op, pointer.getElementType())))
    return failure();
  auto vector = dyn_cast<VectorType>(value);
  if (vector && (vector.getRank() != 1 || vector.isScalable()))
    return op->emitOpError() << "expects a vector of one dimension, but got " << value;
  bool isAddress = isa<LLVM::LLVMPointerType>(value);
  return isAddress ? success() : checkMoved(op, vector ? vector.getElementType() : value);
}

LogicalResult checkAccess(Operation *op) {
  auto elementOf = [](Value view) {
    auto tensor = dyn_cast<CuteMemRefType>(view.getType());
    return tensor ? tensor.getElementType() : Type();
  };
  auto moves = [&](Value view) {
    Type element = elementOf(view);
    return element ? checkMoved(op, element) : success();
  };
  return TypeSwitch<Operation *, LogicalResult>(op)
      .Case<MemRefLoadOp, MemRefStoreOp, MemRefLoadVecOp, MemRefStoreVecOp>(
          [&](auto access) { return moves(access.getView()); })
      .Case([&](MemRefAllocaOp made) { return checkCounted(op, made.getType().getElementType()); })
      .Case([&](AddOffsetOp move) {
        auto pointer = dyn_cast<PtrType>(move.getIter().getType());
        return pointer ? checkCounted(op, pointer.getElementType()) : success();
      })
      .Case([&](PtrLoadOp load) {
        return checkAtAddress(op, load.getPtr().getType(), int64_t(load.getOffset()),
                              load.getType());
      })
      .Case([&](PtrStoreOp store) {
        return checkAtAddress(op, store.getPtr().getType(), int64_t(store.getOffset()),
                              store.getValue().getType());
      })
      .Default(success());
}

} // namespace tessera::lower
