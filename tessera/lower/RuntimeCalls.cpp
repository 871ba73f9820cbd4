// Calls of the runtime, and the memory in which they take and leave values.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/lower/RuntimeCalls.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

FailureOr<Value> tessera::lower::callRuntime(OpBuilder &b, Operation *op, StringRef name,
                                             Type result, ValueRange arguments) {
  auto module = op->getParentOfType<ModuleOp>();
  Type returned = result ? result : Type(LLVM::LLVMVoidType::get(b.getContext()));
  auto type = LLVM::LLVMFunctionType::get(returned, SmallVector<Type>(arguments.getTypes()));
  Operation *known = module.lookupSymbol(name);
  auto function = dyn_cast_or_null<LLVM::LLVMFuncOp>(known);
  if (known && !(function && function.isExternal() && function.getFunctionType() == type)) {
    known->emitError() << "'" << name << "' is a function of the runtime, of type " << type
                       << ", which a file may not define or declare as something else; choose "
                          "another name";
    return failure();
  }
  if (!function) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    function = LLVM::LLVMFuncOp::create(b, op->getLoc(), name, type);
  }
  auto call = LLVM::CallOp::create(b, op->getLoc(), function, arguments);
  return result ? call.getResult() : Value();
}

Value tessera::lower::stackSlot(OpBuilder &b, Location loc, Type type, int64_t count,
                                unsigned alignment) {
  Value size = LLVM::ConstantOp::create(b, loc, b.getI64Type(), b.getI64IntegerAttr(count));
  return LLVM::AllocaOp::create(b, loc, LLVM::LLVMPointerType::get(b.getContext()), type, size,
                                alignment);
}

Value tessera::lower::stackArray(OpBuilder &b, Location loc, Type element, ValueRange values) {
  Value array = stackSlot(b, loc, element, std::max<int64_t>(1, int64_t(values.size())), 8);
  for (auto [i, value] : llvm::enumerate(values)) {
    Value place = LLVM::GEPOp::create(b, loc, array.getType(), element, array,
                                      ArrayRef<LLVM::GEPArg>{int32_t(i)});
    LLVM::StoreOp::create(b, loc, value, place);
  }
  return array;
}
