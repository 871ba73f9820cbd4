// OpNeeds: the PTX instructions that an op becomes, as far as targets differ in them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// OpNeeds.def is the table of ops, tessera/atom/Instructions.def that of instructions. An op or
// instruction that is in neither table is refused: the gate fails closed.
#pragma once

#include "tessera/base/Result.h"

#include "mlir/IR/Operation.h"

#include <optional>
#include <string>

namespace tessera::lower {

/// An instruction that an op becomes, or a special register that it reads (%cluster_ctaid.x).
struct NeededInstruction {
  std::string text;
  int operands = 0; // lists in braces are not counted
  bool hasSink = false;
};
using NeededInstructions = llvm::SmallVector<NeededInstruction, 1>;

/// A row of the table of ops.
struct OpRow {
  enum Kind : uint8_t {
    Plain,        // every target has what it becomes
    Instructions, // mnemonics, whatever its attributes are
    Form          // they depend on types and attributes
  } kind = Plain;
  llvm::StringRef instructions = "";
  Result<NeededInstructions> (*form)(mlir::Operation *) = nullptr;
};

/// The row of an op: its own, or that of its dialect; nothing if the table has neither.
std::optional<OpRow> opRowOf(mlir::OperationName);

/// The id of the reason that LLVM has no such intrinsic, so that no target can have it.
inline constexpr std::string_view noIntrinsicId = "NoIntrinsic";

/// The instructions of an op, by a row of kind Instructions or Form. A reason if no target has its
/// text, its intrinsic or its types.
Result<NeededInstructions> neededInstructions(const OpRow &, mlir::Operation *);

} // namespace tessera::lower
