// Which registers of a program wgmma uses, and where else they are touched.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/sanitize/GroupRegisters.h"

#include "tessera/sim/Calls.h"
#include "tessera/sim/Rows.h"

#include <algorithm>

namespace tessera::sanitize {

namespace {
const GroupPlan *planOf(const Instruction &i) { return dynamic_cast<const GroupPlan *>(i.plan); }

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
    isMove.push_back(i.row && i.row->name() == "mov");
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

} // namespace tessera::sanitize
