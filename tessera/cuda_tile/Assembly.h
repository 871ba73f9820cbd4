// How parts of ops are read and written: types, keywords, rounding modes, literals.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The `parseX`/`printX` pairs are the custom directives of the ops' assembly formats.
#pragma once

#include "tessera/cuda_tile/CudaTile.h"
#include "tessera/cuda_tile/Diagnostics.h"

namespace tessera::cuda_tile {

using mlir::OpAsmParser;
using mlir::OpAsmPrinter;
using mlir::Operation;
using mlir::ParseResult;

//--- Types without the prefix of the dialect ---

/// `tile<4xf32>` as well as `!cuda_tile.tile<4xf32>` and types of other dialects.
ParseResult parseShortType(mlir::AsmParser &parser, mlir::Type &type);
void printShortType(mlir::AsmPrinter &printer, mlir::Type type);
inline void printShortType(OpAsmPrinter &printer, Operation *, mlir::Type type) {
  printShortType(printer, type);
}
/// `T, T, ...`, at least one.
ParseResult parseShortTypes(mlir::AsmParser &parser, llvm::SmallVectorImpl<mlir::Type> &types);
void printShortTypes(mlir::AsmPrinter &printer, mlir::TypeRange types);

/// `: T, T, ...`, or nothing where there are no types.
ParseResult parseColonTypes(OpAsmParser &parser, llvm::SmallVectorImpl<mlir::Type> &types);
void printColonTypes(OpAsmPrinter &printer, Operation *op, mlir::TypeRange types);
/// `T, T, ...`, the types of a first operand and of the optional operands after it that are
/// present.
ParseResult parseShortTypes(OpAsmParser &parser, mlir::Type &first, mlir::Type &second);
void printShortTypes(OpAsmPrinter &printer, Operation *op, mlir::Type first, mlir::Type second);
inline ParseResult parseShortTypes(OpAsmParser &parser, llvm::SmallVectorImpl<mlir::Type> &types) {
  return parseShortTypes(static_cast<mlir::AsmParser &>(parser), types);
}
inline void printShortTypes(OpAsmPrinter &printer, Operation *, mlir::TypeRange types) {
  printShortTypes(printer, types);
}

//--- Keywords ---

ParseResult parseSignedness(OpAsmParser &parser, SignednessAttr &attr);
void printSignedness(OpAsmPrinter &printer, Operation *op, SignednessAttr attr);
ParseResult parsePredicate(OpAsmParser &parser, ComparisonPredicateAttr &attr);
void printPredicate(OpAsmPrinter &printer, Operation *op, ComparisonPredicateAttr attr);
ParseResult parseOrdering(OpAsmParser &parser, ComparisonOrderingAttr &attr);
void printOrdering(OpAsmPrinter &printer, Operation *op, ComparisonOrderingAttr attr);

/// `<no_wrap>`, after `overflow`.
ParseResult parseOverflow(OpAsmParser &parser, IntegerOverflowAttr &attr);
void printOverflow(OpAsmPrinter &printer, Operation *op, IntegerOverflowAttr attr);

//--- Rounding: `rounding<zero>`, left out where it is the default ---

/// The modes that an op knows, in the order of diagnostics.
namespace rounding {
using enum RoundingMode;
inline constexpr RoundingMode ieee[] = {NearestEven, Zero, NegativeInf, PositiveInf};
inline constexpr RoundingMode divF[] = {NearestEven, Zero, NegativeInf, PositiveInf, Approx, Full};
inline constexpr RoundingMode squareRoot[] = {NearestEven, Zero, NegativeInf, PositiveInf, Approx};
inline constexpr RoundingMode full[] = {Approx, Full};
inline constexpr RoundingMode divI[] = {Zero, NegativeInf, PositiveInf};
inline constexpr RoundingMode fToI[] = {NearestIntToZero};
inline constexpr RoundingMode fToF[] = {NearestEven, Zero, NegativeInf, PositiveInf, NearestAway};
} // namespace rounding

/// How an op reads its mode: `fallback` where the text has none. A mode that only other ops have is
/// refused here if `isStrict`; otherwise it is left to the op's verifier, as in NVIDIA's parsers.
struct RoundingRule {
  llvm::ArrayRef<RoundingMode> modes;
  RoundingMode fallback = RoundingMode::NearestEven;
  bool isStrict = true;
};
ParseResult parseRounding(OpAsmParser &parser, const RoundingRule &rule, RoundingModeAttr &attr);
void printRounding(OpAsmPrinter &printer, const RoundingRule &rule, RoundingModeAttr attr);
#define TESSERA_ROUNDING(directive, ...)                                                           \
  inline ParseResult parse##directive(OpAsmParser &parser, RoundingModeAttr &attr) {               \
    return parseRounding(parser, {rounding::__VA_ARGS__}, attr);                                   \
  }                                                                                                \
  inline void print##directive(OpAsmPrinter &printer, Operation *, RoundingModeAttr attr) {        \
    printRounding(printer, {rounding::__VA_ARGS__}, attr);                                         \
  }
TESSERA_ROUNDING(RoundingIeee, ieee)
TESSERA_ROUNDING(RoundingDivF, divF, RoundingMode::NearestEven, /*isStrict=*/false)
TESSERA_ROUNDING(RoundingSqrt, squareRoot, RoundingMode::NearestEven, /*isStrict=*/false)
TESSERA_ROUNDING(RoundingFull, full, RoundingMode::Full, /*isStrict=*/false)
TESSERA_ROUNDING(RoundingDivI, divI, RoundingMode::Zero, /*isStrict=*/false)
TESSERA_ROUNDING(RoundingFToI, fToI, RoundingMode::NearestIntToZero)
TESSERA_ROUNDING(RoundingFToF, fToF)
#undef TESSERA_ROUNDING

//--- Memory ---

/// `weak`, or an ordering and a scope.
ParseResult parseMemoryAttributes(OpAsmParser &parser, MemoryOrderingSemanticsAttr &order,
                                  MemoryScopeAttr &scope);
void printMemoryAttributes(OpAsmPrinter &printer, Operation *op, MemoryOrderingSemanticsAttr order,
                           MemoryScopeAttr scope);
/// An ordering and a scope, and a mode, of atomic_red_view_tko.
ParseResult parseRedMemory(OpAsmParser &parser, MemoryOrderingSemanticsAttr &order,
                           MemoryScopeAttr &scope);
inline void printRedMemory(OpAsmPrinter &printer, Operation *op, MemoryOrderingSemanticsAttr order,
                           MemoryScopeAttr scope) {
  printMemoryAttributes(printer, op, order, scope);
}
ParseResult parseRedMode(OpAsmParser &parser, AtomicRMWModeAttr &mode);
void printRedMode(OpAsmPrinter &printer, Operation *op, AtomicRMWModeAttr mode);
/// `%source, %mask, %padding`, the last one or two left out; `%source, padding = %padding` where
/// there is no mask. Types follow in that order.
using OptionalOperand = std::optional<OpAsmParser::UnresolvedOperand>;
ParseResult parseLoadOperands(OpAsmParser &parser, OpAsmParser::UnresolvedOperand &source,
                              OptionalOperand &mask, OptionalOperand &padding);
void printLoadOperands(OpAsmPrinter &printer, Operation *op, mlir::Value source, mlir::Value mask,
                       mlir::Value padding);
ParseResult parseLoadTypes(OpAsmParser &parser, mlir::Type &source, OptionalOperand mask,
                           mlir::Type &maskType, OptionalOperand padding, mlir::Type &paddingType);
void printLoadTypes(OpAsmPrinter &printer, Operation *op, mlir::Type source, mlir::Value mask,
                    mlir::Type maskType, mlir::Value padding, mlir::Type paddingType);
/// `, T, ...`, the types of the numbers of an index: one for all, or one for each.
ParseResult parseIndexTypes(OpAsmParser &parser,
                            llvm::ArrayRef<OpAsmParser::UnresolvedOperand> index,
                            llvm::SmallVectorImpl<mlir::Type> &types);
void printIndexTypes(OpAsmPrinter &printer, Operation *op, mlir::OperandRange index,
                     mlir::TypeRange types);

/// `attributes {...}` of ops on views, what is read without the keyword too.
ParseResult parseViewAttributes(OpAsmParser &parser, mlir::NamedAttrList &attributes);
void printViewAttributes(OpAsmPrinter &printer, Operation *op, mlir::DictionaryAttr attributes);

//--- Values that regions carry: `(%a = %x, %b = %y)` ---

ParseResult parseAssignments(OpAsmParser &parser,
                             llvm::SmallVectorImpl<OpAsmParser::Argument> &arguments,
                             llvm::SmallVectorImpl<OpAsmParser::UnresolvedOperand> &operands);
void printAssignments(OpAsmPrinter &printer, mlir::Block::BlockArgListType arguments,
                      mlir::ValueRange operands);
/// A region whose block gets the terminator `Terminator` where the text has none.
template <class Terminator>
ParseResult parseBody(OpAsmParser &parser, mlir::Region &region, mlir::Location loc,
                      llvm::ArrayRef<OpAsmParser::Argument> arguments = {}) {
  if (parser.parseRegion(region, arguments))
    return mlir::failure();
  if (region.empty())
    region.push_back(new mlir::Block);
  mlir::Block &block = region.front();
  if (block.empty() || !block.back().hasTrait<mlir::OpTrait::IsTerminator>()) {
    mlir::OpBuilder builder(parser.getContext());
    builder.setInsertionPointToEnd(&block);
    Terminator::create(builder, loc, mlir::ValueRange());
  }
  return mlir::success();
}

//--- Literals: `<f32: [[1.0, 2.0], [3.0, 4.0]]>` ---

ParseResult parseLiteral(OpAsmParser &parser, mlir::DenseElementsAttr &value, TileType &type);
void printLiteral(OpAsmPrinter &printer, mlir::DenseElementsAttr value);

} // namespace tessera::cuda_tile
