// Tensor memory: which tcgen05 instructions come one after the other, and which of them do not. PTX
// ISA 9.7.16.6.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An instruction comes after what has ended and is known to have: by ordinary order (barriers,
// acquires: the clocks), or by tcgen05.fence around barriers of any kind (TensorClocks). Loads and
// stores end with tcgen05.wait, products and copies with a wait for what tcgen05.commit arrives at;
// some of these come in the order in which they begin.
#include "tessera/sanitize/Watch.h"

namespace tessera::sanitize {

using sim::TensorAddress;
using sim::TensorCells;

namespace {
/// Pairs of one thread that come in their order. The first three rows are those of the ISA; the
/// others it does not list, but kernels copy new factors after the products that read the last
/// ones, without a wait.
struct Pipe {
  Access before, after;
  bool sameSums;
};
constexpr Pipe pipes[] = {
    {Access::TensorProduct, Access::TensorProduct, true},
    {Access::TensorCopy, Access::TensorProduct, false},
    {Access::TensorCopy, Access::TensorOperand, false},
    {Access::TensorOperand, Access::TensorProduct, false},
    {Access::TensorOperand, Access::TensorCopy, false},
    {Access::TensorCopy, Access::TensorCopy, false},
};
Access plain(Access access) { return access == Access::TensorSum ? Access::TensorProduct : access; }
} // namespace

const Watch &Watch::watchOf(const Mark &m) const {
  return *cluster->watches[(m.agent - base) % agents.warps];
}

bool Watch::inOrder(const Mark &m, const Mark &mine) const {
  auto pipe = std::find_if(std::begin(pipes), std::end(pipes), [&](const Pipe &p) {
    return p.before == plain(m.how()) && p.after == plain(mine.how());
  });
  return pipe != std::end(pipes) &&
         (!pipe->sameSums || watchOf(m).sums[m.clock - 1] == sums[mine.clock - 1]);
}

bool Watch::knowsTensor(const Mark &m, const Mark &mine, int lane) const {
  uint32_t warp = (m.agent - base) % agents.warps;
  Agent by = row(m.how()).by;
  bool frees = mine.how() == Access::TensorFree; // at once, so that no fence has to hold it back
  if (knows(m, lane) || ordered.covers(TensorClocks::ended(by), warp, m.clock) ||
      (frees && common.tensor.covers(TensorClocks::ended(by), warp, m.clock)))
    return true;
  if (by == Agent::TensorWork)
    return ordered.covers(TensorClocks::WorkBegun, warp, m.clock) && inOrder(m, mine);
  // Results of loads that are used have arrived, whether somebody waited or not. That is enough for
  // the thread that frees the columns.
  return frees && by == Agent::TensorLoad &&
         (warp == index || common.tensor.covers(TensorClocks::LoadsBegun, warp, m.clock));
}

/// For an earlier access without order: what is missing.
Error Watch::raceRule(const Mark &m) const {
  if (!isOfTensor(m.how()))
    return Error::Race;
  Agent by = row(m.how()).by;
  uint32_t warp = (m.agent - base) % agents.warps;
  if (by != Agent::TensorWork && watchOf(m).ordered.covers(TensorClocks::ended(by), warp, m.clock))
    return Error::TensorOrder;
  return by == Agent::TensorLoad    ? Error::TensorLoadWait
         : by == Agent::TensorStore ? Error::TensorStoreWait
                                    : Error::TensorCommit;
}

void Watch::beginTensor(Agent by, const TensorSums &of) {
  uint32_t number = ++begun(by);
  if (by != Agent::TensorWork)
    return;
  sums.push_back(of);
  ordered.set(TensorClocks::WorkBegun, index, number, agents);
}

bool Watch::onTensorAccess(const sim::TensorAccess &a) {
  if (a.isOfOneRegister)
    return isAnyWritten(a);
  SharedShadow &shadow = shadowOf(a.owner).tensor();
  Mark mine = markOf(a.how, a.lane);
  bool fine = a.cells.runs([&](TensorAddress at, uint32_t lanes) {
    uint64_t offset = at.column * TensorCells::lanes + at.lane;
    Site site{"tensor", at.word(), shadow.cells.data(), offset, lanes};
    if (a.how != Access::TensorLoad &&
        !isWritten(site, shadow.written, offset, a.how, a.lane)) // of loads see isAnyWritten
      return false;
    if (!noteTensor(site, mine, a.lane))
      return false;
    if (row(a.how).writes)
      shadow.written.add(offset, lanes);
    return true;
  });
  if (a.how == Access::TensorFree)
    freeTensor(a);
  return fine;
}

/// A load of a warp cannot leave out lanes, and those of M = 64 have nothing in half of them: one
/// that is written is enough.
bool Watch::isAnyWritten(const sim::TensorAccess &a) {
  SharedShadow &shadow = shadowOf(a.owner).tensor();
  std::optional<Site> missing;
  bool none = a.cells.runs([&](TensorAddress at, uint32_t lanes) {
    uint64_t offset = at.column * TensorCells::lanes + at.lane;
    if (!missing)
      missing = Site{"tensor", at.word(), shadow.cells.data(), offset, lanes};
    for (uint32_t i = 0; i < lanes; ++i)
      if (shadow.written.firstMissing(offset + i, 1) != offset + i)
        return false;
    return true;
  });
  return !none || add(a.lane, Error::Unwritten, Access::TensorLoad, nullptr, *missing);
}

void Watch::freeTensor(const sim::TensorAccess &a) {
  SharedShadow &shadow = shadowOf(a.owner).tensor();
  a.cells.runs([&](TensorAddress at, uint32_t lanes) { // whole columns
    uint64_t first = at.column * TensorCells::lanes + at.lane;
    shadow.written.remove(first, lanes);
    std::fill_n(shadow.cells.begin() + ptrdiff_t(first / Cell::bytes), lanes / Cell::bytes, Cell{});
    return true;
  });
}

void Watch::endTensor(Agent by) {
  Known &known = common.at(Channel::Seen, uint32_t(by) * agents.warps + index);
  known.full = std::max(known.full, begun(by));
  ordered.set(TensorClocks::ended(by), index, begun(by), agents);
}

/// The mbarrier is signalled for all work that has begun, and passes on what came before it: a
/// fence is part of tcgen05.commit.
void Watch::commitTensor(Clocks &to, Mask lanes) {
  common.tensor.join(ordered);
  release(to, lanes);
  uint32_t number = begun(Agent::TensorWork);
  to.at(Channel::Seen, uint32_t(Agent::TensorWork) * agents.warps + index).join({number, 0, 0});
  to.tensor.set(TensorClocks::Work, index, number, agents);
}

} // namespace tessera::sanitize
