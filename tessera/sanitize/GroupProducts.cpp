// Registers of wgmma that are touched too early, or without a fence.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/sanitize/GroupProducts.h"

namespace tessera::sanitize {

bool GroupProducts::touch(size_t pc, int lane) {
  const Function *function = self.w.frame->function;
  const GroupUses *uses = self.launch.uses.of(function);
  if (!uses)
    return true;
  for (uint32_t number : uses->at(pc)) {
    std::vector<Register> &used = registers[function];
    used.resize(uses->count());
    Register &r = used[number];
    if (r.product > waited && !reports.reportAfter(lane, Error::GroupInFlight, r.line, "wgmma"))
      return false;
    if (isFenced && uses->moves(pc))
      continue;
    r.touched = fences + 1;
    r.touchedLine = self.line();
  }
  return true;
}

bool GroupProducts::begin(const Instruction &i, uint64_t product, int lane) {
  const auto &plan = *static_cast<const GroupPlan *>(i.plan);
  const GroupUses &uses = *self.launch.uses.of(self.w.frame->function);
  std::vector<Register> &used = registers[self.w.frame->function];
  used.resize(uses.count());
  if (!fences && !reports.report(lane, Error::GroupFirstFence))
    return false;
  isFenced = false;
  bool fine = true;
  registersOf(plan, i, [&](Slot slot, bool accumulates) {
    Register &r = used[uses.number(slot)];
    bool sameShape =
        r.plan && r.accumulates && accumulates && r.plan->row == plan.row && r.plan->n == plan.n;
    if (fences && r.touched == fences + 1)
      fine &=
          reports.reportAfter(lane, Error::GroupFence, r.touchedLine, "an access of the register");
    else if (fences && r.issued == fences + 1 && r.product > waited && !sameShape &&
             (accumulates || r.accumulates))
      fine &= reports.reportAfter(lane, Error::GroupFence, r.line, "wgmma");
    r = {product, &plan, accumulates, self.line(), r.touchedLine, fences + 1, r.touched};
  });
  if (plan.aDescriptor == sim::noSlot)
    knowledge.fillProduct(uint32_t(product));
  return fine;
}

void GroupProducts::end(uint64_t product) {
  // wgmma.commit_group makes one group for the warpgroup (PTX ISA 9.7.15): when it is complete for
  // a warp, the parts of the other three are too. CUTLASS lets one thread of a warpgroup tell
  // another block that a stage is free (PipelineTmaAsync).
  knowledge.seen(self.groupAgent()).join({.full = uint32_t(product)});
  waited = std::max(waited, product);
}

} // namespace tessera::sanitize
