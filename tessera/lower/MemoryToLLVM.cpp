// The rows of the bank that reach into memory: pointers, loads, stores, registers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/lower/Bank.h"
#include "tessera/lower/Elements.h"
#include "tessera/lower/LoweredTypes.h"

#include "tessera/cute/Cute.h"
#include "tessera/cute/ops/Far.h"
#include "tessera/cute_nvgpu/CuteNvgpu.h"
#include "tessera/layout/Index.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute;

namespace tessera::lower {

LogicalResult lowerByEvaluation(Operation *op, ValueRange lowered,
                                ConversionPatternRewriter &rewriter, const TypeConverter &types) {
  Emit emit(rewriter, op->getBlock());
  emit.loc = op->getLoc();
  const auto &ours = static_cast<const LoweredTypes &>(types);
  emit.checks = ours.checks;
  Data in;
  for (auto [operand, value] : llvm::zip(op->getOperands(), lowered))
    in.push_back((ours.isPacked(operand.getType()) ? readPacked
                                                   : readLowered)(emit, operand.getType(), value));
  Result<Data> out = cast<AlgebraOpInterface>(op).evaluateWith(emit, in);
  if (!out)
    return op->emitOpError() << out.reason().text;
  SmallVector<Value> results;
  for (auto [result, datum] : llvm::zip(op->getResults(), *out))
    results.push_back((ours.isPacked(result.getType()) ? buildPacked : buildLowered)(
        emit, datum, result.getType(), types.convertType(result.getType())));
  rewriter.replaceOp(op, results);
  return success();
}

Block *entryBlockAround(Operation *op) {
  return &op->getParentOfType<FunctionOpInterface>().getFunctionBody().front();
}

namespace {

//===--- addresses ----------------------------------------------------------------------------===//

/// Whether a column of tensor memory holds a whole number of elements that is a power of two.
bool divides(int64_t elementBits) { return elementBits >= 4 && 32 % elementBits == 0; }
bool isTensorMemory(PtrType type) { return type.getAddressSpace() == AddressSpace::Tmem; }

/// An address of tensor memory some elements further. Its unit is a column, 32 bits: of narrower
/// elements the offset is rotated, so that the part of a column ends in the top bits, and a step by
/// a lane, 65536 columns' worth of elements, at bit 16. Source: CUTLASS tmem_ptr, operator+.
Value tensorAddress(ConversionPatternRewriter &b, Location loc, PtrType type, Value address,
                    Value dynamic, int64_t elements) {
  constexpr int64_t columnBits = 32;
  Type i32 = b.getI32Type();
  int perColumn = int(llvm::Log2_64(uint64_t(columnBits / type.getElementBits())));
  auto constant = [&](uint32_t value) -> Value {
    return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(int32_t(value)));
  };
  if (!dynamic && elements == 0)
    return address;
  Value distance;
  if (!dynamic) {
    distance = constant(llvm::rotr(uint32_t(elements), perColumn));
  } else {
    distance = dynamic.getType() == i32 ? dynamic : arith::TruncIOp::create(b, loc, i32, dynamic);
    if (perColumn)
      distance =
          LLVM::FshrOp::create(b, loc, i32, distance, distance, constant(uint32_t(perColumn)));
  }
  return arith::AddIOp::create(b, loc, address, distance);
}

/// The byte in which the element begins that is `elements` further.
Value bytesOf(ConversionPatternRewriter &b, Location loc, Value elements, int64_t bits) {
  auto constant = [&](Type type, int64_t value) {
    return Value(arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, value)));
  };
  if (bits < 8 && llvm::isPowerOf2_64(uint64_t(bits))) { // 8 / bits of them in a byte
    int64_t log = 3 - int64_t(llvm::Log2_64(uint64_t(bits)));
    return arith::ShRSIOp::create(b, loc, elements, constant(elements.getType(), log));
  }
  Type i64 = b.getI64Type(); // as a product of 32 bits might overflow
  if (elements.getType() != i64)
    elements = arith::ExtSIOp::create(b, loc, i64, elements);
  Value all = arith::MulIOp::create(b, loc, elements, constant(i64, bits));
  return arith::ShRSIOp::create(b, loc, all, constant(i64, 3));
}

/// A pointer some elements further. Elements below a byte count in whole bytes: offsets are
/// multiples of them.
Value elementPointer(ConversionPatternRewriter &b, Location loc, PtrType type, Value pointer,
                     Value dynamic, int64_t elements) {
  if (!dynamic && elements == 0)
    return pointer;
  Type i8 = b.getI8Type();
  int64_t bits = type.getElementBits();
  SmallVector<LLVM::GEPArg> index;
  // LLVM rounds the size of an integer up to a power of two.
  const bool inUnits = bits >= 8 && llvm::isPowerOf2_64(uint64_t(bits));
  Type unit = inUnits ? Type(b.getIntegerType(unsigned(bits))) : i8;
  if (bits == 128) // indexed as two words: i128 is not in every data layout
    unit = VectorType::get({2}, b.getI64Type());
  if (dynamic) {
    index.push_back(inUnits ? dynamic : bytesOf(b, loc, dynamic, bits));
  } else {
    // Towards lower addresses, as a shift does.
    int64_t distance = inUnits ? elements : (elements * bits) >> 3;
    if (llvm::isInt<32>(distance))
      index.push_back(int32_t(distance));
    else
      index.push_back(
          Value(LLVM::ConstantOp::create(b, loc, b.getI64Type(), b.getI64IntegerAttr(distance))));
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

/// A descriptor some units of 16 bytes further: the address is in the low half, and stays within
/// its 14 bits.
Value advancedDescriptor(ConversionPatternRewriter &b, AddOffsetOp op,
                         AddOffsetOp::Adaptor adaptor) {
  Location loc = op.getLoc();
  Type i32 = b.getI32Type(), i64 = b.getI64Type();
  layout::Int offset = cast<IntTupleType>(op.getOffset().getType()).getValue().leaf().value;
  Value distance =
      offset.isStatic()
          ? Value(arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(int32_t(offset.value))))
          : adaptor.getOffset();
  if (distance.getType() != i32)
    distance = arith::TruncIOp::create(b, loc, i32, distance);
  Value low = arith::AddIOp::create(b, loc, arith::TruncIOp::create(b, loc, i32, adaptor.getIter()),
                                    distance);
  Value highBits =
      arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(int64_t(0xffffffff00000000)));
  Value high = arith::AndIOp::create(b, loc, adaptor.getIter(), highBits);
  return arith::OrIOp::create(b, loc, high, arith::ExtUIOp::create(b, loc, i64, low));
}

/// A descriptor iterator some steps forward, or where they are not known.
struct DescriptorAdvanceLowering final : OpConversionPattern<AddOffsetOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(AddOffsetOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    if (!isa<DescIterType>(op.getIter().getType()))
      return failure();
    return lowerByEvaluation(op, adaptor.getOperands(), b, *getTypeConverter());
  }
};

/// A pointer or matrix descriptor some elements further.
struct AddOffsetLowering final : OpConversionPattern<AddOffsetOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(AddOffsetOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    if (isa<cute_nvgpu::SmemDescType>(op.getIter().getType())) {
      b.replaceOp(op, advancedDescriptor(b, op, adaptor));
      return success();
    }
    auto type = dyn_cast<PtrType>(op.getIter().getType());
    if (!type)
      return failure();
    layout::Int offset = cast<IntTupleType>(op.getOffset().getType()).getValue().leaf().value;
    Value dynamic = offset.isStatic() ? Value() : adaptor.getOffset();
    if (isTensorMemory(type)) {
      if (!divides(type.getElementBits()))
        return op.emitOpError() << "expects elements of 4, 8, 16 or 32 bits in tensor memory, but "
                                   "got "
                                << type.getElementType();
      b.replaceOp(op,
                  tensorAddress(b, op.getLoc(), type, adaptor.getIter(), dynamic, offset.value));
      return success();
    }
    b.replaceOp(op, elementPointer(b, op.getLoc(), type, adaptor.getIter(), dynamic, offset.value));
    return success();
  }
};

/// A descriptor iterator some steps back: its index less a constant. Steps forward, and those that
/// are not known, are an addition.
struct DescriptorRewindLowering final : OpConversionPattern<AddOffsetOp> {
  DescriptorRewindLowering(const TypeConverter &types, MLIRContext *context)
      : OpConversionPattern(types, context, /*benefit=*/2) {}

  LogicalResult matchAndRewrite(AddOffsetOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    auto tuple = dyn_cast<IntTupleType>(op.getOffset().getType());
    if (!isa<DescIterType>(op.getIter().getType()) || !tuple || !tuple.getValue().isLeaf())
      return failure();
    layout::Int offset = tuple.getValue().leaf().value;
    if (!offset.isStatic() || offset.value >= 0 ||
        offset.value == std::numeric_limits<int64_t>::min())
      return failure();
    constexpr int64_t index = 1; // after the pointer
    Value at = LLVM::ExtractValueOp::create(b, op.getLoc(), adaptor.getIter(), index);
    Value steps = LLVM::ConstantOp::create(b, op.getLoc(), at.getType(),
                                           b.getIntegerAttr(at.getType(), -offset.value));
    b.replaceOpWithNewOp<LLVM::InsertValueOp>(
        op, adaptor.getIter(), LLVM::SubOp::create(b, op.getLoc(), at, steps), index);
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
/// An address of tensor memory as another integer.
Value asInteger(ConversionPatternRewriter &b, Location loc, Value address, Type type) {
  unsigned have = address.getType().getIntOrFloatBitWidth(), want = type.getIntOrFloatBitWidth();
  if (have == want)
    return address;
  return have < want ? Value(arith::ExtUIOp::create(b, loc, type, address))
                     : arith::TruncIOp::create(b, loc, type, address);
}
struct IntToPtrLowering final : OpConversionPattern<IntToPtrOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(IntToPtrOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Type type = getTypeConverter()->convertType(op.getType());
    if (isTensorMemory(cast<PtrType>(op.getType())))
      b.replaceOp(op, asInteger(b, op.getLoc(), adaptor.getAddress(), type));
    else
      b.replaceOpWithNewOp<LLVM::IntToPtrOp>(op, type, adaptor.getAddress());
    return success();
  }
};
struct PtrToIntLowering final : OpConversionPattern<PtrToIntOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(PtrToIntOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    if (adaptor.getIter().getType().isInteger())
      b.replaceOp(op, asInteger(b, op.getLoc(), adaptor.getIter(), op.getType()));
    else
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

//===--- loads and stores ---------------------------------------------------------------------===//

/// Tensor memory is reached by copies of its own only.
template <class Op> LogicalResult refuseTensorMemory(Op op, PtrType type) {
  return isTensorMemory(type) ? op.emitOpError()
                                    << "expects memory that threads can access, but got " << type
                                    << ": copy to or from tensor memory with its own atoms"
                              : success();
}

/// The element of fewer than 8 bits that begins `shift` bits after the lowest of a byte.
Value loadFromByte(ConversionPatternRewriter &b, Location loc, Type lowered, Value pointer,
                   Value shift) {
  Value byte = LLVM::LoadOp::create(b, loc, b.getI8Type(), pointer, 1);
  return LLVM::TruncOp::create(b, loc, lowered, LLVM::LShrOp::create(b, loc, byte, shift));
}
/// The other elements of the byte stay, so two threads must not write elements of one byte.
void storeToByte(ConversionPatternRewriter &b, Location loc, Value value, Value pointer,
                 Value shift) {
  Type i8 = b.getI8Type();
  auto constant = [&](int64_t x) -> Value {
    return LLVM::ConstantOp::create(b, loc, i8, b.getIntegerAttr(i8, x));
  };
  const unsigned bits = value.getType().getIntOrFloatBitWidth();
  Value ones = LLVM::ShlOp::create(b, loc, constant((1 << bits) - 1), shift);
  Value others = LLVM::AndOp::create(b, loc, LLVM::LoadOp::create(b, loc, i8, pointer, 1),
                                     LLVM::XOrOp::create(b, loc, ones, constant(-1)));
  Value code = LLVM::ShlOp::create(b, loc, LLVM::ZExtOp::create(b, loc, i8, value), shift);
  LLVM::StoreOp::create(b, loc, LLVM::OrOp::create(b, loc, others, code), pointer, 1);
}
/// The bit of its byte at which an element begins that is `elements` after one at the beginning of
/// a byte.
/// A narrow value at a pointer to wider elements is the lowest bits of a byte of its own.
Value shiftOf(ConversionPatternRewriter &b, Location loc, PtrType type, int64_t elements) {
  int64_t inside = type.getElementBits() < 8 ? elements * type.getElementBits() & 7 : 0;
  return LLVM::ConstantOp::create(b, loc, b.getI8Type(), b.getIntegerAttr(b.getI8Type(), inside));
}
bool isBelowByte(Type lowered) {
  return lowered.isInteger() && lowered.getIntOrFloatBitWidth() < 8;
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
    if (failed(refuseTensorMemory(op, type)))
      return failure();
    Value at = elementPointer(b, op.getLoc(), type, adaptor.getPtr(), {}, op.getOffset());
    at = swizzledPointer(b, op.getLoc(), type, at);
    Type lowered = getTypeConverter()->convertType(op.getType());
    if (isBelowByte(lowered))
      b.replaceOp(op, loadFromByte(b, op.getLoc(), lowered, at,
                                   shiftOf(b, op.getLoc(), type, int64_t(op.getOffset()))));
    else
      b.replaceOpWithNewOp<LLVM::LoadOp>(op, lowered, at, unsigned(alignmentOf(op, type)));
    return success();
  }
};
struct PtrStoreLowering final : OpConversionPattern<PtrStoreOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(PtrStoreOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    auto type = cast<PtrType>(op.getPtr().getType());
    if (failed(refuseTensorMemory(op, type)))
      return failure();
    Value at = elementPointer(b, op.getLoc(), type, adaptor.getPtr(), {}, op.getOffset());
    at = swizzledPointer(b, op.getLoc(), type, at);
    Value value = adaptor.getValue();
    // A predicate at a pointer takes a byte, as in the arrays of callers.
    if (isBelowByte(value.getType()) && !value.getType().isInteger(1) &&
        type.getElementBits() < 8) {
      storeToByte(b, op.getLoc(), value, at,
                  shiftOf(b, op.getLoc(), type, int64_t(op.getOffset())));
    } else {
      if (isBelowByte(value.getType()))
        value = LLVM::ZExtOp::create(b, op.getLoc(), b.getI8Type(), value);
      LLVM::StoreOp::create(b, op.getLoc(), value, at, unsigned(alignmentOf(op, type)));
    }
    b.eraseOp(op);
    return success();
  }
};

/// The number of the element of a lowered tensor at a lowered coordinate.
FailureOr<Value> indexOf(ConversionPatternRewriter &b, Operation *op, Value view, Value coord,
                         Value loweredView, Value loweredCoord, const TypeConverter &types) {
  Emit emit(b, op->getBlock());
  emit.loc = op->getLoc();
  emit.checks = static_cast<const LoweredTypes &>(types).checks;
  Datum tensor = readLowered(emit, view.getType(), loweredView);
  Datum at = readLowered(emit, coord.getType(), loweredCoord);
  const View &v = *tensor.as<View>();
  Result<layout::Tree> index =
      layout::elementIndex(emit, *at.tree(), v.layout, isFar(v.iterator.type));
  if (!index)
    return op->emitOpError() << index.reason().text;
  return emit.value(index->leaf().value);
}

/// Where an element of 1, 2 or 4 bits lies: its byte, and the bits below it. Elements fill a byte
/// from its lowest bit on.
struct BitPlace {
  Value byte, shift; // a pointer, an i8
};
FailureOr<BitPlace> placeOfBits(ConversionPatternRewriter &b, Operation *op, Value view,
                                Value coord, Value loweredView, Value loweredCoord,
                                const TypeConverter &types) {
  FailureOr<Value> index = indexOf(b, op, view, coord, loweredView, loweredCoord, types);
  if (failed(index))
    return failure();
  Location loc = op->getLoc();
  PtrType type = cast<CuteMemRefType>(view.getType()).getPtrType();
  const int64_t bits = type.getElementBits();
  Value pointer = leavesOf(b, loc, loweredView).front();
  Value byte = LLVM::GEPOp::create(b, loc, pointer.getType(), b.getI8Type(), pointer,
                                   ArrayRef<LLVM::GEPArg>{bytesOf(b, loc, *index, bits)});
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(b, loc, b.getIntegerAttr(index->getType(), value));
  };
  Value inByte = arith::AndIOp::create(b, loc, *index, constant(8 / bits - 1));
  Value shift = arith::TruncIOp::create(b, loc, b.getI8Type(),
                                        arith::MulIOp::create(b, loc, inByte, constant(bits)));
  return BitPlace{swizzledPointer(b, loc, type, byte), shift};
}
bool isInBits(Type view) {
  auto tensor = dyn_cast<CuteMemRefType>(view);
  return tensor && tensor.getPtrType().getElementBits() < 8;
}

/// The pointer to the element of a lowered tensor at a lowered coordinate.
FailureOr<Value> elementOf(ConversionPatternRewriter &b, Operation *op, Value view, Value coord,
                           Value loweredView, Value loweredCoord, const TypeConverter &types) {
  Emit emit(b, op->getBlock());
  emit.loc = op->getLoc();
  emit.checks = static_cast<const LoweredTypes &>(types).checks;
  Datum tensor = readLowered(emit, view.getType(), loweredView);
  Datum at = readLowered(emit, coord.getType(), loweredCoord);
  const View &v = *tensor.as<View>();
  Result<layout::Tree> index =
      layout::elementIndex(emit, *at.tree(), v.layout, isFar(v.iterator.type));
  Result<Iterator> element =
      index ? emit.advance(v.iterator, *index) : Result<Iterator>(index.reason());
  if (!element)
    return op->emitOpError() << element.reason().text;
  return emit.value(*element);
}

struct MemRefLoadLowering final : OpConversionPattern<MemRefLoadOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(MemRefLoadOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    if (auto tensor = dyn_cast<CuteMemRefType>(op.getView().getType());
        tensor && failed(refuseTensorMemory(op, tensor.getPtrType())))
      return failure();
    if (isInBits(op.getView().getType())) {
      FailureOr<BitPlace> place = placeOfBits(b, op, op.getView(), op.getCoord(), adaptor.getView(),
                                              adaptor.getCoord(), *getTypeConverter());
      if (failed(place))
        return failure();
      b.replaceOp(op, loadFromByte(b, op.getLoc(), getTypeConverter()->convertType(op.getType()),
                                   place->byte, place->shift));
      return success();
    }
    FailureOr<Value> at = elementOf(b, op, op.getView(), op.getCoord(), adaptor.getView(),
                                    adaptor.getCoord(), *getTypeConverter());
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
    if (auto tensor = dyn_cast<CuteMemRefType>(op.getView().getType());
        tensor && failed(refuseTensorMemory(op, tensor.getPtrType())))
      return failure();
    if (isInBits(op.getView().getType())) {
      FailureOr<BitPlace> place = placeOfBits(b, op, op.getView(), op.getCoord(), adaptor.getView(),
                                              adaptor.getCoord(), *getTypeConverter());
      if (failed(place))
        return failure();
      storeToByte(b, op.getLoc(), adaptor.getValue(), place->byte, place->shift);
      b.eraseOp(op);
      return success();
    }
    FailureOr<Value> at = elementOf(b, op, op.getView(), op.getCoord(), adaptor.getView(),
                                    adaptor.getCoord(), *getTypeConverter());
    if (failed(at))
      return failure();
    b.replaceOpWithNewOp<PtrStoreOp>(op, *at, op.getValue(), 0, IntegerAttr());
    return success();
  }
};

/// Registers: an array on the stack that LLVM promotes.
struct AllocaLowering final : OpConversionPattern<MemRefAllocaOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(MemRefAllocaOp op, OpAdaptor,
                                ConversionPatternRewriter &b) const override {
    CuteMemRefType type = op.getType();
    if (failed(checkCounted(op, type.getElementType())))
      return failure();
    layout::Const arith;
    Result<layout::Int> cosize = layout::cosize(arith, type.getLayout());
    if (!cosize)
      return op.emitOpError() << cosize.reason().text;
    int64_t bytes = (cosize->value * type.getPtrType().getElementBits() + 7) / 8;
    Type element = type.getElementType();
    bool whole = isMoved(element) && bitsOf(element) >= 16;
    Type lowered = whole ? getTypeConverter()->convertType(element) : Type(b.getI8Type());
    int64_t count = whole ? cosize->value : bytes;
    Value pointer;
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(entryBlockAround(op));
      Value one = LLVM::ConstantOp::create(b, op.getLoc(), b.getI32Type(), b.getI32IntegerAttr(1));
      pointer =
          LLVM::AllocaOp::create(b, op.getLoc(), LLVM::LLVMPointerType::get(b.getContext()),
                                 LLVM::LLVMArrayType::get(lowered, unsigned(count)), one,
                                 unsigned(std::max<int64_t>(4, type.getPtrType().getAlignment())));
    }
    b.replaceOp(op, fromLeaves(b, op.getLoc(), getTypeConverter()->convertType(type), pointer));
    return success();
  }
};

constexpr BankRow rows[] = {
    {"AddOffsetOpLowering", addPattern<AddOffsetLowering>},
    {"DescriptorAdvanceOpLowering", addPattern<DescriptorAdvanceLowering>},
    {"DescriptorRewindOpLowering", addPattern<DescriptorRewindLowering>},
    {"RecastIterOpLowering", addPattern<RecastIterLowering>},
    {"IntToPtrOpLowering", addPattern<IntToPtrLowering>},
    {"PtrToIntOpLowering", addPattern<PtrToIntLowering>},
    {"AssumeOpLowering", addPattern<AssumeLowering>},
    {"PtrLoadOpLowering", addPattern<PtrLoadLowering>},
    {"PtrStoreOpLowering", addPattern<PtrStoreLowering>},
    {"MemRefLoadOpLowering", addPattern<MemRefLoadLowering>},
    {"MemRefStoreOpLowering", addPattern<MemRefStoreLowering>},
    {"MemRefAllocaOpLowering", addPattern<AllocaLowering>},
};
} // namespace

ArrayRef<BankRow> memoryBank() { return rows; }

} // namespace tessera::lower
