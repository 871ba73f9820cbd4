// The row of the bank for prints: printf on the host, vprintf in a kernel.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/lower/Bank.h"

#include "tessera/cute/Cute.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute;

namespace tessera::lower {

namespace {
/// A string constant, terminated with a zero byte, in the symbol table around `op`.
Value stringConstant(ConversionPatternRewriter &b, Operation *op, StringRef text) {
  Operation *table = SymbolTable::getNearestSymbolTable(op);
  Location loc = op->getLoc();
  std::string terminated = text.str() + '\0';
  LLVM::GlobalOp global;
  // Named after what it holds, so that equal texts are found at once.
  for (uint64_t hash = llvm::xxh3_64bits(terminated); !global; ++hash) {
    std::string name = "tessera_format_" + llvm::utohexstr(hash, /*LowerCase=*/true);
    Operation *taken = SymbolTable::lookupSymbolIn(table, name);
    auto same = dyn_cast_or_null<LLVM::GlobalOp>(taken);
    if (same && same.getValueAttr() == b.getStringAttr(terminated))
      global = same;
    if (taken)
      continue;
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&table->getRegion(0).front());
    global = LLVM::GlobalOp::create(
        b, loc, LLVM::LLVMArrayType::get(b.getI8Type(), unsigned(terminated.size())),
        /*isConstant=*/true, LLVM::Linkage::Internal, name, b.getStringAttr(terminated));
  }
  return LLVM::AddressOfOp::create(b, loc, global);
}

LLVM::LLVMFuncOp declared(ConversionPatternRewriter &b, Operation *op, StringRef name, Type type) {
  Operation *table = SymbolTable::getNearestSymbolTable(op);
  if (auto known = dyn_cast_or_null<LLVM::LLVMFuncOp>(SymbolTable::lookupSymbolIn(table, name)))
    return known;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&table->getRegion(0).front());
  return LLVM::LLVMFuncOp::create(b, op->getLoc(), name, type);
}

/// printf on the host, vprintf with a buffer of arguments in a kernel.
struct PrintfLowering final : OpConversionPattern<PrintfOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(PrintfOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    Type pointer = LLVM::LLVMPointerType::get(b.getContext()), i32 = b.getI32Type();
    Value format = stringConstant(b, op, op.getFormat());
    if (!op->getParentOfType<gpu::GPUModuleOp>()) {
      auto type = LLVM::LLVMFunctionType::get(i32, pointer, /*isVarArg=*/true);
      LLVM::LLVMFuncOp callee = declared(b, op, "printf", type);
      SmallVector<Value> arguments = {format};
      llvm::append_range(arguments, adaptor.getValues());
      LLVM::CallOp::create(b, loc, callee, arguments);
      b.eraseOp(op);
      return success();
    }
    auto type = LLVM::LLVMFunctionType::get(i32, {pointer, pointer});
    LLVM::LLVMFuncOp callee = declared(b, op, "vprintf", type);
    Value buffer = LLVM::ZeroOp::create(b, loc, pointer);
    if (!adaptor.getValues().empty()) {
      SmallVector<Type> types(adaptor.getValues().getTypes());
      auto structType = LLVM::LLVMStructType::getLiteral(b.getContext(), types);
      {
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPointToStart(entryBlockAround(op));
        Value one = LLVM::ConstantOp::create(b, loc, i32, b.getI32IntegerAttr(1));
        buffer = LLVM::AllocaOp::create(b, loc, pointer, structType, one, 8);
      }
      for (auto [i, value] : llvm::enumerate(adaptor.getValues())) {
        Value slot = LLVM::GEPOp::create(b, loc, pointer, structType, buffer,
                                         ArrayRef<LLVM::GEPArg>{0, int32_t(i)});
        LLVM::StoreOp::create(b, loc, value, slot);
      }
    }
    LLVM::CallOp::create(b, loc, callee, ValueRange{format, buffer});
    b.eraseOp(op);
    return success();
  }
};

constexpr BankRow rows[] = {
    {"PrintfOpLowering", addPattern<PrintfLowering>},
};
} // namespace

ArrayRef<BankRow> printBank() { return rows; }

} // namespace tessera::lower
