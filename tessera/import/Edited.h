// Edited: files in which a type was changed by hand, and uses still state the one from before.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MLIR's parser refuses an operand whose stated type is not that of its definition, before any pass
// could look at it. So such a file is parsed again and again: where the parser stops at a use, a
// cast from the type of the definition to the stated one is put into the text in front of the
// statement, and the use, with all later ones of that name, takes the cast's result. That is one
// parse for each value whose type changed, not for each use. The parser itself says what differs,
// so the forms of ops need not be known here; and lines stay what they are.
//
// The same happens to texts that say less than they mean: an op whose text leaves its result types
// to inference, and whose uses state a weaker type, which its verifier takes. There the cast's type
// becomes the op's.
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

  /// The use at `line` and `column`, from 1, states the type `stated`, and what it names has the
  /// type `defined`. From here on it names a cast of it; so do all later uses of that name where it
  /// is visible. False if there is no use at that place.
  bool cast(size_t line, size_t column, const std::string &defined, const std::string &stated);
  /// Whether what is used at that place is a cast.
  bool usesCast(size_t line, size_t column) const;
  /// Gives its name back to a use that a cast was given to and that states the definition's type
  /// after all. False if no cast is used at that place.
  bool takeBack(size_t line, size_t column);

  /// Whether a statement begins at `line` and `column` that has results and no arrow, which would
  /// state their types.
  bool leavesResultsOut(size_t line, size_t column) const;

  /// The name and the column that the file has where `line`, one of str(), has a name at `column`,
  /// from 1; nothing within a cast. Lines are those of the file.
  std::optional<std::pair<llvm::StringRef, size_t>> inFile(llvm::StringRef line,
                                                           size_t column) const;

private:
  std::string text, prefix;
  llvm::StringMap<std::string> names; // of casts, to the names of what they convert
};

/// A text that was parsed in place of a file's; none if the file's was.
struct Mended {
  std::optional<EditedText> text;
  std::unique_ptr<llvm::SourceMgr> source; // of `text`
};

/// What MLIR's parser records of a text, whose places are in `mended`, or in the file.
struct Recorded {
  Mended mended;
  mlir::AsmParserState state;
  mlir::Block block; // in which casts stay
};

/// Parses the main buffer of `source`; casts have the attribute `cute::statedName`. Null after
/// errors that are no such difference, which go to the handlers of the context. Nothing is
/// verified.
mlir::OwningOpRef<mlir::ModuleOp> parseEdited(const llvm::SourceMgr &source,
                                              mlir::MLIRContext *context);

/// Parses the main buffer of `source` as it stands. Where the text of an op of `cute` leaves result
/// types to inference, they are those that all uses state, if these are weaker; `weaker` says
/// whether there are some. Null after errors, which go to the handlers of the context. Nothing is
/// verified.
mlir::OwningOpRef<mlir::ModuleOp> parseStated(const llvm::SourceMgr &source,
                                              mlir::MLIRContext *context, bool &weaker);

/// Parses as parseEdited or parseStated does, for whoever asks what is where in the text. Fails as
/// they do.
mlir::FailureOr<std::unique_ptr<Recorded>> record(const llvm::SourceMgr &source,
                                                  mlir::MLIRContext *context, bool edited);

} // namespace tessera::import
