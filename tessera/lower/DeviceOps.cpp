// ConvertDeviceOps: mathematical functions and assertions of kernels, which have no C library; ops
// of the gpu dialect; barriers that are written as PTX.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/lower/DeviceMath.h"
#include "tessera/lower/GpuOps.h"
#include "tessera/lower/InlinePtx.h"
#include "tessera/lower/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

namespace tessera::lower {
#define GEN_PASS_DEF_CONVERTDEVICEOPS
#include "tessera/lower/Passes.h.inc"

namespace {

struct ConvertDeviceOpsPass : impl::ConvertDeviceOpsBase<ConvertDeviceOpsPass> {
  using Base::Base;

  void runOnOperation() override {
    bool good = true;
    getOperation()->walk([&](gpu::GPUModuleOp module) {
      lowerGpuOps(module);
      good &= succeeded(lowerMath(module, library));
      SmallVector<LLVM::InlineAsmOp> barriers;
      module->walk([&](LLVM::InlineAsmOp op) {
        if (isBarrier(op))
          barriers.push_back(op);
      });
      for (LLVM::InlineAsmOp op : barriers)
        rewriteBarrier(op);
      SmallVector<cf::AssertOp> assertions;
      module->walk([&](cf::AssertOp op) { assertions.push_back(op); });
      llvm::DenseMap<Operation *, bool> hurt; // by calls; each function is looked at once
      for (cf::AssertOp op : assertions) {
        Operation *function = op->getParentOfType<FunctionOpInterface>();
        auto [known, isNew] = hurt.try_emplace(function, false);
        if (isNew)
          known->second = isHurtByCalls(function);
        IRRewriter b(op);
        known->second ? rewriteAsTrap(b, op) : rewriteAssert(b, op);
      }
    });
    if (!good)
      signalPassFailure();
  }

  //===--- barriers ---------------------------------------------------------------------------===//

  /// A barrier that the program writes as PTX, as CuTe DSL does from 4.4 on.
  static bool isBarrier(LLVM::InlineAsmOp op) {
    StringRef text = op.getAsmString().trim();
    size_t operands = text == "bar.sync $0;" ? 1 : text == "bar.sync $0, $1;" ? 2 : 0;
    return operands && op->getNumOperands() == operands && op->getNumResults() == 0 &&
           llvm::all_of(op->getOperandTypes(), [](Type type) { return type.isInteger(32); });
  }
  /// As an instruction that LLVM knows, constants stand in it: ptxas sees which of the 16 barriers
  /// a kernel uses, and no register holds their numbers.
  static void rewriteBarrier(LLVM::InlineAsmOp op) {
    OpBuilder b(op);
    Value threads = op->getNumOperands() > 1 ? op->getOperand(1) : Value();
    NVVM::BarrierOp::create(b, op.getLoc(), TypeRange(), op->getOperand(0), threads,
                            NVVM::BarrierReductionAttr(), Value());
    op.erase();
  }

  //===--- assertions -------------------------------------------------------------------------===//

  Value stringOf(IRRewriter &b, Operation *op, StringRef stem, StringRef text) {
    Operation *table = SymbolTable::getNearestSymbolTable(op);
    std::string name;
    std::string terminated = text.str() + '\0';
    for (unsigned i = 0;; ++i) {
      name = (stem + Twine(i)).str();
      auto known = dyn_cast_or_null<LLVM::GlobalOp>(SymbolTable::lookupSymbolIn(table, name));
      if (known && known.getValueAttr() == b.getStringAttr(terminated))
        return LLVM::AddressOfOp::create(b, op->getLoc(), known);
      if (!known)
        break;
    }
    LLVM::GlobalOp global;
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(&table->getRegion(0).front());
      global = LLVM::GlobalOp::create(
          b, op->getLoc(), LLVM::LLVMArrayType::get(b.getI8Type(), unsigned(terminated.size())),
          /*isConstant=*/true, LLVM::Linkage::Internal, name, b.getStringAttr(terminated));
    }
    return LLVM::AddressOfOp::create(b, op->getLoc(), global);
  }

  /// Whether a call in this function would cost more than a message is worth, even on a path that
  /// does not return: ptxas would wait for every product of a warpgroup (C7510), and leave out
  /// setmaxnreg (C7506).
  static bool isHurtByCalls(Operation *function) {
    WalkResult found = function->walk([](Operation *op) {
      StringRef name = op->getName().getStringRef();
      bool product = isa<NVVM::WgmmaMmaAsyncOp>(op) || hasInlineInstruction(op, "wgmma.mma_async");
      bool tensor = name.starts_with("nvvm.tcgen05.") || hasInlineInstruction(op, "tcgen05.");
      bool registers = isa<NVVM::SetMaxRegisterOp>(op) || hasInlineInstruction(op, "setmaxnreg");
      return product || tensor || registers ? WalkResult::interrupt() : WalkResult::advance();
    });
    return found.wasInterrupted();
  }

  /// A trap, which ends the kernel without a message.
  void rewriteAsTrap(IRRewriter &b, cf::AssertOp op) {
    Location loc = op.getLoc();
    Block *before = op->getBlock();
    Block *after = b.splitBlock(before, std::next(op->getIterator()));
    b.createBlock(after);
    Block *failed = b.getInsertionBlock();
    LLVM::Trap::create(b, loc);
    LLVM::UnreachableOp::create(b, loc);
    b.setInsertionPointToEnd(before);
    cf::CondBranchOp::create(b, loc, op.getArg(), after, failed);
    b.eraseOp(op);
  }

  /// __assertfail(message, file, line, function, size of a character), which ends the kernel.
  void rewriteAssert(IRRewriter &b, cf::AssertOp op) {
    Location loc = op.getLoc();
    Operation *table = SymbolTable::getNearestSymbolTable(op);
    Type pointer = LLVM::LLVMPointerType::get(b.getContext());
    auto callee =
        dyn_cast_or_null<LLVM::LLVMFuncOp>(SymbolTable::lookupSymbolIn(table, "__assertfail"));
    if (!callee) {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(&table->getRegion(0).front());
      callee = LLVM::LLVMFuncOp::create(
          b, loc, "__assertfail",
          LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()),
                                      {pointer, pointer, b.getI32Type(), pointer, b.getI64Type()}));
    }
    auto place = loc->findInstanceOf<FileLineColLoc>();
    Block *before = op->getBlock();
    Block *after = b.splitBlock(before, std::next(op->getIterator()));
    Block *failed = b.createBlock(after);
    Value message = stringOf(b, op, "assert_message_", op.getMsg());
    Value file =
        stringOf(b, op, "assert_file_", place ? place.getFilename().getValue() : "unknown");
    Value line = LLVM::ConstantOp::create(
        b, loc, b.getI32Type(), b.getI32IntegerAttr(place ? int32_t(place.getLine()) : 0));
    auto function = op->getParentOfType<LLVM::LLVMFuncOp>();
    Value where = stringOf(b, op, "assert_function_", function ? function.getSymName() : "kernel");
    Value one = LLVM::ConstantOp::create(b, loc, b.getI64Type(), b.getI64IntegerAttr(1));
    LLVM::CallOp::create(b, loc, callee, ValueRange{message, file, line, where, one});
    LLVM::UnreachableOp::create(b, loc);
    b.setInsertionPointToEnd(before);
    cf::CondBranchOp::create(b, loc, op.getArg(), after, failed);
    b.eraseOp(op);
  }
};

} // namespace
} // namespace tessera::lower
