// Edited: files in which a type was changed by hand but uses still state the old type.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MLIR's parser refuses an operand whose stated type is not that of its definition, before any pass
// could look at it. Such a file is therefore parsed again and again. Where the parser stops at a
// use, a cast from the type of the definition to the stated type is put into the text before the
// statement, and this use and all later ones of the name take the cast's result. That is one parse
// for each value whose type changed, not for each use. The parser finds the differences, so the
// forms of ops need not be known here; and line numbers stay the same.
//
// The same is done for texts in which an op leaves its result types to inference, and its uses
// state a weaker type that its verifier accepts. There the cast's type becomes the op's.
#pragma once

#include "mlir/AsmParser/AsmParserState.h"
#include "mlir/IR/Block.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/SourceMgr.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace tessera::import {

/// A text while casts are put into it.
class EditedText {
public:
  explicit EditedText(llvm::StringRef text);

  const std::string &str() const { return text; }

  /// Handles a use at `line` and `column`, from 1, that states the type `stated` while its
  /// definition has the type `defined`: this use and all later ones of the name, where it is
  /// visible, now name a cast of the value. False if there is no use at that place.
  bool cast(size_t line, size_t column, const std::string &defined, const std::string &stated);
  /// Whether the use at that place names a cast.
  bool usesCast(size_t line, size_t column) const;
  /// Undoes a cast for a use that states the definition's type after all: the use names the value
  /// again. False if no cast is used at that place.
  bool takeBack(size_t line, size_t column);

  /// Whether the statement that begins at `line` and `column` has results but no arrow, which would
  /// state their types.
  bool leavesResultsOut(size_t line, size_t column) const;

  /// Maps `line`, a line of str(), and `column`, from 1, of a name in it to the name and column in
  /// the file; nothing within a cast. Line numbers are those of the file.
  std::optional<std::pair<llvm::StringRef, size_t>> inFile(llvm::StringRef line,
                                                           size_t column) const;

private:
  std::string text, prefix;
  llvm::StringMap<std::string> names; // of casts -> the names of the values that they convert
};

/// A text that was parsed instead of a file's; none if the file's own text was parsed.
struct Mended {
  std::optional<EditedText> text;
  std::unique_ptr<llvm::SourceMgr> source; // of `text`
};

/// What MLIR's parser records about a text. Its places are in `mended`, or in the file.
struct Recorded {
  Mended mended;
  mlir::AsmParserState state;
  mlir::Block block; // holds the casts
};

/// Parses the main buffer of `source`; casts have the attribute `cute::statedName`. Null after any
/// other error, which goes to the handlers of the context. Nothing is verified.
mlir::OwningOpRef<mlir::ModuleOp> parseEdited(const llvm::SourceMgr &source,
                                              mlir::MLIRContext *context);

/// Parses the main buffer of `source` as it stands. Where an op of `cute` leaves result types to
/// inference and all uses state weaker types, those become its result types; `weaker` says whether
/// there are such ops. Null after errors, which go to the handlers of the context. Nothing is
/// verified.
mlir::OwningOpRef<mlir::ModuleOp> parseStated(const llvm::SourceMgr &source,
                                              mlir::MLIRContext *context, bool &weaker);

/// Parses like parseEdited or parseStated, and keeps the places of all names in the text. Fails as
/// they do.
mlir::FailureOr<std::unique_ptr<Recorded>> record(const llvm::SourceMgr &source,
                                                  mlir::MLIRContext *context, bool edited);

} // namespace tessera::import
