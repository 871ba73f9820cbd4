// The functions that a pass works on.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/lower/Functions.h"

#include "tessera/lower/InlinePtx.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

SmallVector<FunctionOpInterface> tessera::lower::functionsOf(Operation *root) {
  SmallVector<FunctionOpInterface> functions;
  forEachFunction(root, [&](FunctionOpInterface function) {
    if (!function.isExternal() && !isa<LLVM::LLVMFuncOp>(function))
      functions.push_back(function);
  });
  return functions;
}

void tessera::lower::forEachFunction(Operation *root,
                                     function_ref<void(FunctionOpInterface)> visit) {
  root->walk<WalkOrder::PreOrder>([&](FunctionOpInterface function) {
    visit(function);
    return WalkResult::skip();
  });
}

bool tessera::lower::isModuleOrFunction(RegisteredOperationName name) {
  return name.hasInterface<FunctionOpInterface>() ||
         name.getStringRef() == ModuleOp::getOperationName();
}

bool tessera::lower::hasTensorProduct(Block &block) {
  return llvm::any_of(block,
                      [](Operation &op) { return hasInlineInstruction(&op, "tcgen05.mma"); });
}
bool tessera::lower::hasTensorProduct(Region &region) {
  return llvm::any_of(region, [](Block &block) { return hasTensorProduct(block); });
}
