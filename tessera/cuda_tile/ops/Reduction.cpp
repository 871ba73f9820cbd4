// Text and verifiers of reductions and scans.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cuda_tile/Assembly.h"

using namespace mlir;
using namespace tessera::cuda_tile;

#define GET_OP_CLASSES
#include "tessera/cuda_tile/ops/Reduction.cpp.inc"

//===-- Text --===//

/// `%a, %b {...} dim=0 [reverse=false] identities=[0.0 : f32, ...] : T, T -> R, R (%x: T, %y: T)
/// {...}`.
static ParseResult parseCombine(OpAsmParser &parser, OperationState &state, IntegerAttr &dim,
                                BoolAttr *reverse, ArrayAttr &identities) {
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SmallVector<Type> types, results;
  SMLoc at = parser.getCurrentLocation();
  Builder &builder = parser.getBuilder();
  if (parser.parseOperandList(operands) || parser.parseOptionalAttrDict(state.attributes) ||
      parser.parseKeyword("dim") || parser.parseEqual() ||
      parser.parseAttribute(dim, builder.getI32Type()))
    return failure();
  if (reverse &&
      (parser.parseKeyword("reverse") || parser.parseEqual() || parser.parseAttribute(*reverse)))
    return failure();
  if (parser.parseKeyword("identities") || parser.parseEqual() ||
      parser.parseAttribute(identities) || parser.parseColon() || parseShortTypes(parser, types) ||
      parser.parseArrow() || parseShortTypes(parser, results))
    return failure();
  if (operands.size() != types.size())
    return parser.emitError(at) << sentence(Diag::ListMismatch, operands.size(), types.size());
  SmallVector<OpAsmParser::Argument> arguments;
  if (parser.resolveOperands(operands, types, at, state.operands) ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, [&]() -> ParseResult {
        OpAsmParser::Argument &argument = arguments.emplace_back();
        return failure(parser.parseArgument(argument) || parser.parseColon() ||
                       parseShortType(parser, argument.type) ||
                       parser.parseOptionalLocationSpecifier(argument.sourceLoc));
      }))
    return failure();
  state.addTypes(results);
  return parser.parseRegion(*state.addRegion(), arguments);
}
static void printCombine(OpAsmPrinter &printer, Operation *op, IntegerAttr dim,
                         std::optional<bool> reverse, ArrayAttr identities, Region &body,
                         ArrayRef<StringRef> own) {
  printer << ' ' << op->getOperands();
  printer.printOptionalAttrDict(op->getAttrs(), own);
  printer << " dim=" << dim.getInt();
  if (reverse)
    printer << " reverse=" << (*reverse ? "true" : "false");
  printer << " identities=" << identities << " : ";
  printShortTypes(printer, op->getOperandTypes());
  printer << " -> ";
  printShortTypes(printer, op->getResultTypes());
  printer.printNewline();
  printer << '(';
  if (!body.empty())
    llvm::interleaveComma(body.getArguments(), printer, [&](BlockArgument argument) {
      printer << argument << ": ";
      printShortType(printer, argument.getType());
    });
  printer << ") ";
  printer.printRegion(body, /*printEntryBlockArgs=*/false);
}

/// `reduce_lhs` is the next element, `reduce_rhs` what was accumulated; with the number of the
/// operand where there are several.
static void nameArguments(Operation *op, Region &region, OpAsmSetValueNameFn name) {
  std::string prefix = op->getName().stripDialect().str();
  for (BlockArgument argument : region.getArguments()) {
    unsigned i = argument.getArgNumber();
    name(argument, prefix + (i % 2 ? "_rhs" : "_lhs") +
                       (region.getNumArguments() > 2 ? std::to_string(i / 2) : ""));
  }
}
void ReduceOp::getAsmBlockArgumentNames(Region &region, OpAsmSetValueNameFn name) {
  nameArguments(*this, region, name);
}
void ScanOp::getAsmBlockArgumentNames(Region &region, OpAsmSetValueNameFn name) {
  nameArguments(*this, region, name);
}

ParseResult ReduceOp::parse(OpAsmParser &parser, OperationState &state) {
  auto &own = state.getOrAddProperties<Properties>();
  ArrayAttr identities;
  if (parseCombine(parser, state, own.dim, nullptr, identities))
    return failure();
  own.identities = identities;
  return success();
}
void ReduceOp::print(OpAsmPrinter &printer) {
  printCombine(printer, *this, getDimAttr(), std::nullopt, getIdentities(), getBody(),
               {getDimAttrName(), getIdentitiesAttrName()});
}
ParseResult ScanOp::parse(OpAsmParser &parser, OperationState &state) {
  auto &own = state.getOrAddProperties<Properties>();
  ArrayAttr identities;
  if (parseCombine(parser, state, own.dim, &own.reverse, identities))
    return failure();
  own.identities = identities;
  return success();
}
void ScanOp::print(OpAsmPrinter &printer) {
  printCombine(printer, *this, getDimAttr(), getReverse(), getIdentities(), getBody(),
               {getDimAttrName(), getReverseAttrName(), getIdentitiesAttrName()});
}

//===-- Verifiers --===//

static Type elementOrSelf(Type type) {
  auto tile = dyn_cast<TileType>(type);
  return tile ? tile.getElementType() : type;
}
/// f16 and bf16 count as the same type, because front ends write identities of either.
static bool sameNumbers(Type a, Type b) {
  auto half = [](Type type) { return isa<Float16Type, BFloat16Type>(type); };
  return a == b || (half(a) && half(b));
}

/// Whether an op only computes values. Of an `if` or a loop only the ops inside count: an `if` that
/// leaves a loop has an effect by itself, but none outside of the region.
static bool isWithoutEffect(Operation *op) {
  if (!isa<IfOp, ForOp, LoopOp>(op))
    return isMemoryEffectFree(op);
  return llvm::all_of(op->getRegions(), [](Region &region) {
    return llvm::all_of(region.getOps(), [](Operation &inner) { return isWithoutEffect(&inner); });
  });
}

static LogicalResult verifyBody(Operation *op, Block &body) {
  size_t count = op->getNumOperands();
  if (body.getNumArguments() != 2 * count)
    return refuse(op, Diag::CombineArguments, 2 * count, body.getNumArguments());
  for (BlockArgument argument : body.getArguments()) {
    auto tile = dyn_cast<TileType>(argument.getType());
    if (!tile || tile.getRank() != 0)
      return refuse(op, Diag::CombineScalar, argument.getArgNumber(), argument.getType());
  }
  for (size_t i = 0; i < count; ++i) {
    Type first = elementOf(body.getArgument(2 * i).getType());
    Type second = elementOf(body.getArgument(2 * i + 1).getType());
    if (first != second)
      return refuse(op, Diag::CombinePair, 2 * i, 2 * i + 1, first, second);
    Type operand = elementOf(op->getOperand(i).getType());
    if (operand != first)
      return refuse(op, Diag::CombineOperand, i, 2 * i, operand, first);
  }
  if (body.empty() || !isa<YieldOp>(body.back()))
    return refuse(op, Diag::CombineYields, 0, count);
  Operation &yield = body.back();
  if (yield.getNumOperands() != count)
    return refuse(op, Diag::CombineYields, yield.getNumOperands(), count);
  for (size_t i = 0; i < count; ++i) {
    Type operand = elementOf(op->getOperand(i).getType());
    Type yielded = elementOrSelf(yield.getOperand(i).getType());
    if (operand != yielded)
      return refuse(op, Diag::CombineYield, i, operand, yielded);
  }
  for (Operation &inner : body.without_terminator())
    if (!isWithoutEffect(&inner))
      return inner.emitOpError() << sentence(Diag::CombinePure, op->getName().getStringRef());
  return success();
}

LogicalResult tessera::cuda_tile::verifyCombines(Operation *op) {
  auto identities = op->getAttrOfType<ArrayAttr>("identities");
  if (op->getNumOperands() == 0)
    return refuse(op, Diag::CombineNone);
  if (op->getNumOperands() != op->getNumResults())
    return refuse(op, Diag::CombineCount);
  if (identities.size() != op->getNumOperands())
    return refuse(op, Diag::CombineIdentities, op->getNumOperands(), identities.size());
  if (failed(verifyBody(op, op->getRegion(0).front())))
    return failure();
  if (failed(OpTrait::impl::verifySameOperandsShape(op)))
    return failure();
  int64_t dim = op->getAttrOfType<IntegerAttr>("dim").getInt();
  int64_t rank = cast<TileType>(op->getOperand(0).getType()).getRank();
  if (dim >= rank)
    return refuse(op, Diag::CombineDim, dim, rank);
  for (auto [i, identity] : llvm::enumerate(identities)) {
    Type operand = elementOf(op->getOperand(i).getType());
    auto number = dyn_cast<TypedAttr>(identity);
    if (!isa<IntegerAttr, FloatAttr>(identity))
      return refuse(op, Diag::IdentityKind, i, operand, identity);
    if (!sameNumbers(operand, number.getType()))
      return refuse(op, Diag::CombineIdentity, i, operand, number.getType());
  }
  if (isa<ScanOp>(op))
    for (auto [i, pair] : llvm::enumerate(llvm::zip(op->getOperandTypes(), op->getResultTypes())))
      if (std::get<0>(pair) != std::get<1>(pair))
        return refuse(op, Diag::ScanResult, i);
  return success();
}

LogicalResult ReduceOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                         ValueRange operands, DictionaryAttr attributes,
                                         OpaqueProperties properties, RegionRange regions,
                                         SmallVectorImpl<Type> &results) {
  Adaptor adaptor(operands, attributes, properties, regions);
  for (Value operand : adaptor.getOperands()) {
    auto tile = cast<TileType>(operand.getType());
    SmallVector<int64_t> shape(tile.getShape());
    if (adaptor.getDim() >= shape.size())
      return emitOptionalError(location,
                               sentence(Diag::CombineDim, adaptor.getDim(), shape.size()));
    shape.erase(shape.begin() + adaptor.getDim());
    results.push_back(TileType::get(shape, tile.getElementType()));
  }
  return success();
}
