// Registers of wgmma that are touched too early, or without a fence. PTX ISA 9.7.15.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/sanitize/GroupRegisters.h"

#include "tessera/sanitize/Watch.h"
#include "tessera/sim/Calls.h"
#include "tessera/sim/Rows.h"

#include <algorithm>

namespace tessera::sanitize {

namespace {
const GroupPlan *planOf(const Instruction &i) { return dynamic_cast<const GroupPlan *>(i.plan); }

/// Registers of C, then of an A that is there.
size_t listed(const GroupPlan &plan) {
  return plan.c.registers + (plan.aDescriptor == sim::noSlot ? plan.a.registers : 0);
}
/// f(slot, whether it is of C) for these.
template <class F> void registersOf(const GroupPlan &plan, const Instruction &i, F f) {
  for (size_t k = 0; k < listed(plan); ++k)
    f(i.list[k], k < plan.c.registers);
}
size_t listed(const Instruction &i) {
  if (const GroupPlan *group = planOf(i))
    return listed(*group);
  auto *product = dynamic_cast<const sim::MmaPlan *>(i.plan);
  return product ? 2 * product->c.registers + product->a.registers + product->b.registers
                 : i.listSize;
}
} // namespace

sim::Moves movesOf(const Instruction &i) {
  bool isMemory = sim::rowGroups()[i.group].rows.data() == sim::memoryRows.rows.data();
  return isMemory ? sim::Moves(i.modes.second) : sim::Moves::Neither;
}

LoadUses::LoadUses(const Function &function) : uses(function.code.size()) {
  std::vector<bool> stored(function.registerBytes / 4 + 1), used = stored; // used otherwise
  std::vector<uint32_t> mentions(stored.size());
  auto note = [&](std::vector<bool> &in, Slot slot) {
    if (slot & 1 || slot / 4 >= in.size()) // a constant, or none
      return;
    in[slot / 4] = true;
    ++mentions[slot / 4];
  };
  std::vector<bool> loaded = stored;
  for (const Instruction &i : function.code) {
    for (Slot slot : i.operand)
      note(used, slot);
    sim::Moves moves = movesOf(i);
    for (size_t k = 0; k < listed(i); ++k)
      note(moves == sim::Moves::Store  ? stored
           : moves == sim::Moves::Load ? loaded
                                       : used,
           i.list[k]);
    if (auto *call = dynamic_cast<const sim::CallPlan *>(i.plan))
      for (const sim::Place &place : call->arguments)
        note(used, place.slot);
  }
  for (size_t pc = 0; pc < function.code.size(); ++pc) {
    const Instruction &i = function.code[pc];
    if (movesOf(i) != sim::Moves::Load)
      continue;
    auto among = [&](const std::vector<bool> &slots) {
      return std::any_of(i.list, i.list + i.listSize,
                         [&](Slot slot) { return slot / 4 < slots.size() && slots[slot / 4]; });
    };
    uses[pc] = !among(used) && among(stored)      ? LoadUse::Copied
               : isMerged(function, pc, mentions) ? LoadUse::Merged
                                                  : LoadUse::Any;
  }
}

/// The load, one or two bitwise operations, and the store to the same place: each register is
/// written and read once.
bool LoadUses::isMerged(const Function &function, size_t pc,
                        const std::vector<uint32_t> &mentions) const {
  constexpr size_t reach = 16; // instructions of others between
  const Instruction &load = function.code[pc];
  if (load.listSize != 1)
    return false;
  Slot held = load.list[0];
  auto isOnce = [&](Slot slot) {
    return !(slot & 1) && slot / 4 < mentions.size() && mentions[slot / 4] == 2;
  };
  bool changed = false;
  for (size_t at = pc + 1; at < std::min(pc + reach, function.code.size()) && isOnce(held); ++at) {
    const Instruction &i = function.code[at];
    bool isLogic = sim::rowGroups()[i.group].rows.data() == sim::logicRows.rows.data();
    if (isLogic && (i.operand[1] == held || i.operand[2] == held)) {
      held = i.operand[0];
      changed = true;
    } else if (movesOf(i) == sim::Moves::Store && i.listSize == 1 && i.list[0] == held)
      return changed && i.operand[0] == load.operand[0] && i.immediate[0] == load.immediate[0] &&
             i.space == load.space;
  }
  return false;
}

GroupUses::GroupUses(const Function &function) {
  for (const Instruction &i : function.code)
    if (const GroupPlan *plan = planOf(i))
      registersOf(*plan, i,
                  [&](Slot slot, bool) { numbers.emplace(slot, uint32_t(numbers.size())); });
  for (const Instruction &i : function.code) {
    first.push_back(uint32_t(touched.size()));
    if (planOf(i))
      continue;
    auto add = [&](Slot slot) {
      if (auto found = numbers.find(slot); found != numbers.end())
        touched.push_back(found->second);
    };
    for (Slot slot : i.operand)
      add(slot);
    for (size_t k = 0; k < listed(i); ++k)
      add(i.list[k]);
  }
  first.push_back(uint32_t(touched.size()));
  touched.push_back(0); // so that there is an address
}

ProgramUses::ProgramUses(const Program &program) {
  auto isTensor = [](const Instruction &i) {
    const sim::InstructionRow *rows = sim::rowGroups()[i.group].rows.data();
    return rows == sim::tensorRows.rows.data() || rows == sim::tensorMmaRows.rows.data();
  };
  for (const auto &function : program.functions) {
    tensors |= std::any_of(function->code.begin(), function->code.end(), isTensor);
    if (GroupUses of(*function); of.count())
      uses.emplace(function.get(), std::move(of));
    loads.emplace(function.get(), LoadUses(*function));
  }
}

bool Watch::touch(size_t pc, int lane) {
  const Function *function = w.frame->function;
  const GroupUses *uses = launch.uses.of(function);
  if (!uses)
    return true;
  for (uint32_t number : uses->at(pc)) {
    std::vector<GroupRegister> &registers = groupRegisters[function];
    registers.resize(uses->count());
    GroupRegister &r = registers[number];
    if (r.product > waitedProducts && !reportAfter(lane, Error::GroupInFlight, r.line, "wgmma"))
      return false;
    r.touched = groupFences + 1;
    r.touchedLine = line();
  }
  return true;
}

bool Watch::startProduct(const Instruction &i, uint64_t product, int lane) {
  const auto &plan = *static_cast<const GroupPlan *>(i.plan);
  const GroupUses &uses = *launch.uses.of(w.frame->function);
  std::vector<GroupRegister> &registers = groupRegisters[w.frame->function];
  registers.resize(uses.count());
  if (!groupFences && !report(lane, Error::GroupFirstFence))
    return false;
  bool fine = true;
  registersOf(plan, i, [&](Slot slot, bool accumulates) {
    GroupRegister &r = registers[uses.number(slot)];
    bool sameShape =
        r.plan && r.accumulates && accumulates && r.plan->row == plan.row && r.plan->n == plan.n;
    if (groupFences && r.touched == groupFences + 1)
      fine &= reportAfter(lane, Error::GroupFence, r.touchedLine, "an access of the register");
    else if (groupFences && r.issued == groupFences + 1 && r.product > waitedProducts &&
             !sameShape && (accumulates || r.accumulates))
      fine &= reportAfter(lane, Error::GroupFence, r.line, "wgmma");
    r = {product, &plan, accumulates, line(), r.touchedLine, groupFences + 1, r.touched};
  });
  return fine;
}

} // namespace tessera::sanitize
