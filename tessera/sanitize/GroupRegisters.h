// GroupRegisters: the registers that wgmma reads and writes while the warp goes
// on.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

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

/// The registers of a function that any wgmma uses, numbered, and which of them each instruction
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

sim::Moves movesOf(const sim::Instruction &);

/// What becomes of the number that a load loads.
enum class LoadUse : uint8_t {
  Any,
  Copied, // only stored again, as the padding of a struct
  Merged  // only stored where it was, some of its bits changed, as those beside a bit field
};
/// The same of all loads of a function.
class LoadUses {
public:
  explicit LoadUses(const Function &);
  LoadUse at(size_t pc) const { return uses[pc]; }

private:
  bool isMerged(const Function &, size_t pc, const std::vector<uint32_t> &mentions) const;
  std::vector<LoadUse> uses; // by instruction
};

/// Of all functions of a program.
class ProgramUses {
public:
  ProgramUses() = default;
  explicit ProgramUses(const Program &);
  bool tensors = false; // some instruction is of tcgen05
  const GroupUses *of(const Function *function) const {
    auto found = uses.find(function);
    return found == uses.end() ? nullptr : &found->second;
  }
  LoadUse ofLoad(const Function *function, size_t pc) const {
    return loads.find(function)->second.at(pc);
  }

private:
  std::unordered_map<const Function *, GroupUses> uses; // those with a wgmma
  std::unordered_map<const Function *, LoadUses> loads;
};

/// What a wgmma or another instruction did last with a register.
struct GroupRegister {
  uint64_t product = 0;              // the last one that uses it
  const GroupPlan *plan = nullptr;   // of that one
  bool accumulates = false;          // it is C of it, not A
  int32_t line = 0, touchedLine = 0; // of the product, and of the access
  uint32_t issued = 0, touched = 0;  // how many wgmma.fence had been run, and one
};

} // namespace tessera::sanitize
