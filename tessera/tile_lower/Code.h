// Code: PTX instructions and control flow, at a place in a kernel that is being made.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/tile_lower/Arithmetic.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace tessera::tile_lower {

class Code : public Arithmetic {
public:
  using Arithmetic::Arithmetic;

  /// Whether one instruction of the target rounds f32 to tf32, ties to even.
  bool roundsToTf32 = false;

  //===--- PTX

  /// Instructions of inline PTX; operands are $1, $2, ... Those with effects keep their order.
  mlir::LLVM::InlineAsmOp assembly(llvm::StringRef text, llvm::StringRef constraints,
                                   mlir::TypeRange results, mlir::ValueRange operands,
                                   bool hasEffects);
  /// One instruction without side effects.
  Value ptx(llvm::StringRef text, llvm::StringRef constraints, Type result,
            mlir::ValueRange operands);

  /// Instructions that read or write memory, with `words` results of 32 bits.
  llvm::SmallVector<Value> memoryPtx(llvm::StringRef text, llvm::StringRef constraints,
                                     mlir::ValueRange operands, int64_t words);
  /// An instruction that has neither operands nor a result.
  void effect(llvm::StringRef text);

  //===--- Blocks

  /// A new block after the current one, with arguments of these types; the place stays.
  mlir::Block *newBlock(mlir::TypeRange arguments = {});
  void goTo(mlir::Block *block) { b.setInsertionPointToEnd(block); }
  void branch(mlir::Block *to, mlir::ValueRange values = {}) {
    make<mlir::cf::BranchOp>(to, values);
  }
  void branchIf(Value condition, mlir::Block *yes, mlir::Block *no) {
    make<mlir::cf::CondBranchOp>(condition, yes, no);
  }
  /// Runs code if a condition holds; always, without a branch, if the condition is null.
  void when(Value condition, llvm::function_ref<void()> then);
  /// The result of `then` if the condition holds, else `otherwise`. A null condition holds.
  Value valueWhen(Value condition, Value otherwise, llvm::function_ref<Value()> then);
  /// A loop for i = 0, 1, ... below `count`.
  void repeat(int64_t count, llvm::function_ref<void(Value i)> body);
};

} // namespace tessera::tile_lower
