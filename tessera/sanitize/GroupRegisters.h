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
using sim::Instruction;
using sim::Program;
using sim::Slot;

/// Number of registers of C, and of an A that is there.
inline size_t listed(const GroupPlan &plan) {
  return plan.c.registers + (plan.aDescriptor == sim::noSlot ? plan.a.registers : 0);
}
/// f(slot, whether it is of C) for these.
template <class F> void registersOf(const GroupPlan &plan, const Instruction &i, F f) {
  for (size_t k = 0; k < listed(plan); ++k)
    f(i.list[k], k < plan.c.registers);
}

/// The registers of a function that any wgmma uses, numbered, and those that each instruction
/// touches.
class GroupUses {
public:
  explicit GroupUses(const Function &);
  size_t count() const { return numbers.size(); }
  std::span<const uint32_t> at(size_t pc) const {
    return {&touched[first[pc]], &touched[first[pc + 1]]};
  }
  bool moves(size_t pc) const { return isMove[pc]; }
  uint32_t number(Slot slot) const { return numbers.find(slot)->second; }

private:
  std::unordered_map<Slot, uint32_t> numbers;
  std::vector<uint32_t> first, touched;
  std::vector<bool> isMove; // by instruction
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

} // namespace tessera::sanitize
