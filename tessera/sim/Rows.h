// Rows: the table of instructions; each row is a form of mnemonic, its operands, and who makes an
// executor for it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A form is words separated by blanks, one for each part of the mnemonic between dots: `add ?sat
// s32` is add.s32 and add.sat.s32. `a|b` is either, `?a` may be missing, `*a` may come any number
// of times, `<set>` is any of a set of Sets.def, `...` is anything up to the end.
//
// Operands are words too. `t` is a source of the instruction's type (the last one in its mnemonic;
// t0 and t1 are the first and second), `w` one of twice its size; other types stand for themselves.
// `=` marks a destination, `~` one or a source whose register may be wider than the type, `|` a
// destination that a predicate may follow after a bar,
// `.` one that a selector of its bytes or a minus may go with (r1.h0, -r1), `{}` a list of
// registers in braces or a single one, `{_}` one with places for nothing, `?` what may be missing.
// `addr`, `imm`, `label`, `any` are no values.
#pragma once

#include "tessera/sim/Errors.h"
#include "tessera/sim/Instruction.h"
#include "tessera/sim/Text.h"

#include <span>

namespace tessera::sim {

class Binder;

/// What a mnemonic says after its name.
struct Modifiers {
  std::string_view mnemonic;
  std::vector<std::string_view> words; // without dots, the name first
  std::vector<Type> types;             // those words that are types

  bool has(std::string_view word) const;
  /// The index of the first of `choices` that is there, or `otherwise`.
  int pick(std::initializer_list<std::string_view> choices, int otherwise = 0) const;
  Type type() const { return types.empty() ? Type::b32 : types.back(); }
  Type type(size_t i) const { return i < types.size() ? types[i] : type(); }
};

/// An instruction between text and code: operands are resolved, the executor is to be chosen.
struct Binding {
  Instruction &out;
  const Modifiers &modifiers;
  std::span<const Operand> operands; // as written
  Binder &binder;
};

struct InstructionRow {
  std::string_view form, operands;
  Status (*bind)(Binding &);
  std::string_view what; // a phrase for the documentation

  std::string_view name() const { return form.substr(0, form.find(' ')); }
};

/// All rows, by what they do.
struct RowGroup {
  std::string_view title;
  std::span<const InstructionRow> rows;
};
std::span<const RowGroup> rowGroups();

/// Splits a mnemonic at its dots.
Modifiers modifiersOf(std::string_view mnemonic);
/// The rows whose form the mnemonic has, in the order of the table; a reason names the forms of its
/// name.
Result<std::vector<const InstructionRow *>> findRows(const Modifiers &);

// The tables of rows/, one a file.
extern const RowGroup integerRows, logicRows, floatRows, compareRows, convertRows, moveRows,
    memoryRows, atomicRows, controlRows, warpRows, barrierRows, mmaRows, groupRows, matrixRows,
    asyncRows, bulkRows, bulkTensorRows, tensorMapRows, stackRows, videoRows, scalarVideoRows,
    tensorRows, tensorMmaRows, remoteRows, wmmaRows;

/// An instruction of the PTX ISA that no row has (Missing.def).
struct MissingInstruction {
  std::string_view name, why;

  bool is(const Modifiers &) const;
};
std::span<const MissingInstruction> missingInstructions();

/// Markdown of the whole table: docs/reference/ptx-instructions.md.
std::string instructionTable();

} // namespace tessera::sim
