// Distances between names.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/import/Nearest.h"

#include "tessera/import/Diagnostics.h"
#include "tessera/import/Row.h"

#include "mlir/IR/Dialect.h"
#include "mlir/IR/OperationSupport.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace tessera::import {

std::string nearestOp(StringRef name, MLIRContext &context) {
  auto [dialect, op] = name.split('.');
  // A letter in four may differ: more of them make another word.
  unsigned best = unsigned(std::max<size_t>(1, op.size() / 4)) + 1;
  std::string nearest;
  auto see = [&](StringRef other) {
    if (other == name || other.split('.').first != dialect)
      return;
    unsigned distance = other.split('.').second.edit_distance(op, true, best);
    if (distance < best || (distance == best && !nearest.empty() && other.str() < nearest)) {
      best = distance;
      nearest = other.str();
    }
  };
  context.getOrLoadDialect(dialect);
  for (RegisteredOperationName known : context.getRegisteredOperationsByDialect(dialect))
    see(known.getStringRef());
  for (const Row &row : rows())
    see(row.name);
  return nearest;
}

/// The text between `before` and the next quote; empty if there is none.
static StringRef quotedAfter(StringRef text, StringRef before) {
  size_t at = text.find(before);
  return at == StringRef::npos ? StringRef() : text.substr(at + before.size()).split('\'').first;
}

std::vector<std::string> notesOnUnknownOp(StringRef error, MLIRContext &context) {
  if (error.contains("operation being parsed with an unregistered dialect")) {
    std::vector<StringRef> read = context.getAvailableDialects();
    llvm::sort(read);
    return {sentence(Diag::UnknownDialect, llvm::join(read, ", "))};
  }
  // mlir/lib/AsmParser/Parser.cpp and mlir/lib/IR/Verifier.cpp.
  StringRef name;
  for (StringRef before : {"custom op '", "unregistered operation '"})
    if (StringRef found = quotedAfter(error, before); !found.empty())
      name = found;
  // MLIR begins what it says of an op's text with the same words.
  const bool isKnown = rowOf(name) || RegisteredOperationName::lookup(name, &context);
  if (!name.contains('.') || isKnown)
    return {};
  std::string nearest = nearestOp(name, context);
  std::vector<std::string> notes;
  if (!nearest.empty())
    notes.push_back(sentence(Diag::NearestOp, nearest));
  notes.push_back(sentence(Diag::UnknownOp, name, name.split('.').first));
  return notes;
}

} // namespace tessera::import
