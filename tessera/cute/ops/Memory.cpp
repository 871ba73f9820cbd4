// Ops that reach into memory: allocation, loads, stores and pointer arithmetic.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute/Cute.h"
#include "tessera/cute/Diagnostics.h"
#include "tessera/cute/Dictionary.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute;
using layout::TreeKind;

//===--- iterators ----------------------------------------------------------------------------===//

/// A descriptor iterator `offset` places further.
static Result<Data> movedIndex(Domain &d, const View &at, const layout::Tree &offset) {
  auto type = cast<DescIterType>(typeOf(at.iterator.type.getContext(), Datum(at)));
  if (offset.isTuple() || offset.leaf().isBasis())
    return Reason{"ScalarIndex", sentence(Diag::ScalarIndex, offset)};
  const layout::Int distance = offset.leaf().value;
  bool wide =
      distance.isStatic() ? !layout::fitsI32(distance.value) : distance.width == layout::Width::I64;
  if (wide && type.getIndexWidth() != layout::Width::I64)
    return Reason{"DescIterOffset", sentence(Diag::DescIterOffset, type, offset)};
  View moved = at;
  moved.index = d.arith().add(*at.index, distance);
  return Data{Datum(std::move(moved))};
}

Result<Data> AddOffsetOp::evaluate(Domain &d, ArrayRef<Datum> in, Adaptor) {
  const layout::Tree &offset = *in[1].tree();
  if (const Iterator *it = in[0].as<Iterator>()) {
    TESSERA_TRY(Iterator to, d.advance(*it, offset));
    return Data{Datum(std::move(to))};
  }
  if (const View *at = in[0].as<View>())
    return movedIndex(d, *at, offset);
  // 4.3.3 adds coordinates as int_tuples.
  return Data{Datum(TreeKind::IntTuple, layout::addIndices(d.arith(), *in[0].tree(), offset))};
}

Result<Data> DerefArithTupleIterOp::evaluate(Domain &, ArrayRef<Datum> in, Adaptor) {
  return Data{Datum(TreeKind::IntTuple, in[0].as<Iterator>()->tuple)};
}

OpFoldResult ApplySwizzleOp::fold(FoldAdaptor) {
  bool swizzles = getSwizzle() ? !getSwizzleAttr().getValue().isIdentity()
                               : cast<PtrType>(getType()).hasSwizzle();
  return swizzles ? OpFoldResult() : OpFoldResult(getIter());
}

LogicalResult RecastIterOp::verify() {
  auto from = cast<PtrType>(getIter().getType()), to = cast<PtrType>(getType());
  if (from.getAddressSpace() != to.getAddressSpace())
    return refuse(*this, Diag::RecastSpace, atom::name(from.getAddressSpace()),
                  atom::name(to.getAddressSpace()));
  if (to.getAlignment() > from.getAlignment())
    return refuse(*this, Diag::RecastAlignment, from.getAlignment(), to.getAlignment());
  return success();
}

/// The largest known divisor of an address.
static int64_t knownDivisor(Type type) {
  if (auto t = dyn_cast<ConstrainedI32Type>(type))
    return t.getDivby();
  if (auto t = dyn_cast<ConstrainedI64Type>(type))
    return t.getDivby();
  return 1;
}

LogicalResult IntToPtrOp::verify() {
  auto ptr = cast<PtrType>(getType());
  Type address = getAddress().getType();
  bool promised = isa<ConstrainedI32Type, ConstrainedI64Type>(address);
  if (promised && knownDivisor(address) % ptr.getAlignment() != 0)
    return refuse(*this, Diag::AddressAlignment, ptr.getAlignment(), address);
  bool wide =
      ptr.getAddressSpace() == AddressSpace::Generic || ptr.getAddressSpace() == AddressSpace::Gmem;
  if (wide && (address.isInteger(32) || isa<ConstrainedI32Type>(address)))
    return refuse(*this, Diag::AddressWidth, atom::name(ptr.getAddressSpace()), address);
  return success();
}

LogicalResult PtrToIntOp::verify() {
  auto ptr = cast<PtrType>(getIter().getType());
  bool wide =
      ptr.getAddressSpace() == AddressSpace::Generic || ptr.getAddressSpace() == AddressSpace::Gmem;
  if (wide && getType().isInteger(32))
    return refuse(*this, Diag::AddressWidth, atom::name(ptr.getAddressSpace()), getType());
  return success();
}

LogicalResult AssumeOp::verify() {
  Datum from = datumOf(getValue().getType()), to = datumOf(getType());
  if (from.as<layout::Int>()->width != to.as<layout::Int>()->width)
    return refuse(*this, Diag::AssumeWidth, getValue().getType(), getType());
  return success();
}

//===--- tensors ------------------------------------------------------------------------------===//

ParseResult MemRefAllocaOp::parse(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand layout;
  OptionalParseResult hasLayout;
  CuteMemRefType memref;
  SMLoc loc;
  if (parser.parseLParen())
    return failure();
  hasLayout = parser.parseOptionalOperand(layout);
  if ((hasLayout.has_value() && failed(*hasLayout)) || parser.parseRParen() ||
      parseDictionary(parser, result) || parser.parseColon() || parser.getCurrentLocation(&loc) ||
      parser.parseType(memref))
    return failure();
  result.addTypes(memref);
  if (!hasLayout.has_value())
    return success();
  return parser.resolveOperand(layout, typeOf(parser.getContext(), Datum(memref.getLayout())),
                               result.operands);
}

void MemRefAllocaOp::print(OpAsmPrinter &printer) {
  printer << "(" << getOperation()->getOperands() << ")";
  printer.printOptionalAttrDict((*this)->getAttrs());
  printer << " : " << getType();
}

LogicalResult MemRefAllocaOp::verify() {
  CuteMemRefType type = getType();
  if (!type.getLayout().isStatic())
    return refuse(*this, Diag::AllocaStatic, type.getLayout());
  if (type.getAddressSpace() != AddressSpace::Rmem)
    return refuse(*this, Diag::AllocaSpace, atom::name(type.getAddressSpace()));
  if (getLayout()) {
    Datum given = datumOf(getLayout().getType());
    if (!(*given.anyLayout() == type.getLayout()))
      return refuse(*this, Diag::AllocaLayout, *given.anyLayout(), type.getLayout());
  }
  return success();
}

/// Element bits are a power of two, i1 lives in registers, the coordinate reaches one element.
static LogicalResult verifyAccess(Operation *op, CuteMemRefType view, CoordType coord, Type value) {
  if (!llvm::isPowerOf2_64(uint64_t(view.getPtrType().getElementBits())))
    return refuse(op, Diag::ElementBits, view.getElementType());
  if (view.getElementType().isInteger(1) && view.getAddressSpace() != AddressSpace::Rmem)
    return refuse(op, Diag::PredicateSpace, atom::name(view.getAddressSpace()));
  if (value != view.getElementType())
    return refuse(op, Diag::ElementType, view.getElementType(), value);
  if (coord.getValue().hasUnderscore())
    return refuse(op, Diag::CoordKept, coord.getValue());
  if (!layout::weaklyCongruent(coord.getValue(), view.getLayout().shape()))
    return refuse(op, Diag::CoordProfile, view.getLayout().shape(), coord.getValue());
  return success();
}

LogicalResult MemRefLoadOp::verify() {
  return verifyAccess(*this, getView().getType(), getCoord().getType(), getType());
}
LogicalResult MemRefStoreOp::verify() {
  return verifyAccess(*this, getView().getType(), getCoord().getType(), getValue().getType());
}

static LogicalResult verifyVector(Operation *op, CuteMemRefType view, VectorType vector) {
  if (!view.getLayout().shape().isStatic())
    return refuse(op, Diag::VectorStatic, view.getLayout());
  layout::Const arith;
  int64_t elements = layout::product(arith, view.getLayout().shape()).value;
  if (vector.getNumElements() != elements || vector.getElementType() != view.getElementType())
    return refuse(op, Diag::VectorLength, elements, view.getElementType(), vector);
  return success();
}

/// The vector that holds all elements of a tensor of static shape; null, and said at `loc`, where
/// there is none.
static VectorType vectorOf(OpAsmParser &parser, SMLoc loc, CuteMemRefType view) {
  layout::Const arith;
  layout::Int count = view.getLayout().shape().isStatic()
                          ? layout::product(arith, view.getLayout().shape())
                          : layout::Int::dynamic(layout::Symbolic::anonymous);
  if (!count.isStatic() || arith.overflowed()) {
    parser.emitError(loc, sentence(Diag::VectorStatic, view.getLayout()));
    return {};
  }
  if (!VectorType::isValidElementType(view.getElementType())) {
    parser.emitError(loc) << "expects elements that a vector can hold, but got "
                          << view.getElementType();
    return {};
  }
  return VectorType::get({count.value}, view.getElementType());
}

/// The text that other spellings have after the operands of a vector access, if there is a comma.
static ParseResult parseOrder(OpAsmParser &parser, OperationState &result) {
  SMLoc loc = parser.getCurrentLocation();
  if (failed(parser.parseOptionalComma()))
    return success();
  ParsedOp op;
  OptionalParseResult other = askSpellings(parser, result, Departure::AfterOperands, op, loc);
  return other.has_value() ? *other : ParseResult(parser.emitError(loc, "expects ':'"));
}

/// The type of the tensor after the colon; in other spellings, that of the op.
static ParseResult parseView(OpAsmParser &parser, bool functional, CuteMemRefType &view) {
  SMLoc loc = parser.getCurrentLocation();
  Type type;
  if (parser.parseColonType(type))
    return failure();
  // (T) -> vector or (vector, T) -> ()
  if (auto function = dyn_cast<FunctionType>(type);
      function && functional && function.getNumInputs())
    type = function.getInputs().back();
  view = dyn_cast<CuteMemRefType>(type);
  return view ? success() : ParseResult(parser.emitError(loc, "expects a !cute.memref"));
}

/// Whether the spellings of the context write the operands in parentheses, one of which was read.
static ParseResult permitParentheses(OpAsmParser &parser, OperationState &result, SMLoc loc) {
  ParsedOp op;
  OptionalParseResult other = askSpellings(parser, result, Departure::Operands, op, loc);
  return other.has_value() ? *other : ParseResult(parser.emitError(loc, "expects an operand"));
}

ParseResult MemRefLoadVecOp::parse(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand view;
  CuteMemRefType type;
  SMLoc loc = parser.getCurrentLocation();
  bool parenthesised = succeeded(parser.parseOptionalLParen());
  if ((parenthesised && permitParentheses(parser, result, loc)) || parser.parseOperand(view) ||
      (parenthesised && parser.parseRParen()) || parseOrder(parser, result) ||
      parseDictionary(parser, result) || parseView(parser, parenthesised, type) ||
      parser.resolveOperand(view, type, result.operands))
    return failure();
  VectorType vector = vectorOf(parser, parser.getNameLoc(), type);
  if (!vector)
    return failure();
  result.addTypes(vector);
  return success();
}
void MemRefLoadVecOp::print(OpAsmPrinter &printer) {
  printer << " " << getView();
  printer.printOptionalAttrDict((*this)->getAttrs());
  printer << " : " << getView().getType();
}
LogicalResult MemRefLoadVecOp::verify() {
  return verifyVector(*this, getView().getType(), cast<VectorType>(getType()));
}

ParseResult MemRefStoreVecOp::parse(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand value, view;
  CuteMemRefType type;
  SMLoc loc = parser.getCurrentLocation();
  bool parenthesised = succeeded(parser.parseOptionalLParen());
  if ((parenthesised && permitParentheses(parser, result, loc)) || parser.parseOperand(value) ||
      parser.parseComma() || parser.parseOperand(view) || (parenthesised && parser.parseRParen()) ||
      parseOrder(parser, result) || parseDictionary(parser, result) ||
      parseView(parser, parenthesised, type))
    return failure();
  VectorType vector = vectorOf(parser, parser.getNameLoc(), type);
  if (!vector)
    return failure();
  return failure(parser.resolveOperand(value, vector, result.operands) ||
                 parser.resolveOperand(view, type, result.operands));
}
void MemRefStoreVecOp::print(OpAsmPrinter &printer) {
  printer << " " << getValue() << ", " << getView();
  printer.printOptionalAttrDict((*this)->getAttrs());
  printer << " : " << getView().getType();
}
LogicalResult MemRefStoreVecOp::verify() {
  return verifyVector(*this, getView().getType(), cast<VectorType>(getValue().getType()));
}

//===--- fast division ------------------------------------------------------------------------===//

LogicalResult FastDivmodCreateDivisorOp::verify() {
  unsigned width = getDivisor().getType().getIntOrFloatBitWidth();
  if (getType().getWidth() != width)
    return refuse(*this, Diag::DivisorWidth, width, getType());
  return success();
}

/// Whether an integer has the bits that a divisor divides.
static LogicalResult verifyDivides(Operation *op, Type integer, FastDivmodDivisorType divisor) {
  unsigned width = integer.getIntOrFloatBitWidth();
  return width == divisor.getWidth() ? success() : refuse(op, Diag::DivisorWidth, width, divisor);
}
LogicalResult FastDivmodDivideOp::verify() {
  return verifyDivides(*this, getDividend().getType(), getDivisor().getType());
}
LogicalResult FastDivmodMakeDivisorOp::verify() {
  return verifyDivides(*this, getDivisor().getType(), getType());
}
LogicalResult FastDivmodGetAuxOp::verify() {
  return verifyDivides(*this, getMultiplier().getType(), getDivisor().getType());
}

ParseResult FastDivmodComputeOp::parse(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand dividend, divisor;
  Type type, divisorType, resultType;
  if (parser.parseLParen() || parser.parseOperand(dividend) || parser.parseComma() ||
      parser.parseOperand(divisor) || parser.parseRParen() || parseDictionary(parser, result) ||
      parser.parseColonType(type) || parser.parseComma() || parser.parseType(divisorType) ||
      parser.parseArrow() || parser.parseType(resultType) ||
      parser.resolveOperand(dividend, type, result.operands) ||
      parser.resolveOperand(divisor, divisorType, result.operands))
    return failure();
  result.addTypes({resultType, resultType});
  return success();
}
void FastDivmodComputeOp::print(OpAsmPrinter &printer) {
  printer << "(" << getDividend() << ", " << getDivisor() << ")";
  printer.printOptionalAttrDict((*this)->getAttrs());
  printer << " : " << getDividend().getType() << ", " << getDivisor().getType() << " -> "
          << getQuotient().getType();
}
LogicalResult FastDivmodComputeOp::verify() {
  unsigned width = getDivisor().getType().getWidth();
  for (Type type : {getDividend().getType(), getQuotient().getType(), getRemainder().getType()})
    if (type.getIntOrFloatBitWidth() != width)
      return refuse(*this, Diag::DivisorWidth, type.getIntOrFloatBitWidth(),
                    getDivisor().getType());
  return success();
}

#define GET_OP_CLASSES
#include "tessera/cute/ops/Memory.cpp.inc"
