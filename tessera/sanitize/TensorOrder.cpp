// Which tcgen05 instructions come one after the other, and which of them do not.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/sanitize/TensorOrder.h"

namespace tessera::sanitize {

namespace {
/// Pairs of one thread that come in their order. The first eight rows are those of the ISA, which
/// has a shift before copies of 4x256b only; the others it does not list, but kernels copy new
/// factors after the products that read the last ones, without a wait, and what comes after a
/// product that comes after a shift comes after the shift.
struct Pipe {
  Access before, after;
  bool sameSums;
};
constexpr Pipe pipes[] = {
    {Access::TensorProduct, Access::TensorProduct, true},
    {Access::TensorCopy, Access::TensorProduct, false},
    {Access::TensorCopy, Access::TensorOperand, false},
    {Access::TensorShift, Access::TensorOperand, false},
    {Access::TensorShift, Access::TensorProduct, false},
    {Access::TensorShift, Access::TensorCopy, false},
    {Access::TensorOperand, Access::TensorShift, false},
    {Access::TensorProduct, Access::TensorShift, false},
    {Access::TensorShift, Access::TensorShift, false},
    {Access::TensorOperand, Access::TensorProduct, false},
    {Access::TensorOperand, Access::TensorCopy, false},
    {Access::TensorCopy, Access::TensorCopy, false},
};
Access plain(Access access) { return access == Access::TensorSum ? Access::TensorProduct : access; }
} // namespace

const TensorOrder &TensorOrder::of(const Mark &m) const {
  return *self.cluster->tensors[self.warpOf(m)];
}

bool TensorOrder::inOrder(const Mark &m, const Mark &mine) const {
  auto pipe = std::find_if(std::begin(pipes), std::end(pipes), [&](const Pipe &p) {
    return p.before == plain(m.how()) && p.after == plain(mine.how());
  });
  return pipe != std::end(pipes) &&
         (!pipe->sameSums || of(m).sums[m.clock - 1] == sums[mine.clock - 1]);
}

bool TensorOrder::hasEnded(const Mark &m, const TensorClocks &clocks) const {
  Agent by = row(m.how()).by;
  uint32_t number = m.clock;
  if (by == Agent::TensorWork) { // with a commit of the thread that began it
    const std::vector<uint32_t> &mine = of(m).commits[std::countr_zero(m.lanes)];
    auto first = std::ranges::lower_bound(mine, number);
    if (first == mine.end())
      return false;
    number = *first;
  }
  return clocks.covers(TensorClocks::ended(by), self.warpOf(m), number);
}

bool TensorOrder::knows(const Mark &m, const Mark &mine, int lane) const {
  uint32_t warp = self.warpOf(m);
  Agent by = row(m.how()).by;
  bool frees = mine.how() == Access::TensorFree; // at once, so that no fence has to hold it back
  if (knowledge.knows(m, lane) || hasEnded(m, ordered) ||
      (frees && hasEnded(m, knowledge.tensor())))
    return true;
  if (by == Agent::TensorWork)
    return ordered.covers(TensorClocks::WorkBegun, warp, m.clock) && isAfter(m, lane) &&
           inOrder(m, mine);
  // Results of loads that are used have arrived, whether somebody waited or not. That is enough for
  // the thread that frees the columns.
  return frees && by == Agent::TensorLoad &&
         (warp == self.index || knowledge.tensor().covers(TensorClocks::LoadsBegun, warp, m.clock));
}

Error TensorOrder::missing(const Mark &m) const {
  if (!isOfTensor(m.how()))
    return Error::Race;
  Agent by = row(m.how()).by;
  uint32_t warp = self.warpOf(m);
  if (by != Agent::TensorWork && of(m).ordered.covers(TensorClocks::ended(by), warp, m.clock))
    return Error::TensorOrder;
  return by == Agent::TensorLoad    ? Error::TensorLoadWait
         : by == Agent::TensorStore ? Error::TensorStoreWait
                                    : Error::TensorCommit;
}

void TensorOrder::begin(Agent by, const TensorSums &ofWork) {
  uint32_t number = ++self.clock(by);
  if (by != Agent::TensorWork)
    return;
  sums.push_back(ofWork);
  ordered.set(TensorClocks::WorkBegun, self.index, number, self.agents);
}

void TensorOrder::end(Agent by) {
  const uint32_t begun = self.clock(by);
  Known &known = knowledge.seen(self.agent(by));
  known.full = std::max(known.full, begun);
  ordered.set(TensorClocks::ended(by), self.index, begun, self.agents);
}

/// The mbarrier is signalled for all work that the thread has begun (PTX ISA, tcgen05.commit: "by
/// the executing thread"), and passes on what came before it: a fence is part of tcgen05.commit.
void TensorOrder::commit(const void *mbarrier, Mask lanes) {
  knowledge.tensor().join(ordered);
  Clocks &to = self.cluster->mbarriers[mbarrier].arrivals;
  knowledge.release(to, lanes);
  uint32_t number = self.clock(Agent::TensorWork);
  to.at(Channel::Seen, self.agent(Agent::TensorWork)).join({0, number, lanes});
  to.tensor.set(TensorClocks::Work, self.index, number, self.agents);
  for (Mask left = lanes; left; left &= left - 1)
    if (std::vector<uint32_t> &ofLane = commits[std::countr_zero(left)];
        ofLane.empty() || ofLane.back() != number)
      ofLane.push_back(number);
}

} // namespace tessera::sanitize
