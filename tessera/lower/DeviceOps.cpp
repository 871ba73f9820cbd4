// ConvertDeviceOps: mathematical functions and assertions of kernels, which have no C library.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/lower/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include <numbers>

using namespace mlir;

namespace tessera::lower {
#define GEN_PASS_DEF_CONVERTDEVICEOPS
#include "tessera/lower/Passes.h.inc"

namespace {

/// f(x) = after * instruction(before * x) in f32. `fast` flushes subnormals and is used where the
/// op allows approximation, `exact` otherwise; PTX ISA 9.0, 9.7.3 states their errors (2 ulp or
/// better).
struct MathRow {
  StringLiteral op, exact, fast;
  double before = 1, after = 1;
};
constexpr MathRow mathRows[] = {
    {"math.exp2", "llvm.nvvm.ex2.approx.f", "llvm.nvvm.ex2.approx.ftz.f"},
    {"math.exp", "llvm.nvvm.ex2.approx.f", "llvm.nvvm.ex2.approx.ftz.f", std::numbers::log2e},
    {"math.log2", "llvm.nvvm.lg2.approx.f", "llvm.nvvm.lg2.approx.ftz.f"},
    {"math.log", "llvm.nvvm.lg2.approx.f", "llvm.nvvm.lg2.approx.ftz.f", 1, std::numbers::ln2},
    {"math.rsqrt", "llvm.nvvm.rsqrt.approx.f", "llvm.nvvm.rsqrt.approx.ftz.f"},
    {"math.sin", "", "llvm.nvvm.sin.approx.ftz.f"},
    {"math.cos", "", "llvm.nvvm.cos.approx.ftz.f"},
};
/// tanh.approx has no intrinsic.
constexpr StringLiteral tanhPtx = "tanh.approx.f32 $0, $1;";
/// Functions that the back end knows, or that are a few instructions in LLVM.
constexpr StringLiteral nativeMath[] = {
    "math.fma",   "math.sqrt",  "math.absf",      "math.absi",     "math.ceil",  "math.floor",
    "math.trunc", "math.round", "math.roundeven", "math.copysign", "math.ctlz",  "math.cttz",
    "math.ctpop", "math.isnan", "math.isinf",     "math.isfinite", "math.clampf"};

struct ConvertDeviceOpsPass : impl::ConvertDeviceOpsBase<ConvertDeviceOpsPass> {
  void runOnOperation() override {
    bool good = true;
    getOperation()->walk([&](gpu::GPUModuleOp module) {
      SmallVector<Operation *> ops;
      module->walk([&](Operation *op) {
        if (isa<cf::AssertOp>(op) || isa<math::MathDialect>(op->getDialect()))
          ops.push_back(op);
      });
      for (Operation *op : ops) {
        IRRewriter b(op);
        if (auto assertion = dyn_cast<cf::AssertOp>(op))
          rewriteAssert(b, assertion);
        else
          good &= succeeded(rewriteMath(b, op));
      }
    });
    if (!good)
      signalPassFailure();
  }

  //===--- mathematics ------------------------------------------------------------------------===//

  static bool allowsApproximation(Operation *op) {
    auto flags = dyn_cast<arith::ArithFastMathInterface>(op);
    return flags &&
           bitEnumContainsAny(flags.getFastMathFlagsAttr().getValue(), arith::FastMathFlags::afn);
  }

  LogicalResult rewriteMath(IRRewriter &b, Operation *op) {
    StringRef name = op->getName().getStringRef();
    if (llvm::is_contained(nativeMath, name))
      return success();
    Type type = op->getResult(0).getType();
    bool fast = allowsApproximation(op);
    auto refuse =
        [&] {
          return op->emitOpError()
                 << "on " << type << (fast ? "" : " without fastmath<afn>")
                 << " has no instruction on NVIDIA GPUs; expects an approximation to be "
                    "allowed, on f32, f16 or bf16";
        };
    bool narrow = type.isF16() || type.isBF16();
    if (!type.isF32() && !narrow)
      return refuse();
    Location loc = op->getLoc();
    Type f32 = b.getF32Type();
    Value x = op->getOperand(0);
    if (narrow)
      x = arith::ExtFOp::create(b, loc, f32, x);
    Value y;
    if (name == "math.tanh" && fast) {
      y = LLVM::InlineAsmOp::create(b, loc, f32, x, tanhPtx, "=f,f", /*has_side_effects=*/false,
                                    false, LLVM::TailCallKind::None, LLVM::AsmDialectAttr(),
                                    ArrayAttr())
              .getResult(0);
    } else {
      const MathRow *row =
          llvm::find_if(mathRows, [&](const MathRow &row) { return row.op == name; });
      if (row == std::end(mathRows) || (!fast && row->exact.empty()))
        return refuse();
      auto scaled = [&](Value v, double factor) -> Value {
        if (factor == 1)
          return v;
        Value constant = arith::ConstantOp::create(b, loc, b.getF32FloatAttr(float(factor)));
        return arith::MulFOp::create(b, loc, v, constant);
      };
      StringRef intrinsic = fast ? row->fast : row->exact;
      y = LLVM::CallIntrinsicOp::create(b, loc, f32, b.getStringAttr(intrinsic),
                                        scaled(x, row->before))
              .getResult(0);
      y = scaled(y, row->after);
    }
    if (narrow)
      y = arith::TruncFOp::create(b, loc, type, y);
    b.replaceOp(op, y);
    return success();
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
      auto text = dyn_cast<LLVM::InlineAsmOp>(op);
      bool product = text && text.getAsmString().starts_with("wgmma.mma_async");
      return product || isa<NVVM::SetMaxRegisterOp>(op) ? WalkResult::interrupt()
                                                        : WalkResult::advance();
    });
    return found.wasInterrupted();
  }

  /// A trap, which ends the kernel without a word.
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
    if (isHurtByCalls(op->getParentOfType<FunctionOpInterface>()))
      return rewriteAsTrap(b, op);
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
