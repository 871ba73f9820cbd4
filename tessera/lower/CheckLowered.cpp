// CheckLowered: refuses what no conversion took, where lowering ends.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The conversions are partial: each takes what it knows. What none of them knows would be an error
// of LLVM's translation, which names no place in the program, or go unseen where nobody translates.
#include "tessera/lower/Passes.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace tessera::lower {
#define GEN_PASS_DEF_CHECKLOWERED
#include "tessera/lower/Passes.h.inc"

namespace {

struct CheckLoweredPass : impl::CheckLoweredBase<CheckLoweredPass> {
  void runOnOperation() override {
    SmallVector<Operation *> left;
    SmallVector<UnrealizedConversionCastOp> casts;
    getOperation()->walk([&](Operation *op) {
      if (auto cast = dyn_cast<UnrealizedConversionCastOp>(op))
        casts.push_back(cast);
      else if (!isa_and_nonnull<LLVM::LLVMDialect, NVVM::NVVMDialect>(op->getDialect()) &&
               !isa<ModuleOp, gpu::GPUModuleOp>(op))
        left.push_back(op);
    });
    for (Operation *op : left)
      refuse(op);
    // Casts go with the ops that they are made for.
    if (left.empty())
      for (UnrealizedConversionCastOp cast : casts)
        refuse(cast);
    if (!left.empty() || !casts.empty())
      signalPassFailure();
    markAllAnalysesPreserved();
  }

  static void refuse(Operation *op) {
    InFlightDiagnostic error = op->emitOpError("is not lowered");
    if (op->getNumOperands())
      error << " on (" << op->getOperandTypes() << ")";
    if (op->getNumResults())
      error << " to (" << op->getResultTypes() << ")";
    error << ": this compiler has no code for it; write it with other ops";
  }
  static void refuse(UnrealizedConversionCastOp cast) {
    Operation *maker = cast.getInputs().empty() ? nullptr : cast.getInputs()[0].getDefiningOp();
    Operation *user = cast->use_empty() ? nullptr : *cast->user_begin();
    InFlightDiagnostic error = emitError(cast.getLoc())
                               << "a value of (" << cast->getOperandTypes() << ")";
    if (maker)
      error << ", which '" << maker->getName() << "' makes,";
    error << " is not lowered to (" << cast->getResultTypes() << ")";
    if (user)
      error << ", which '" << user->getName() << "' takes";
    error << ": this compiler has no form of it in LLVM";
  }
};

} // namespace
} // namespace tessera::lower
