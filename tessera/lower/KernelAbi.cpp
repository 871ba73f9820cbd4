// CuteKernelToNvvmRewrite: the kernel-entry ABI.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs after type conversion: byval is an attribute of LLVM types. No later pass touches the ABI.
#include "tessera/lower/Functions.h"
#include "tessera/lower/Passes.h"

#include "tessera/cuda/Cuda.h"
#include "tessera/cute_nvgpu/CuteNvgpu.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace tessera;

namespace tessera::lower {
#define GEN_PASS_DEF_CUTEKERNELTONVVM
#include "tessera/lower/Passes.h.inc"

namespace {

constexpr StringLiteral kernelMarks[] = {"cute.kernel", "gpu.kernel"};
constexpr StringLiteral gridConstant = cute_nvgpu::CuteNvgpuDialect::gridConstantAttrName;
/// The attributes of a tensor map: 128 bytes, aligned to 64 (PTX ISA 9.0, 5.5.8).
constexpr int64_t tensorMapBytes = 128, tensorMapAlignment = 64;

struct CuteKernelToNVVMPass : impl::CuteKernelToNVVMBase<CuteKernelToNVVMPass> {
  bool canScheduleOn(RegisteredOperationName name) const override {
    return isModuleOrFunction(name);
  }
  void runOnOperation() override {
    Builder b(&getContext());
    WalkResult result = getOperation()->walk([&](Operation *op) {
      auto function = dyn_cast<LLVM::LLVMFuncOp>(op);
      if (isa<cuda::KernelOp>(op) || (isa<FunctionOpInterface>(op) && !function && isKernel(op))) {
        op->emitOpError("expects type conversion before the kernel ABI is fixed: run "
                        "--convert-cute-to-llvm before --cute-kernel-to-nvvm");
        return WalkResult::interrupt();
      }
      if (function && isKernel(function) && failed(rewrite(b, function)))
        return WalkResult::interrupt();
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }

  static bool isKernel(Operation *function) {
    return llvm::any_of(kernelMarks, [&](StringRef mark) { return function->hasAttr(mark); });
  }

  /// A kernel that gives registers from one warp to another (setmaxnreg) has to say how many there
  /// are at entry, else ptxas leaves that out (C7508): as many as one block of its threads may
  /// have.
  static void boundRegisters(Builder &b, LLVM::LLVMFuncOp function) {
    StringRef threads = NVVM::NVVMDialect::getReqntidAttrName(),
              blocks = NVVM::NVVMDialect::getMinctasmAttrName(),
              registers = NVVM::NVVMDialect::getMaxnregAttrName();
    if (!function->hasAttr(threads) || function->hasAttr(blocks) || function->hasAttr(registers))
      return;
    WalkResult found =
        function.walk([](NVVM::SetMaxRegisterOp) { return WalkResult::interrupt(); });
    if (found.wasInterrupted())
      function->setAttr(blocks, b.getI32IntegerAttr(1));
  }

  LogicalResult rewrite(Builder &b, LLVM::LLVMFuncOp function) {
    for (StringRef mark : kernelMarks)
      function->removeAttr(mark);
    function->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(), b.getUnitAttr());
    boundRegisters(b, function);
    for (unsigned i = 0; i < function.getNumArguments(); ++i) {
      if (!function.getArgAttr(i, gridConstant))
        continue;
      if (Type type = function.getArgument(i).getType(); !isa<LLVM::LLVMPointerType>(type))
        return function.emitOpError("expects a pointer for argument ")
               << i << ", which is marked " << gridConstant << ", but got " << type
               << "; pass the aggregate by address";
      function.removeArgAttr(i, StringAttr::get(&getContext(), gridConstant));
      Type bytes = LLVM::LLVMArrayType::get(b.getI8Type(), unsigned(tensorMapBytes));
      function.setArgAttr(i, LLVM::LLVMDialect::getByValAttrName(), TypeAttr::get(bytes));
      function.setArgAttr(i, LLVM::LLVMDialect::getAlignAttrName(),
                          b.getI64IntegerAttr(tensorMapAlignment));
      function.setArgAttr(i, NVVM::NVVMDialect::getGridConstantAttrName(), b.getUnitAttr());
    }
    return success();
  }
};

} // namespace
} // namespace tessera::lower
