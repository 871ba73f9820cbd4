// Moving the symbols of one gpu.module into another.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/driver/JoinDevices.h"

#include "tessera/lower/Passes.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace tessera;

namespace {

bool isKernel(Operation *op) { return op->hasAttr(NVVM::NVVMDialect::getKernelFuncAttrName()); }

/// Defined elsewhere: a function of the driver, or shared memory whose size a launch says.
bool isDeclaration(Operation *op) {
  if (auto function = dyn_cast<LLVM::LLVMFuncOp>(op))
    return function.isExternal();
  auto global = dyn_cast<LLVM::GlobalOp>(op);
  return global && !global.getValueOrNull() && !global.getInitializerBlock() &&
         global.getLinkage() == LLVM::Linkage::External;
}

bool isConstant(Operation *op) {
  auto global = dyn_cast<LLVM::GlobalOp>(op);
  return global && global.getConstant();
}

/// Whether both may be one: they say the same, and nothing can change what they stand for.
bool isSame(Operation *one, Operation *other) {
  bool mayBe =
      (isDeclaration(one) && isDeclaration(other)) || (isConstant(one) && isConstant(other));
  return mayBe &&
         OperationEquivalence::isEquivalentTo(one, other, OperationEquivalence::IgnoreLocations);
}

Status join(gpu::GPUModuleOp from, gpu::GPUModuleOp to) {
  SymbolTable mine(from), all(to);
  // Names are settled before anything moves, as a symbol's uses are looked for in its own module.
  for (Operation &op : llvm::make_early_inc_range(*from.getBody())) {
    Operation *taken =
        isa<SymbolOpInterface>(op) ? all.lookup(SymbolTable::getSymbolName(&op)) : nullptr;
    if (!taken)
      continue;
    std::string name = SymbolTable::getSymbolName(&op).str();
    if (isSame(&op, taken)) {
      op.erase();
      continue;
    }
    if (isKernel(&op) && isKernel(taken))
      return Reason{"SameKernel",
                    cat("the gpu.modules @", to.getName().str(), " and @", from.getName().str(),
                        " both have a kernel @", name,
                        ", and one file of code can have one of a name: --kernel MODULE::KERNEL "
                        "compiles one of them alone")};
    // Kernels and declarations are looked up by name, so the other symbol is renamed.
    bool keeps = isKernel(&op) || isDeclaration(&op);
    if (failed(keeps ? all.renameToUnique(taken, {&mine}) : mine.renameToUnique(&op, {&all})))
      return Reason{"Uses",
                    cat("the gpu.modules @", to.getName().str(), " and @", from.getName().str(),
                        " both define @", name,
                        ", and uses of it are in an op that is not known: rename one in the file")};
  }
  for (Operation &op : llvm::make_early_inc_range(*from.getBody()))
    op.moveBefore(to.getBody(), to.getBody()->end());
  return Done{};
}

} // namespace

Status tessera::driver::joinDevices(ModuleOp lowered) {
  SmallVector<gpu::GPUModuleOp> modules(lowered.getOps<gpu::GPUModuleOp>());
  if (modules.empty())
    return Done{};
  for (gpu::GPUModuleOp module : llvm::drop_begin(modules)) {
    gpu::GPUModuleOp first = modules.front();
    TESSERA_CHECK(join(module, first));
    auto versionOf = [](gpu::GPUModuleOp of) {
      auto version = of->getAttrOfType<IntegerAttr>(lower::ptxVersionAttrName);
      return version ? version.getInt() : 0;
    };
    if (versionOf(module) > versionOf(first))
      first->setAttr(lower::ptxVersionAttrName, module->getAttr(lower::ptxVersionAttrName));
    module.erase();
  }
  return Done{};
}
