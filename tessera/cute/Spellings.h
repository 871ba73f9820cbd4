// Spellings: the hook for texts of other versions; the dialect reads and prints one spelling.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A parser of this dialect looks one token ahead. If that token cannot continue our own text, the
// parser asks the `Spellings` of its context, and continues after the text that they read:
//
//   !cute.layout<"(8,4):(1,8)">     a string: our own text, nobody is asked
//   !cute.layout<2>                 no string: `value` reads `2` and gives "(?,?):(?,?)"
//
// The dialect knows no other version, only the places where texts may depart from ours. A context
// has no `Spellings` unless somebody registers them, as tessera/import does; then every departure
// is an error that says so.
#pragma once

#include "tessera/cute/Types.h"

#include "mlir/IR/DialectInterface.h"
#include "mlir/IR/OpImplementation.h"

namespace tessera::cute {

struct ParsedOp;

/// The quoted part in our text of a value type or attribute.
enum class ValueForm : uint8_t {
  Tuple,  ///< "(8,4)"
  Layout, ///< "(8,4):(1,8)"
  Tile,   ///< "[8:1;4:1]"
  Other
};

/// Where the text of an op departs from ours. Each has a sentence in Spellings.cpp.
enum class Departure : uint8_t {
  Attributes,     ///< `<{` has been read, where we write `<1, 0>`
  Operands,       ///< after the name comes something other than what we write there
  InParentheses,  ///< `(` or a comma has been read, and no operand follows
  AfterOperands,  ///< `<` has been read after the operands, where we write attributes before them
  OperandTypes,   ///< the list of operand types has parentheses and ours has none, or vice versa
  ResultsOmitted, ///< no `->` follows the types that have been read
  OperandCount    ///< the text has been read, and the op takes a different number of operands
};

/// Spellings other than ours. Each function returns nothing, and reads no text, if it does not know
/// the text; it fails after it has reported an error.
class Spellings : public mlir::DialectInterface::Base<Spellings> {
public:
  explicit Spellings(mlir::Dialect *dialect) : Base(dialect) {}

  /// The spellings of a context; null if it has none.
  static const Spellings *of(mlir::MLIRContext *context);

  /// Reads the text between `<` and `>` of a value, and returns the text that we write in quotes.
  virtual mlir::OptionalParseResult value(mlir::AsmParser &, ValueForm,
                                          std::string &text) const = 0;
  virtual mlir::OptionalParseResult addressSpace(mlir::AsmParser &, AddressSpace &) const = 0;
  /// Continues with the op `state.name`. It may read more text into `op`; read nothing, which
  /// permits the departure; or read the whole op into `state` and set `op.complete`.
  virtual mlir::OptionalParseResult departure(mlir::OpAsmParser &, mlir::OperationState &state,
                                              Departure, ParsedOp &op) const = 0;
  /// The parser of a type whose name the dialect does not have, such as `tiler`.
  using TypeParser = mlir::Type (*)(mlir::AsmParser &);
  virtual TypeParser typeNamed(llvm::StringRef name) const = 0; // null: unknown name
  /// The parser of an op whose name the dialect does not have.
  virtual std::optional<mlir::Dialect::ParseOpHook> opNamed(llvm::StringRef name) const = 0;
  /// Changes result types that a text left to inference, if its version infers other types.
  virtual void omittedResults(mlir::OperationName,
                              llvm::SmallVectorImpl<mlir::Type> &types) const = 0;
};

/// Asks the spellings of the context about a departure. Fails with a report at `loc` if the context
/// has none; returns nothing if they do not know the text.
mlir::OptionalParseResult askSpellings(mlir::OpAsmParser &, mlir::OperationState &, Departure,
                                       ParsedOp &, llvm::SMLoc loc);

/// The text of a value: the quoted text, or another spelling of it.
mlir::ParseResult parseValueText(mlir::AsmParser &, ValueForm, std::string &text);
/// `smem`, or another spelling of it.
mlir::FailureOr<AddressSpace> parseAddressSpace(mlir::AsmParser &);

} // namespace tessera::cute
