// GroupRegisters: the registers that wgmma reads and writes while the warp continues.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/sanitize/Unset.h"
#include "tessera/sim/Program.h"
#include "tessera/sim/WarpGroup.h"

#include <map>
#include <span>
#include <unordered_map>
#include <vector>

namespace tessera::sanitize {

using sim::Function;
using sim::GroupPlan;
using sim::Program;
using sim::Slot;

/// The registers of a function that any wgmma uses, numbered, and those that each instruction
/// touches.
class GroupUses {
public:
  explicit GroupUses(const Function &);
  size_t count() const { return numbers.size(); }
  std::span<const uint32_t> at(size_t pc) const {
    return {&touched[first[pc]], &touched[first[pc + 1]]};
  }
  uint32_t number(Slot slot) const { return numbers.find(slot)->second; }

private:
  std::unordered_map<Slot, uint32_t> numbers;
  std::vector<uint32_t> first, touched;
};

/// The uses in all functions of a program.
class ProgramUses {
public:
  ProgramUses() = default;
  explicit ProgramUses(const Program &);
  bool tensors = false; // some instruction is of tcgen05
  const GroupUses *of(const Function *function) const {
    auto found = uses.find(function);
    return found == uses.end() ? nullptr : &found->second;
  }

private:
  std::unordered_map<const Function *, GroupUses> uses; // those with a wgmma
};

/// The last access of a register by a wgmma, and by another instruction.
struct GroupRegister {
  uint64_t product = 0;              // the last one that uses it
  const GroupPlan *plan = nullptr;   // of that one
  bool accumulates = false;          // it is C of the product, not A
  int32_t line = 0, touchedLine = 0; // of the product, and of the access
  uint32_t issued = 0, touched = 0;  // numbers of wgmma.fence that had been run at both
};

} // namespace tessera::sanitize
