// Instructions: the targets and PTX versions that have each PTX instruction and special register.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instructions.def is the only table of availability. An instruction that it does not have is
// refused: llc ends the process on an instruction that the target lacks, so an unknown one must not
// reach it.
//
//   availabilityOf({"ld.global.v8.b32"})   two rows: everywhere, and sm_100 or later with PTX 8.8
//   availabilityOf({"ld.globl.b32"})       a reason: ld has no modifier 'globl', the nearest is ...
#pragma once

#include "tessera/atom/Target.h"

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

namespace tessera::atom {

/// The newest PTX version that LLVM 22 writes, as major * 10 + minor.
inline constexpr int newestPtxOfLlvm = 90;

/// One condition on targets.
struct Availability {
  std::string_view what; // the subject of a sentence: "conversions to and from e4m3 and e5m2"
  Requirement needs;
  uint8_t ptx; // lowest PTX version, major * 10 + minor

  /// The lowest version for a target that meets the requirement.
  int ptxFor(Target target) const { return std::max(int(ptx), target.minimumPtx()); }
};

/// A condition for some mnemonics of an instruction: those with these words.
struct Refinement {
  std::string_view words; // of Instructions.def's little language
  Availability available;
};

struct AvailabilityRow {
  std::string_view name;  // "cp.async.bulk": the first words of its mnemonics
  std::string_view words; // the words that may follow
  Availability available;
  std::vector<Refinement> refinements = {};
};

/// The parts of an instruction that determine its availability.
struct WrittenInstruction {
  std::string_view mnemonic; // with its modifiers, "mbarrier.arrive.shared.b64"
  int operands = 0;          // lists in braces are not counted
  bool hasSink = false;      // its first operand is _
};

/// The table, grouped by what instructions do.
std::span<const AvailabilityRow> instructions();

/// The row of a mnemonic's instruction: the longest name that it begins with. If there is none, the
/// reason gives the nearest names.
Result<const AvailabilityRow *> instructionOf(std::string_view mnemonic);
/// Whether a target has the instruction of this mnemonic, with its modifiers, which is in the
/// table.
bool hasInstruction(Target, std::string_view mnemonic);

/// All conditions of an instruction. If it is not in the table, the reason says what is unknown,
/// its name or a modifier, and what is nearest.
Result<std::vector<const Availability *>> availabilityOf(const WrittenInstruction &);

/// The condition of a special register such as %cluster_ctaid.x; a reason for an unknown name.
Result<const Availability *> availabilityOfRegister(std::string_view name);

/// The reason why a target lacks the instruction, or why LLVM cannot write the PTX version that it
/// needs; nothing if the target has it.
std::optional<Reason> refusal(const Availability &, Target);

/// Whether a word is in a list of words; a set stands for its members, # for a number.
bool isOneOf(std::string_view word, std::string_view words);
/// All words of a list, with sets replaced by their members; # stays.
std::vector<std::string_view> membersOf(std::string_view words);
/// Whether a refinement holds for an instruction whose name has `nameWords` words.
bool holds(const Refinement &, const WrittenInstruction &, size_t nameWords);

/// Markdown of the whole table: docs/reference/availability.md.
std::string availabilityTable();

} // namespace tessera::atom
