// Instructions: which targets and PTX versions have each PTX instruction and special register.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instructions.def is the one table of availability. What it does not have is refused: llc ends the
// process on an instruction that the target lacks, so an unknown one must not reach it.
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

/// A condition that holds for some mnemonics of an instruction: those with these words.
struct Refinement {
  std::string_view words; // of Instructions.def's little language
  Availability available;
};

struct AvailabilityRow {
  std::string_view name;  // "cp.async.bulk": the words that its mnemonics begin with
  std::string_view words; // what may follow
  Availability available;
  std::vector<Refinement> refinements = {};
};

/// An instruction as far as its availability depends on it.
struct WrittenInstruction {
  std::string_view mnemonic; // with its modifiers, "mbarrier.arrive.shared.b64"
  int operands = 0;          // lists in braces are not counted
  bool hasSink = false;      // its first operand is _
};

/// The table, by what instructions do.
std::span<const AvailabilityRow> instructions();

/// The row of a mnemonic's instruction: the one with the longest name that it begins with. A reason
/// names the nearest names if there is none.
Result<const AvailabilityRow *> instructionOf(std::string_view mnemonic);

/// All conditions of an instruction. A reason if it is not in the table: what is unknown, its name
/// or a modifier, and what comes nearest.
Result<std::vector<const Availability *>> availabilityOf(const WrittenInstruction &);

/// The condition of a special register such as %cluster_ctaid.x; a reason if there is none of that
/// name.
Result<const Availability *> availabilityOfRegister(std::string_view name);

/// Why a target lacks what is asked for, or the PTX version that it takes is none that LLVM writes;
/// nothing if it has it.
std::optional<Reason> refusal(const Availability &, Target);

/// Whether a word is one of a list's words: sets stand for their members, # for a number.
bool isOneOf(std::string_view word, std::string_view words);
/// All words of a list, with the members of sets in place of these; # stays as it is.
std::vector<std::string_view> membersOf(std::string_view words);
/// Whether a refinement holds for an instruction whose name has `nameWords` words.
bool holds(const Refinement &, const WrittenInstruction &, size_t nameWords);

/// Markdown of the whole table: docs/reference/availability.md.
std::string availabilityTable();

} // namespace tessera::atom
