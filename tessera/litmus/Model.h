// Model: the outcomes of a litmus test that the memory consistency model of PTX allows.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Written down from chapter 8 of the PTX ISA (9.0), whose terms are used here: every candidate
// execution (what each read reads from, how fence.sc and morally strong writes are ordered) is
// made, and those that contradict an axiom are left out. Model.cpp has the section of the ISA
// beside each relation and axiom.
//
// What the ISA leaves to the reader is decided here as follows.
//   - Coherence order has what the ISA asks for and what follows by transitivity, nothing more:
//     more would only forbid executions. After the program a location has the value of any write
//     that no other follows.
//   - "No thin air" forbids a cycle of values alone. A value that does not depend on what was read
//     (xor r, r) does not, as an implementation may see that.
//   - "SC per location" is the acyclicity that its second half states (program order between
//     overlapping operations, with morally strong communication), as Lustig et al. have it
//     (A Formal Analysis of the NVIDIA PTX Memory Consistency Model, ASPLOS 2019).
//   - All operations are of the generic proxy and overlap completely or not at all.
#pragma once

#include "tessera/litmus/Program.h"

#include <set>

namespace tessera::litmus {

struct Verdict {
  std::set<Outcome> allowed;
  bool hasRace = false; // in some execution that is allowed (8.7.1)
  uint64_t candidates = 0;
};

/// A reason if there would be too many candidates.
Result<Verdict> judge(const Program &);

} // namespace tessera::litmus
