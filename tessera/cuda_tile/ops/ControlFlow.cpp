// Text and verifiers of loops, branches and terminators.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cuda_tile/Assembly.h"

using namespace mlir;
using namespace tessera::cuda_tile;

#define GET_OP_CLASSES
#include "tessera/cuda_tile/ops/ControlFlow.cpp.inc"

//===-- Values that cannot be carried --===//

static StringRef viewKind(Type type) {
  if (isa<TensorViewType>(type))
    return "tensor_view";
  return isa<TileView>(type) ? "tile view" : "";
}
/// Views cannot be chosen at run time.
static LogicalResult verifyNoViews(Operation *op, Diag diag, TypeRange types) {
  for (auto [i, type] : llvm::enumerate(types))
    if (StringRef kind = viewKind(type); !kind.empty())
      return refuse(op, diag, i, kind);
  return success();
}
/// Initial values against the arguments that take them.
static LogicalResult verifyIterValues(Operation *op, ValueRange inits,
                                      Block::BlockArgListType arguments) {
  if (inits.size() != arguments.size())
    return refuse(op, Diag::IterCount, arguments.size(), inits.size());
  if (failed(verifyNoViews(op, Diag::Carried, inits.getTypes())))
    return failure();
  for (auto [i, init, argument] : llvm::enumerate(inits, arguments))
    if (init.getType() != argument.getType())
      return refuse(op, Diag::IterType, i, init.getType(), argument.getType());
  return success();
}

//===-- for --===//

ParseResult ForOp::parse(OpAsmParser &parser, OperationState &state) {
  SmallVector<OpAsmParser::Argument> arguments(1);
  SmallVector<OpAsmParser::UnresolvedOperand> bounds(3), inits;
  Type type;
  if (succeeded(parser.parseOptionalKeyword("unsigned")))
    state.getOrAddProperties<Properties>().unsignedCmp = parser.getBuilder().getUnitAttr();
  if (parser.parseArgument(arguments[0]) || parser.parseKeyword("in") || parser.parseLParen() ||
      parser.parseOperand(bounds[0]) || parser.parseKeyword("to") ||
      parser.parseOperand(bounds[1]) || parser.parseComma() || parser.parseKeyword("step") ||
      parser.parseOperand(bounds[2]) || parser.parseRParen() || parser.parseColon() ||
      parseShortType(parser, type))
    return failure();
  arguments[0].type = type;
  SMLoc at = parser.getCurrentLocation();
  if (succeeded(parser.parseOptionalKeyword("iter_values"))) {
    if (parseAssignments(parser, arguments, inits) || parser.parseArrow() || parser.parseLParen() ||
        parseShortTypes(parser, state.types) || parser.parseRParen())
      return failure();
    if (inits.size() != state.types.size())
      return parser.emitError(parser.getNameLoc())
             << sentence(Diag::ForResults, inits.size(), state.types.size());
    for (auto [argument, carried] : llvm::zip(llvm::drop_begin(arguments), state.types))
      argument.type = carried;
  }
  // Operands are resolved after the body, so that they cannot be values that the body defines.
  if (parseBody<ContinueOp>(parser, *state.addRegion(), state.location, arguments) ||
      parser.resolveOperands(bounds, type, state.operands) ||
      parser.resolveOperands(inits, state.types, at, state.operands))
    return failure();
  return parser.parseOptionalAttrDict(state.attributes);
}
/// Values that a region carries are `iterArg0`, `iterArg1`, ...
static void nameCarried(Block::BlockArgListType arguments, OpAsmSetValueNameFn name) {
  for (auto [i, argument] : llvm::enumerate(arguments))
    name(argument, "iterArg" + std::to_string(i));
}
void ForOp::getAsmBlockArgumentNames(Region &region, OpAsmSetValueNameFn name) {
  if (region.empty() || region.getNumArguments() == 0)
    return;
  name(getInductionVar(), "loopIdx");
  nameCarried(getRegionIterValues(), name);
}
/// Whether the block's terminator is what the parser adds where there is none.
template <class Terminator> static bool isImplicit(Block &block) {
  return !block.empty() && isa<Terminator>(block.back()) && block.back().getNumOperands() == 0;
}
void ForOp::print(OpAsmPrinter &printer) {
  printer << (getUnsignedCmp() ? " unsigned " : " ") << getInductionVar() << " in ("
          << getLowerBound() << " to " << getUpperBound() << ", step " << getStep() << ") : ";
  printShortType(printer, getLowerBound().getType());
  printer << ' ';
  if (!getInitValues().empty()) {
    printer << "iter_values";
    printAssignments(printer, getRegionIterValues(), getInitValues());
    printer << " -> (";
    printShortTypes(printer, getResultTypes());
    printer << ") ";
  }
  printer.printRegion(getRegion(), /*printEntryBlockArgs=*/false,
                      /*printBlockTerminators=*/!isImplicit<ContinueOp>(*getBody()));
  printer.printOptionalAttrDict((*this)->getAttrs(), {getUnsignedCmpAttrName()});
}
LogicalResult ForOp::verify() {
  TypeRange inits = getInitValues().getTypes(), results = getResultTypes();
  if (inits != results)
    return refuse(*this, Diag::ForResultTypes, inits, results);
  Block &body = *getBody();
  if (body.getNumArguments() == 0)
    return refuse(*this, Diag::ForArgument);
  if (Type induction = body.getArgument(0).getType(); induction != getLowerBound().getType())
    return refuse(*this, Diag::ForInduction, induction, getLowerBound().getType());
  return verifyIterValues(*this, getInitValues(), getRegionIterValues());
}

//===-- loop --===//

ParseResult LoopOp::parse(OpAsmParser &parser, OperationState &state) {
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<OpAsmParser::UnresolvedOperand> inits;
  SmallVector<Type> carried;
  SMLoc at = parser.getCurrentLocation();
  if (succeeded(parser.parseOptionalKeyword("iter_values"))) {
    if (parseAssignments(parser, arguments, inits) || parser.parseColon() ||
        parseShortTypes(parser, carried))
      return failure();
    if (inits.size() != carried.size())
      return parser.emitError(at) << sentence(Diag::IterTypes);
    if (succeeded(parser.parseOptionalArrow()) && parseShortTypes(parser, state.types))
      return failure();
  } else if (succeeded(parser.parseOptionalColon()) && parseShortTypes(parser, state.types)) {
    return failure();
  }
  for (auto [argument, type] : llvm::zip(arguments, carried))
    argument.type = type;
  if (parseBody<ContinueOp>(parser, *state.addRegion(), state.location, arguments) ||
      parser.resolveOperands(inits, carried, at, state.operands))
    return failure();
  return parser.parseOptionalAttrDict(state.attributes);
}
void LoopOp::getAsmBlockArgumentNames(Region &region, OpAsmSetValueNameFn name) {
  if (!region.empty())
    nameCarried(getRegionIterValues(), name);
}
void LoopOp::print(OpAsmPrinter &printer) {
  if (!getInitValues().empty()) {
    printer << " iter_values";
    printAssignments(printer, getRegionIterValues(), getInitValues());
    printer << " : ";
    printShortTypes(printer, getInitValues().getTypes());
    if (getNumResults()) {
      printer << " -> ";
      printShortTypes(printer, getResultTypes());
    }
  } else if (getNumResults()) {
    printer << " : ";
    printShortTypes(printer, getResultTypes());
  }
  printer << ' ';
  printer.printRegion(getRegion(), /*printEntryBlockArgs=*/false,
                      /*printBlockTerminators=*/!isImplicit<ContinueOp>(*getBody()));
  printer.printOptionalAttrDict((*this)->getAttrs());
}
LogicalResult LoopOp::verify() {
  if (failed(verifyIterValues(*this, getInitValues(), getRegionIterValues())))
    return failure();
  return verifyNoViews(*this, Diag::ResultKind, getResultTypes());
}

//===-- if --===//

ParseResult IfOp::parse(OpAsmParser &parser, OperationState &state) {
  OpAsmParser::UnresolvedOperand condition;
  Region *thenRegion = state.addRegion(), *elseRegion = state.addRegion();
  if (parser.parseOperand(condition))
    return failure();
  if (succeeded(parser.parseOptionalArrow()) &&
      (parser.parseLParen() || parseShortTypes(parser, state.types) || parser.parseRParen()))
    return failure();
  if (parseBody<YieldOp>(parser, *thenRegion, state.location))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("else")) &&
      parseBody<YieldOp>(parser, *elseRegion, state.location))
    return failure();
  if (parser.resolveOperand(condition, TileType::get({}, parser.getBuilder().getI1Type()),
                            state.operands))
    return failure();
  return parser.parseOptionalAttrDict(state.attributes);
}
void IfOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getCondition();
  if (getNumResults()) {
    printer << " -> (";
    printShortTypes(printer, getResultTypes());
    printer << ')';
  }
  printer << ' ';
  printer.printRegion(getThenRegion(), /*printEntryBlockArgs=*/false,
                      /*printBlockTerminators=*/!isImplicit<YieldOp>(*getThenBlock()));
  if (Block *block = getElseBlock()) {
    printer << " else ";
    printer.printRegion(getElseRegion(), /*printEntryBlockArgs=*/false,
                        /*printBlockTerminators=*/!isImplicit<YieldOp>(*block));
  }
  printer.printOptionalAttrDict((*this)->getAttrs());
}
void IfOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  // Leaving the loop or the function is an effect of its own: without one, an `if` that has no
  // other effects would count as dead.
  for (Block *block : {getThenBlock(), getElseBlock()})
    if (block && !block->empty() && !isa<YieldOp>(block->back()))
      effects.emplace_back(MemoryEffects::Write::get());
}
LogicalResult IfOp::verify() {
  if (failed(verifyNoViews(*this, Diag::ResultKind, getResultTypes())))
    return failure();
  if (getNumResults() && !getElseBlock())
    return refuse(*this, Diag::IfElse);
  auto branch = [&](StringRef name, Block *block) -> LogicalResult {
    // What leaves the loop or the function yields nothing here.
    auto yield = block && !block->empty() ? dyn_cast<YieldOp>(block->back()) : YieldOp();
    if (!yield)
      return success();
    TypeRange yielded = yield->getOperandTypes(), wanted = getResultTypes();
    if (wanted.empty() && !yielded.empty())
      return refuse(*this, Diag::IfYieldsSome, name, yielded);
    if (!wanted.empty() && yielded.empty())
      return refuse(*this, Diag::IfYieldsNothing, wanted, name);
    if (yielded != wanted)
      return refuse(*this, Diag::IfYieldType, name, yielded, wanted);
    return success();
  };
  return failure(failed(branch("then", getThenBlock())) || failed(branch("else", getElseBlock())));
}

//===-- Terminators --===//

/// The nearest op around `op` that is one of `Targets`, with only `if`s in between; reports what
/// else there is.
template <class... Targets> static Operation *targetOf(Operation *op, StringRef chain) {
  Operation *around = op->getParentOp();
  while (isa_and_nonnull<IfOp>(around))
    around = around->getParentOp();
  if (isa_and_nonnull<Targets...>(around))
    return around;
  InFlightDiagnostic diagnostic = op->emitOpError() << sentence(Diag::Ancestor, chain);
  if (around)
    diagnostic.attachNote(around->getLoc()) << sentence(Diag::AncestorHere);
  return nullptr;
}
LogicalResult ContinueOp::verify() {
  Operation *loop =
      targetOf<ForOp, LoopOp>(*this, "'cuda_tile.for', 'cuda_tile.loop', 'cuda_tile.if'");
  if (!loop)
    return failure();
  TypeRange found = getOperandTypes();
  if (auto own = dyn_cast<ForOp>(loop)) {
    if (found != own->getResultTypes())
      return refuse(*this, Diag::ContinueTypes, "for", "return types",
                    TypeRange(own->getResultTypes()), found);
    return success();
  }
  TypeRange wanted = cast<LoopOp>(loop).getInitValues().getTypes();
  if (found != wanted)
    return refuse(*this, Diag::ContinueTypes, "loop", "iter_values", wanted, found);
  return success();
}
LogicalResult BreakOp::verify() {
  Operation *loop = targetOf<LoopOp>(*this, "'cuda_tile.loop', 'cuda_tile.if'");
  if (!loop)
    return failure();
  if (TypeRange(getOperandTypes()) != loop->getResultTypes())
    return refuse(*this, Diag::BreakTypes, TypeRange(getOperandTypes()),
                  TypeRange(loop->getResultTypes()));
  return success();
}
LogicalResult ReturnOp::verify() {
  Operation *around = (*this)->getParentOp();
  while (isa_and_nonnull<IfOp>(around))
    around = around->getParentOp();
  if (!isa_and_nonnull<EntryOp, TestingFuncOp>(around))
    return refuse(*this, Diag::ReturnPlace);
  auto function = cast<FunctionOpInterface>(around);
  ArrayRef<Type> wanted = function.getResultTypes();
  if (getNumOperands() != wanted.size())
    return refuse(*this, Diag::ReturnCount, getNumOperands(), function.getName(), wanted.size());
  for (auto [i, type] : llvm::enumerate(wanted))
    if (getOperand(i).getType() != type)
      return refuse(*this, Diag::ReturnType, i, getOperand(i).getType(), type, function.getName());
  return success();
}
