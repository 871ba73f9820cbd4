// Hands the events of a warp to those who check them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/sanitize/Watch.h"

#include "tessera/sim/rows/Bulk.h"

namespace tessera::sanitize {

/// Lanes have to come to .aligned instructions together, and wgmma's registers are its own.
bool Watch::onExecute(const sim::Execute &e) {
  strong.settle();
  if (!values.run(e.instruction, e.active, e.fragment))
    return false;
  running = e.active;
  int lane = std::countr_zero(e.active);
  if (e.instruction.aligned && e.fragment != e.active) {
    if (!reports.report(lane, Error::AlignedGuard, hex(e.active), hex(e.fragment & ~e.active)))
      return false;
  } else if (e.instruction.aligned && (self.w.live & ~e.active))
    return true; // they come again when all are there
  return products.touch(self.w.pc, lane);
}

bool Watch::onSkip(const sim::Skip &s) { return values.skip(s.instruction, s.fragment); }

bool Watch::onAccess(const sim::MemoryAccess &a) {
  if (const Agent by = row(a.how).by; repeats && (by == Agent::Copy || by == Agent::StoreSource))
    return true;
  switch (a.space) {
  case sim::Space::Shared: return shared.access(a);
  case sim::Space::Local: return local.access(a);
  case sim::Space::Param: return true;
  default: return global.access(a);
  }
}

/// Weak loads and stores of whole warps, in which most kernels spend most of their time.
bool Watch::onWarpAccess(const sim::WarpAccess &a) {
  if (a.space == sim::Space::Param)
    return true;
  const Instruction &i = self.w.instruction();
  const bool isShared = a.space == sim::Space::Shared && a.owner == &self.w.cta,
             isPlain = (a.how == Access::Read || a.how == Access::Write) && i.order == Order::Weak;
  if (!isPlain || !(isShared || a.space == sim::Space::Global) || !values.isIdle(i))
    return oneByOne(a, a.lanes, [&](const sim::MemoryAccess &one) { return onAccess(one); });

  const LaneGroups groups(a);
  return isShared ? shared.access(a, groups) : global.access(a, groups);
}

bool Watch::onSwap(const sim::Swap &s) { return shared.swap(s) && global.swap(s); }

bool Watch::onProductRead(const sim::ProductRead &read) { return shared.productRead(read); }

bool Watch::onTensorAccess(const sim::TensorAccess &a) { return tensor.access(a); }

bool Watch::onChange(const sim::MemoryChange &c) {
  c.space == sim::Space::Global ? global.change(c) : local.change(c);
  if (c.frame)
    values.begin(*c.frame, c.lanes);
  return true;
}

bool Watch::onSynchronize(const sim::Synchronize &s) {
  if (s.what == sim::Synchronize::Registers)
    return registers.change(s.id, std::countr_zero(s.lanes));
  if (s.what == sim::Synchronize::TensorCommit) {
    tensorOrder.commit(s.mbarrier, s.lanes);
    return true;
  }
  knowledge.synchronize(s);
  tensorOrder.met();
  return true;
}

bool Watch::onFence(const sim::Fence &f) {
  switch (f.what) {
  case sim::Fence::Products: products.fence(); break;
  case sim::Fence::BeforeThreadSync: tensorOrder.beforeThreadSync(); break;
  case sim::Fence::AfterThreadSync: tensorOrder.afterThreadSync(); break;
  case sim::Fence::DependentsBegin: self.launch.dependentsBegin = true; break;
  case sim::Fence::DependenciesEnd: early.wait(f.lanes); break;
  default: knowledge.fence(f);
  }
  return true;
}

bool Watch::onWork(const sim::AsyncWork &work) {
  return work.what == sim::AsyncWork::Begin ? begin(work) : end(work);
}

/// Lanes that copy the same bytes to the same place in one instruction count as one, as where
/// CUTLASS's epilogues let a whole warp issue a store. All of them have to be waited for.
bool Watch::repeatsCopy(int lane) {
  const Instruction &i = self.w.instruction();
  if (i.row->name() != "cp") // st.async and red.async have values
    return false;
  const auto &plan = *static_cast<const sim::bulk::BulkPlan *>(i.plan);
  for (Mask before = running & ((Mask(1) << lane) - 1); before && !plan.reduces;
       before &= before - 1)
    if (int first = std::countr_zero(before); sim::bulk::copySame(self.w, plan, first, lane)) {
      knowledge.repeatCopy(copies[first], copies[lane]);
      return true;
    }
  return false;
}

bool Watch::begin(const sim::AsyncWork &work) {
  switch (work.by) {
  case Agent::Copy: // its reads of shared memory have the same number
    self.clock(Agent::Copy) = self.clock(Agent::StoreSource) = uint32_t(work.number);
    copies[work.lane] = uint32_t(work.number);
    repeats = repeatsCopy(work.lane);
    return true;
  case Agent::AsyncCopy: self.clock(Agent::AsyncCopy) = uint32_t(work.number); return true;
  case Agent::Group: return products.begin(*work.instruction, work.number, work.lane);
  case Agent::TensorLoad:
  case Agent::TensorStore:
  case Agent::TensorWork: tensorOrder.begin(work.by, work.sums); return true;
  default: return true;
  }
}

bool Watch::end(const sim::AsyncWork &work) {
  switch (work.by) {
  case Agent::Copy:
  case Agent::StoreSource: knowledge.endCopy(work); return true;
  case Agent::AsyncCopy: return shared.endCopy(work);
  case Agent::Group: products.end(work.number); return true;
  case Agent::TensorLoad:
  case Agent::TensorStore: tensorOrder.end(work.by); return true;
  default: return true;
  }
}

bool Watch::onEnd(const sim::End &e) {
  if (e.what == sim::End::Stuck)
    reports.apart();
  if (e.what == sim::End::Block)
    return shared.endBlock(std::countr_zero(e.lanes)) &&
           registers.endBlock(std::countr_zero(e.lanes));
  for (Mask left = e.what == sim::End::Threads ? e.lanes : 0; left; left &= left - 1)
    if (int lane = std::countr_zero(left); !self.w.bulk[lane].pending.empty())
      if (!reports.report(lane, Error::BulkPending, self.w.bulk[lane].pending.size()))
        return false;
  return true;
}

} // namespace tessera::sanitize
