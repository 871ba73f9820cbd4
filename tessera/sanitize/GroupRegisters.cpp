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
} // namespace

size_t listed(const Instruction &i) {
  if (const GroupPlan *group = planOf(i))
    return listed(*group);
  auto *product = dynamic_cast<const sim::MmaPlan *>(i.plan);
  return product ? 2 * product->c.registers + product->a.registers + product->b.registers
                 : i.listSize;
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
