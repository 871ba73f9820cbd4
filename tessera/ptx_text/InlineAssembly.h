// InlineAssembly: the instructions of PTX in a string of LLVM, MLIR or CUDA.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Such a string is a piece of a function's body in which operands have numbers. For example
//
//   { .reg .pred p;  // of the wait
//     mbarrier.try_wait.parity.shared::cta.b64 p, [$1], $2;
//     @p bra $$done;
//     selp.u32 $0, 1, 0, p; }
//
// has three instructions: mbarrier (try_wait, parity, shared::cta, b64), bra without modifiers and
// with the guard p, and selp (u32). Comments, declarations, labels, braces and directives such as
// .loc are read and are not instructions. Text that cannot be read gives a reason, never a missing
// instruction: callers can rely on getting all instructions of a text.
#pragma once

#include "tessera/ptx_text/Errors.h"
#include "tessera/ptx_text/Tree.h"

namespace tessera::ptx_text {

/// One instruction. The views point into the text that was read.
struct Instruction {
  std::string_view text;                   // with all of its modifiers: "cp.async.bulk.shared::cta"
  std::string_view mnemonic;               // the part before the first dot: "cp"
  std::vector<std::string_view> modifiers; // without dots, in their order; "shared::cta" is one
  std::string_view guard;                  // the predicate after @; empty if there is none
  bool guardNegated = false;
  int operands = 0;                        // lists in braces are not counted
  bool hasSink = false;                    // the first operand is _
  std::vector<std::string_view> registers; // special registers among the operands: %tid.x
  int line = 1, column = 1;                // of `text`, from 1; columns in bytes
};

/// The instructions of inline assembly, in their order. Operands are `$0`, `${0}`, `${0:x}` (LLVM),
/// `%0` (CUDA), `{$rw0}`, `{$r0}`, `{$w0}` (nvvm.inline_ptx); `$$` and `%%` stand for one
/// character. The semicolon of the last statement may be missing. A reason has the line and its
/// text. Sources: PTX ISA 4.2 (statements), LLVM LangRef (inline assembler expressions), CUDA
/// Inline PTX.
Result<std::vector<Instruction>> parseInlineAssembly(std::string_view text);

} // namespace tessera::ptx_text
