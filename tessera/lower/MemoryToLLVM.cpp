// The rows of the bank that reach into memory: pointers, loads, stores, registers, fast division, prints.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/lower/Bank.h"
#include "tessera/lower/LoweredTypes.h"

#include "tessera/cute/Cute.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute;

namespace tessera::lower {

LogicalResult lowerByEvaluation(Operation *op, ValueRange lowered, ConversionPatternRewriter &rewriter,
                                const TypeConverter &types) {
  Emit emit(rewriter, op->getBlock());
  emit.loc = op->getLoc();
  Data in;
  for (auto [operand, value] : llvm::zip(op->getOperands(), lowered))
    in.push_back(readLowered(emit, operand.getType(), value));
  Result<Data> out = cast<AlgebraOpInterface>(op).evaluateWith(emit, in);
  if (!out)
    return op->emitOpError() << out.reason().text;
  SmallVector<Value> results;
  for (auto [result, datum] : llvm::zip(op->getResults(), *out))
    results.push_back(
        buildLowered(emit, datum, result.getType(), types.convertType(result.getType())));
  rewriter.replaceOp(op, results);
  return success();
}

namespace {

//===--- addresses ------------------------------------------------------------------------------------------===//

/// A pointer some elements further. Elements below a byte count in whole bytes: offsets are multiples of them.
Value elementPointer(ConversionPatternRewriter &b, Location loc, PtrType type, Value pointer, Value dynamic,
                     int64_t elements) {
  if (!dynamic && elements == 0)
    return pointer;
  Type i8 = b.getI8Type();
  int64_t bits = type.getElementBits();
  SmallVector<LLVM::GEPArg> index;
  Type unit = bits % 8 == 0 ? Type(b.getIntegerType(unsigned(bits))) : i8;
  if (bits == 128) // indexed as two words: i128 is not in every data layout
    unit = VectorType::get({2}, b.getI64Type());
  if (dynamic) {
    if (bits < 8)
      dynamic = arith::ShRSIOp::create(
          b, loc, dynamic,
          arith::ConstantOp::create(b, loc, b.getIntegerAttr(dynamic.getType(), bits == 4 ? 1 : 0)));
    index.push_back(dynamic);
  } else {
    int64_t distance = bits < 8 ? elements * bits / 8 : elements;
    if (llvm::isInt<32>(distance))
      index.push_back(int32_t(distance));
    else
      index.push_back(Value(LLVM::ConstantOp::create(b, loc, b.getI64Type(), b.getI64IntegerAttr(distance))));
  }
  return LLVM::GEPOp::create(b, loc, pointer.getType(), unit, pointer, index);
}

/// The address that an access through a swizzled pointer reaches.
Value swizzledPointer(ConversionPatternRewriter &b, Location loc, PtrType type, Value pointer) {
  if (!type.hasSwizzle())
    return pointer;
  Emit emit(b, b.getInsertionBlock());
  emit.loc = loc;
  Value address = LLVM::PtrToIntOp::create(b, loc, b.getI32Type(), pointer);
  layout::Int permuted = layout::applySwizzle(emit, type.getSwizzle(), emit.leaf(address));
  return LLVM::IntToPtrOp::create(b, loc, pointer.getType(), emit.value(permuted, b.getI32Type()));
}

struct AddOffsetLowering final : OpConversionPattern<AddOffsetOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(AddOffsetOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    auto type = dyn_cast<PtrType>(op.getIter().getType());
    if (!type)
      return lowerByEvaluation(op, adaptor.getOperands(), b, *getTypeConverter());
    layout::Int offset = cast<IntTupleType>(op.getOffset().getType()).getValue().leaf().value;
    Value dynamic = offset.isStatic() ? Value() : adaptor.getOffset();
    b.replaceOp(op, elementPointer(b, op.getLoc(), type, adaptor.getIter(), dynamic, offset.value));
    return success();
  }
};

struct RecastIterLowering final : OpConversionPattern<RecastIterOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(RecastIterOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    b.replaceOp(op, adaptor.getIter());
    return success();
  }
};
struct IntToPtrLowering final : OpConversionPattern<IntToPtrOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(IntToPtrOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    b.replaceOpWithNewOp<LLVM::IntToPtrOp>(op, getTypeConverter()->convertType(op.getType()),
                                           adaptor.getAddress());
    return success();
  }
};
struct PtrToIntLowering final : OpConversionPattern<PtrToIntOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(PtrToIntOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    b.replaceOpWithNewOp<LLVM::PtrToIntOp>(op, op.getType(), adaptor.getIter());
    return success();
  }
};
struct AssumeLowering final : OpConversionPattern<AssumeOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(AssumeOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    b.replaceOp(op, adaptor.getValue());
    return success();
  }
};

//===--- loads and stores -----------------------------------------------------------------------------------===//

/// Predicates take a byte in memory.
Value loadFrom(ConversionPatternRewriter &b, Location loc, Type lowered, Value pointer, int64_t alignment) {
  if (!lowered.isInteger(1))
    return LLVM::LoadOp::create(b, loc, lowered, pointer, unsigned(alignment));
  Value byte = LLVM::LoadOp::create(b, loc, b.getI8Type(), pointer, unsigned(alignment));
  return LLVM::TruncOp::create(b, loc, lowered, byte);
}
void storeTo(ConversionPatternRewriter &b, Location loc, Value value, Value pointer, int64_t alignment) {
  if (value.getType().isInteger(1))
    value = LLVM::ZExtOp::create(b, loc, b.getI8Type(), value);
  LLVM::StoreOp::create(b, loc, value, pointer, unsigned(alignment));
}

template <class Op> int64_t alignmentOf(Op op, PtrType type) {
  if (op.getAlignment())
    return int64_t(*op.getAlignment());
  int64_t bytes = int64_t(op.getOffset()) * type.getElementBits() / 8;
  int64_t alignment = type.getAlignment();
  while (alignment > 1 && bytes % alignment != 0)
    alignment /= 2;
  return alignment;
}

struct PtrLoadLowering final : OpConversionPattern<PtrLoadOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(PtrLoadOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    auto type = cast<PtrType>(op.getPtr().getType());
    Value at = elementPointer(b, op.getLoc(), type, adaptor.getPtr(), {}, op.getOffset());
    at = swizzledPointer(b, op.getLoc(), type, at);
    b.replaceOp(op, loadFrom(b, op.getLoc(), getTypeConverter()->convertType(op.getType()), at,
                             alignmentOf(op, type)));
    return success();
  }
};
struct PtrStoreLowering final : OpConversionPattern<PtrStoreOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(PtrStoreOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    auto type = cast<PtrType>(op.getPtr().getType());
    Value at = elementPointer(b, op.getLoc(), type, adaptor.getPtr(), {}, op.getOffset());
    at = swizzledPointer(b, op.getLoc(), type, at);
    storeTo(b, op.getLoc(), adaptor.getValue(), at, alignmentOf(op, type));
    b.eraseOp(op);
    return success();
  }
};

/// The pointer to the element of a lowered tensor at a lowered coordinate.
FailureOr<Value> elementOf(ConversionPatternRewriter &b, Operation *op, Value view, Value coord,
                           Value loweredView, Value loweredCoord) {
  Emit emit(b, op->getBlock());
  emit.loc = op->getLoc();
  Datum tensor = readLowered(emit, view.getType(), loweredView);
  Datum at = readLowered(emit, coord.getType(), loweredCoord);
  const View &v = *tensor.as<View>();
  Result<layout::Tree> index = layout::crd2idx(emit, *at.tree(), v.layout);
  Result<Iterator> element = index ? emit.advance(v.iterator, *index) : Result<Iterator>(index.reason());
  if (!element)
    return op->emitOpError() << element.reason().text;
  return emit.value(*element);
}

struct MemRefLoadLowering final : OpConversionPattern<MemRefLoadOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(MemRefLoadOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    FailureOr<Value> at =
        elementOf(b, op, op.getView(), op.getCoord(), adaptor.getView(), adaptor.getCoord());
    if (failed(at))
      return failure();
    b.replaceOpWithNewOp<PtrLoadOp>(op, op.getType(), *at, 0, IntegerAttr());
    return success();
  }
};
struct MemRefStoreLowering final : OpConversionPattern<MemRefStoreOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(MemRefStoreOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    FailureOr<Value> at =
        elementOf(b, op, op.getView(), op.getCoord(), adaptor.getView(), adaptor.getCoord());
    if (failed(at))
      return failure();
    b.replaceOpWithNewOp<PtrStoreOp>(op, *at, op.getValue(), 0, IntegerAttr());
    return success();
  }
};

/// Registers: an array on the stack that LLVM promotes, in the entry block so that loops do not grow it.
struct AllocaLowering final : OpConversionPattern<MemRefAllocaOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(MemRefAllocaOp op, OpAdaptor,
                                ConversionPatternRewriter &b) const override {
    CuteMemRefType type = op.getType();
    layout::Const arith;
    Result<layout::Int> cosize = layout::cosize(arith, type.getLayout());
    if (!cosize)
      return op.emitOpError() << cosize.reason().text;
    int64_t bytes = (cosize->value * type.getPtrType().getElementBits() + 7) / 8;
    Type element = type.getElementType();
    bool whole = element.isIntOrFloat() && element.getIntOrFloatBitWidth() % 8 == 0 && element.getIntOrFloatBitWidth() >= 16;
    Type lowered = whole ? getTypeConverter()->convertType(element) : Type(b.getI8Type());
    int64_t count = whole ? cosize->value : bytes;
    Value pointer;
    {
      OpBuilder::InsertionGuard guard(b);
      Block *entry = op->getBlock();
      while (!isa<FunctionOpInterface>(entry->getParentOp()))
        entry = entry->getParentOp()->getBlock();
      entry = &entry->getParent()->front();
      b.setInsertionPointToStart(entry);
      Value one = LLVM::ConstantOp::create(b, op.getLoc(), b.getI32Type(), b.getI32IntegerAttr(1));
      pointer = LLVM::AllocaOp::create(b, op.getLoc(), LLVM::LLVMPointerType::get(b.getContext()),
                                       LLVM::LLVMArrayType::get(lowered, unsigned(count)), one,
                                       unsigned(std::max<int64_t>(4, type.getPtrType().getAlignment())));
    }
    b.replaceOp(op, fromLeaves(b, op.getLoc(), getTypeConverter()->convertType(type), pointer));
    return success();
  }
};

//===--- fast division --------------------------------------------------------------------------------------===//

/// {d, m, s1, s2} with m = 2^N * (2^l - d) / d + 1, l = ceil(log2 d), s1 = min(l, 1), s2 = l - s1.
/// Source: Granlund and Montgomery, Division by Invariant Integers, figure 4.1.
struct CreateDivisorLowering final : OpConversionPattern<FastDivmodCreateDivisorOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(FastDivmodCreateDivisorOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    unsigned width = op.getType().getWidth();
    Type narrow = b.getIntegerType(width), wide = b.getIntegerType(2 * width), i8 = b.getI8Type();
    auto constant = [&](Type type, int64_t value) -> Value {
      return LLVM::ConstantOp::create(b, loc, type, b.getIntegerAttr(type, value));
    };
    Value d = adaptor.getDivisor();
    Value below = LLVM::SubOp::create(b, loc, d, constant(narrow, 1));
    Value zeros = LLVM::CountLeadingZerosOp::create(b, loc, narrow, below, /*is_zero_poison=*/false);
    Value l = LLVM::SubOp::create(b, loc, constant(narrow, width), zeros);
    Value wideD = LLVM::ZExtOp::create(b, loc, wide, d), wideL = LLVM::ZExtOp::create(b, loc, wide, l);
    Value power = LLVM::ShlOp::create(b, loc, constant(wide, 1), wideL);
    Value numerator = LLVM::ShlOp::create(b, loc, LLVM::SubOp::create(b, loc, power, wideD),
                                          constant(wide, width));
    Value quotient = LLVM::UDivOp::create(b, loc, numerator, wideD);
    Value m = LLVM::TruncOp::create(b, loc, narrow,
                                    LLVM::AddOp::create(b, loc, quotient, constant(wide, 1)));
    Value s1 = LLVM::UMinOp::create(b, loc, l, constant(narrow, 1));
    Value s2 = LLVM::SubOp::create(b, loc, l, s1);
    b.replaceOp(op, fromLeaves(b, loc, getTypeConverter()->convertType(op.getType()),
                               {d, m, LLVM::TruncOp::create(b, loc, i8, s1),
                                LLVM::TruncOp::create(b, loc, i8, s2)}));
    return success();
  }
};

/// q = (t + ((n - t) >> s1)) >> s2 with t = high half of m * n.
struct ComputeDivmodLowering final : OpConversionPattern<FastDivmodComputeOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(FastDivmodComputeOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    Type narrow = op.getDividend().getType(), wide = b.getIntegerType(2 * narrow.getIntOrFloatBitWidth());
    SmallVector<Value> parts = leavesOf(b, loc, adaptor.getDivisor());
    Value n = adaptor.getDividend(), d = parts[0];
    auto widened = [&](Value v) -> Value { return LLVM::ZExtOp::create(b, loc, wide, v); };
    Value product = LLVM::MulOp::create(b, loc, widened(parts[1]), widened(n));
    Value half = LLVM::ConstantOp::create(
        b, loc, wide, b.getIntegerAttr(wide, int64_t(narrow.getIntOrFloatBitWidth())));
    Value t = LLVM::TruncOp::create(b, loc, narrow, LLVM::LShrOp::create(b, loc, product, half));
    Value s1 = LLVM::ZExtOp::create(b, loc, narrow, parts[2]),
          s2 = LLVM::ZExtOp::create(b, loc, narrow, parts[3]);
    Value rest = LLVM::LShrOp::create(b, loc, LLVM::SubOp::create(b, loc, n, t), s1);
    Value q = LLVM::LShrOp::create(b, loc, LLVM::AddOp::create(b, loc, t, rest), s2);
    Value r = LLVM::SubOp::create(b, loc, n, LLVM::MulOp::create(b, loc, q, d));
    b.replaceOp(op, {q, r});
    return success();
  }
};

//===--- prints -----------------------------------------------------------------------------------------------===//

/// A string constant, terminated with a zero byte, in the symbol table around `op`.
Value stringConstant(ConversionPatternRewriter &b, Operation *op, StringRef text) {
  Operation *table = SymbolTable::getNearestSymbolTable(op);
  Location loc = op->getLoc();
  std::string terminated = text.str() + '\0';
  LLVM::GlobalOp global;
  std::string name;
  for (unsigned i = 0; !global; ++i) {
    name = "tessera_format_" + std::to_string(i);
    Operation *taken = SymbolTable::lookupSymbolIn(table, name);
    auto same = dyn_cast_or_null<LLVM::GlobalOp>(taken);
    if (same && same.getValueAttr() == b.getStringAttr(terminated))
      global = same;
    if (taken)
      continue;
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&table->getRegion(0).front());
    global = LLVM::GlobalOp::create(b, loc, LLVM::LLVMArrayType::get(b.getI8Type(), unsigned(terminated.size())),
                                    /*isConstant=*/true, LLVM::Linkage::Internal, name,
                                    b.getStringAttr(terminated));
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
      Value one = LLVM::ConstantOp::create(b, loc, i32, b.getI32IntegerAttr(1));
      buffer = LLVM::AllocaOp::create(b, loc, pointer, structType, one, 8);
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
    {"DescriptorAdvanceOpLowering", addPattern<AddOffsetLowering>},
    {"RecastIterOpLowering", addPattern<RecastIterLowering>},
    {"IntToPtrOpLowering", addPattern<IntToPtrLowering>},
    {"PtrToIntOpLowering", addPattern<PtrToIntLowering>},
    {"AssumeOpLowering", addPattern<AssumeLowering>},
    {"PtrLoadOpLowering", addPattern<PtrLoadLowering>},
    {"PtrStoreOpLowering", addPattern<PtrStoreLowering>},
    {"MemRefLoadOpLowering", addPattern<MemRefLoadLowering>},
    {"MemRefStoreOpLowering", addPattern<MemRefStoreLowering>},
    {"MemRefAllocaOpLowering", addPattern<AllocaLowering>},
    {"FastDivmodCreateDivisorOpLowering", addPattern<CreateDivisorLowering>},
    {"FastDivmodComputeOpLowering", addPattern<ComputeDivmodLowering>},
    {"PrintfOpLowering", addPattern<PrintfLowering>},
};
} // namespace

ArrayRef<BankRow> memoryBank() { return rows; }

} // namespace tessera::lower
