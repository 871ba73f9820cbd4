// Row: one foreign op: how it is written, what it takes, and its op in LLVM 22.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mlir/IR/Types.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/LogicalResult.h"

#include <array>

namespace tessera::import {

class ForeignOp;

/// What a row expects of an operand or result. `Any` leaves the check to the op that it becomes.
enum class Slot : uint8_t {
  None,
  Any,
  I1,
  I16,
  I32,
  I64,
  I128,
  F32,
  F32x2,
  Shared,  ///< !llvm.ptr<3>
  Element, ///< the element type of the result, a vector; for a result, that of operand 0
  Vector,  ///< the type of the result, a vector
};

/// How a property changes. A property that no edit names keeps its name and value, and LLVM 22 must
/// know it.
struct Edit {
  enum Kind : uint8_t {
    None,
    Drop,
    Set,
    Enum
  } kind = None;
  llvm::StringLiteral property = "";
  llvm::StringLiteral from = "", to = "";
};
/// For a property that says how the vendor's compiler prints the instruction, not what it does.
constexpr Edit drop(llvm::StringLiteral property) { return {Edit::Drop, property, "", ""}; }
/// A property that LLVM 22 states where the vendor uses a separate op name; `text` is an attribute.
constexpr Edit set(llvm::StringLiteral property, llvm::StringLiteral text) {
  return {Edit::Set, property, "", text};
}
/// `#nvvm.from<x>` becomes `#nvvm.to<x>`: the same enumerators under another name.
constexpr Edit renameEnum(llvm::StringLiteral property, llvm::StringLiteral from,
                          llvm::StringLiteral to) {
  return {Edit::Enum, property, from, to};
}

using Rewrite = llvm::LogicalResult (*)(ForeignOp &);

/// Why there is a row: the op, or another op of its family, occurs in real files.
enum class Witness : uint8_t {
  Corpus,
  Family
};

struct Row {
  llvm::StringLiteral name;
  /// The custom assembly after the name, see Form.h. `ownForm`: that of the op in `becomes`. Empty:
  /// unknown.
  llvm::StringLiteral form = "";
  std::array<Slot, 4> operands = {};
  /// Number of operands at the end that may be absent.
  unsigned optional = 0;
  /// Any number of operands of any type; `operands` is empty.
  bool variadic = false;
  Slot result = Slot::None;
  /// Whether the foreign op states the sizes of its operand groups; each group has one operand.
  bool segmented = false;
  /// The op of LLVM 22, or of ours, with the same operands and results. Empty: the same name.
  llvm::StringLiteral becomes = "";
  std::array<Edit, 2> edits = {};
  /// For rewrites that a rename and edits cannot express; it may read `becomes`.
  Rewrite rewrite = nullptr;
  Witness witness = Witness::Corpus;

  llvm::StringRef target() const { return becomes.empty() ? name : becomes; }
  unsigned maxOperands() const;
  unsigned minOperands() const { return maxOperands() - optional; }
};
inline constexpr llvm::StringLiteral ownForm = "=";

/// The row of an op, null if there is none.
const Row *rowOf(llvm::StringRef name);
/// All rows.
llvm::ArrayRef<Row> rows();

/// "i32", "!llvm.ptr<3>", ...: the slot in a sentence.
llvm::StringRef name(Slot);
/// The type of a slot; `vector` is for `Element`. Null for slots without a fixed type.
mlir::Type typeOf(Slot, mlir::MLIRContext *, mlir::Type vector);

} // namespace tessera::import
