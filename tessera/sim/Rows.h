// Rows: the table of instructions; a row is a form of mnemonic, its operands, and the function that
// chooses its executor.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An instruction of PTX is one row in one file of rows/, beside the code that runs it. A row says
//
//   form       which mnemonics it has                    "add ?sat s32"
//   operands   what stands after them                    "=t t t"
//   bind       chooses the executor                      [](Binding &b) { return done(b, ...); }
//   what       a phrase for docs/reference               "a sum"
//
// A worked example: brev.b32 and brev.b64, which reverse the bits of a register. The whole of it is
//
//   struct Brev {
//     template <class T> static T of(T a) {
//       T out = 0;
//       for (size_t i = 0; i < 8 * sizeof(T); ++i)
//         out = T(out << 1 | (a >> i & 1));
//       return out;
//     }
//   };
//   constexpr InstructionRow rows[] = {
//       {"brev b32|b64", "=t t", unary<Brev>, "bits in reverse order"}};
//
// What happens with `brev.b64 %rd1, %rd2;`:
//   1. findRows takes the mnemonic apart at its dots and finds the rows whose form it has: name
//      first, then word by word. `b64` becomes the only type of Modifiers.
//   2. The Binder looks at the operands: `=t` is a destination of the instruction's type, `t` a
//      source of it. Names become slots, places in the registers of a frame: operand[0],
//      operand[1]. An operand of another kind or width is refused there, so no bind function checks
//      it again.
//   3. bind chooses the executor: unary<Brev> (Lanes.h) takes each<Brev, uint64_t, uint64_t>, which
//      calls Brev::of for 32 lanes and stores those of the active mask.
//   4. At run time the executor gets (Warp &, const Instruction &, Mask). It sees no text.
//
// To add one: write the struct and the row into the file of rows/ whose group it belongs to, and a
// program that uses it into test/sim (a row that no test binds fails the test program). Add it to
// docs/reference with utils/reference.sh, and take it out of Missing.def if it stands there.
//
// The law of the table: rows are tried in order, and the first one whose form and operands fit is
// used; two rows of the same form differ in their operands. A mnemonic without a row is refused
// with its line. Instructions of the ISA that no row does are in Missing.def with a reason.
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
// `addr`, `imm`, `label`, `any` are not values.
#pragma once

#include "tessera/sim/Errors.h"
#include "tessera/sim/Instruction.h"
#include "tessera/sim/Text.h"

#include <span>

namespace tessera::sim {

class Binder;

/// What a mnemonic states after its name.
struct Modifiers {
  std::string_view mnemonic;
  std::vector<std::string_view> words; // without dots, the name first
  std::vector<Type> types;             // those words that are types

  bool has(std::string_view word) const;
  /// The index of the first of `choices` that is present, or `otherwise`.
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

/// All rows, grouped by what they do.
struct RowGroup {
  std::string_view title;
  std::span<const InstructionRow> rows;
};
std::span<const RowGroup> rowGroups();

/// Splits a mnemonic at its dots.
Modifiers modifiersOf(std::string_view mnemonic);
/// Whether two mnemonics have the same name, the same types in the same order, and the same other
/// words in any order.
bool sameWords(std::string_view, std::string_view);

/// A row, and the words of a mnemonic in the order of its form.
struct FoundRow {
  const InstructionRow *row;
  Modifiers modifiers;
};
/// The rows whose form the mnemonic has, in the order of the table. If there are none, rows that
/// have it with its words in another order: ptxas accepts any order that keeps that of the types,
/// and NVIDIA's own code uses that (`atom.add.acquire.cta`, `ldmatrix...x4.m8n8`). A reason names
/// the nearest forms.
Result<std::vector<FoundRow>> findRows(const Modifiers &);

// The tables of rows/, one per file.
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
