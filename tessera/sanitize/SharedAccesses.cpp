// Checks accesses of shared memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/sanitize/SharedAccesses.h"

#include "tessera/sim/Rows.h"

namespace tessera::sanitize {

namespace {
/// The offset of an address of shared memory from the start of its block's.
uint32_t offsetOf(uint64_t address) {
  return (uint32_t(address) & ((1u << sim::clusterRankShift) - 1)) - sim::sharedStart;
}

/// Whether libcu++ has chosen the bulk copy that runs. Who calls cuda::memcpy_async has not asked
/// for one, and NVIDIA's examples have no fence between init() and it. Only the library lets the
/// phase wait for the bytes by a relaxed expect_tx right after the copy; where nothing is inlined,
/// its function is among the callers.
bool isChosenByLibrary(const WatchedWarp &self) {
  const auto &code = self.w.frame->function->code;
  const size_t next = size_t(self.w.pc) + 1;
  if (next < code.size() &&
      self.launch.placeOf(code[next].line).text.find("mbarrier.expect_tx.relaxed") !=
          std::string::npos)
    return true;
  for (const sim::Frame *frame = self.w.frame; frame; frame = frame->parent)
    if (frame->function->name.find("__dispatch_memcpy_async") != std::string::npos)
      return true;
  return false;
}
} // namespace

bool SharedAccesses::access(const sim::WarpAccess &a, const LaneGroups &groups) {
  SharedShadow &shadow = self.shadowOf(self.w.cta).shared;
  Mark mine = self.markOf(a.how, 0);
  const bool isWrite = a.how == Access::Write;
  const std::byte *start = self.w.cta.shared.data();
  const RaceCheck &quick = races; // read once for all groups
  auto offsetOf = [&](const LaneGroup &group) { return uint64_t(a.hosts[group.first] - start); };
  const uint64_t begin = offsetOf(groups.all[0]),
                 end = offsetOf(groups.all[groups.count - 1]) + a.bytes;
  const bool areSet = isWrite || (groups.rise && shadow.written.has(begin, end - begin));
  const LaneGroup *last = groups.end() - 1;
  for (const LaneGroup &group : groups) {
    const uint64_t offset = offsetOf(group);
    if (&group != last) // cells of all groups do not fit the host's first cache
      __builtin_prefetch(&shadow.cells[offsetOf((&group)[1]) / Cell::bytes], 1);
    bool isQuick = areSet || shadow.written.has(offset, a.bytes);
    for (uint64_t unit = offset / 8;
         shadow.hasBarriers && isQuick && unit <= (offset + a.bytes - 1) / 8; ++unit)
      isQuick = !shadow.barriers[unit];
    mine.lanes = group.lanes;
    if (!(isQuick && quick.noteQuickly(shadow.cells.data(), offset, a.bytes, mine))) {
      if (!oneByOne(a, group.lanes, [&](const sim::MemoryAccess &one) { return access(one); }))
        return false;
    } else if (isWrite)
      shadow.written.add(offset, a.bytes);
  }
  return true;
}

bool SharedAccesses::access(const sim::MemoryAccess &a) {
  if (!check(a))
    return false;
  if (values.isIdle(self.w.instruction()) || !a.owner->owns(a.host))
    return true;
  return values.store(a, self.shadowOf(*a.owner).shared.written,
                      uint64_t(a.host - a.owner->shared.data()));
}

bool SharedAccesses::check(const sim::MemoryAccess &a) {
  if (a.how == Access::GroupRead) // noted when its instruction ran, by productRead
    return true;
  const sim::Cta &owner = *a.owner;
  if (!owner.owns(a.host)) { // the system's own: it knows what it does, and threads meet there
    if (Access access = self.strength(a.how); row(access).strong)
      strong.access(a.host, access, a.lane);
    return true;
  }
  auto offset = uint32_t(a.host - owner.shared.data());
  uint32_t bytes = a.bytes;
  int lane = a.lane;
  SharedShadow &shadow = self.shadowOf(owner).shared;
  Access access = self.strength(a.how);
  const AccessRow &how = row(access);
  Site site{"shared", a.address, shadow.cells.data(), offset, bytes, nullptr, a.host};
  if (&owner != &self.w.cta && access != Access::MbarrierCopy &&
      access != Access::MbarrierSend) { // the copy's own bytes tell when it has ended
    Mark mine = self.markOf(access, lane);
    shadow.visits[{mine.agent, lane}] = mine;
    if (owner.isDone() && !reports.reportAt(lane, Error::BlockEnded, access, site, how.name,
                                            hex(a.address), owner.index.str()))
      return false;
  }
  if (access == Access::BulkRead) { // of the own block's memory, for another block's
    auto known = [&](const Mark &m) { return blockKnows(m); };
    if (constexpr size_t many = 64; shadow.copies.size() >= many)
      std::erase_if(shadow.copies, known);
    shadow.copies.push_back(self.markOf(access, lane));
  }
  if (isOfMbarrier(access)) {
    if (!mbarrier(owner, site, access, lane) || !how.writes)
      return !how.writes;
  } else
    for (uint32_t unit = offset / 8; unit <= (offset + bytes - 1) / 8 && bytes; ++unit)
      if (shadow.barriers[unit] &&
          !reports.reportAt(lane, Error::MbarrierTouched, access, site, how.name, hex(a.address)))
        return false;
  bool isLoad = access == Access::Read || access == Access::StrongRead;
  if (!(isLoad ? values.load(site, shadow.written, offset, a)
               : values.isWritten(site, shadow.written, offset, access, lane)))
    return false;
  if (how.strong && how.by == Agent::Thread)
    strong.access(a.host, access, lane);
  if (access == Access::Cas)
    swapping = site;
  else if (!note(site, access, lane))
    return false;
  if (how.writes)
    shadow.written.add(offset, bytes);
  if (access == Access::AsyncWrite)
    values.beginCopy(lane, shadow.written, offset);
  return true;
}

bool SharedAccesses::note(const Site &site, Access access, int lane) {
  const bool isStrong = row(access).strong;
  return races.note(site, self.markOf(access, lane), lane, [&](const Mark &m) {
    return knowledge.knows(m, lane) ||
           (isStrong && !row(m.how()).strong && strong.tells(site.host, m));
  });
}

bool SharedAccesses::noteSwap(const sim::Swap &s) {
  const bool goesOn = note(*swapping, s.wrote ? Access::Cas : Access::StrongRead, s.lane);
  swapping.reset();
  return goesOn;
}

/// An mbarrier may be initialised only where there is none, and used only by threads that know of
/// it.
bool SharedAccesses::mbarrier(const sim::Cta &owner, const Site &site, Access access, int lane) {
  if (row(access).writes) {
    std::vector<bool> &alive = self.shadowOf(owner).shared.barriers;
    size_t unit = site.offset / 8;
    bool again = access == Access::MbarrierInit && alive[unit];
    alive[unit] = access == Access::MbarrierInit;
    self.shadowOf(owner).shared.hasBarriers |= alive[unit];
    Mark mine =
        self.markOf(access, lane); // kernels let all lanes of a warp initialise an mbarrier at once
    for (const Mark &m : site.cells[site.offset / Cell::bytes].marks)
      again &= !(m.agent == mine.agent && m.clock == mine.clock && m.line == mine.line);
    if (access == Access::MbarrierInval)
      return endMbarrier(self.shadowOf(owner).shared, site, lane);
    return !again || reports.reportAt(lane, Error::MbarrierAgain, access, site, hex(site.address));
  }
  if (const Instruction &i = self.w.instruction();
      access == Access::Mbarrier && i.order != Order::Relaxed && i.row->name() == "mbarrier") {
    std::vector<Mark> &uses = self.shadowOf(owner).shared.uses[site.offset / 8];
    uses.resize(self.agents.warps);
    const Mark mine = self.markOf(access, lane);
    Mark &last = uses[self.index];
    last = last.clock == mine.clock && last.line == mine.line ? last : mine;
    last.lanes |= mine.lanes;
  }
  for (const Mark &m : site.cells[site.offset / Cell::bytes].marks) {
    if (!m.clock || m.how() != Access::MbarrierInit)
      continue;
    bool made = knowledge.knowsMade(m, lane);
    Error rule = made ? Error::MbarrierFence : Error::Race;
    if (made && (row(access).proxy == sim::Proxy::Generic || knowledge.isShown(m, access, lane) ||
                 isChosenByLibrary(self)))
      continue;
    if (!reports.add(lane, rule, access, &m, site))
      return false;
  }
  return true;
}

/// One lane of a warp may speak for others that have met it by a vote, as where libcu++ ends a
/// cuda::pipeline: it is enough that one of those who used the mbarrier is known.
bool SharedAccesses::endMbarrier(SharedShadow &shadow, const Site &site, int lane) {
  for (const Mark &m : std::exchange(shadow.uses[site.offset / 8], {})) {
    if (!m.clock || self.isOwn(m))
      continue;
    Mark one = m;
    bool known = false;
    for (Mask left = m.lanes; left && !known; left &= left - 1) {
      one.lanes = left & -left;
      known = knowledge.knows(one, lane);
    }
    if (!known && !reports.add(lane, Error::Race, Access::MbarrierInval, &m, site))
      return false;
  }
  return true;
}

bool SharedAccesses::blockKnows(const Mark &m) const {
  const uint32_t each = self.warpsOfBlock(), first = self.w.cta.rank * each;
  for (uint32_t warp = first; warp < first + each; ++warp)
    for (int lane = 0; lane < warpSize; ++lane)
      if (const WarpKnowledge *of = self.cluster->knowledge[warp]; of && of->knows(m, lane))
        return true;
  return false;
}

/// Nobody may come to its memory any more: threads of other blocks, and copies of its own that
/// other blocks are told of.
bool SharedAccesses::endBlock(int lane) {
  const SharedShadow &shadow = self.shadowOf(self.w.cta).shared;
  auto isOver = [&](const Mark &m) {
    return blockKnows(m) ||
           reports.add(lane, Error::BlockVisited, m.how(), &m, {"", 0, nullptr, 0, 0});
  };
  for (const auto &[who, m] : shadow.visits)
    if (!isOver(m))
      return false;
  return std::ranges::all_of(shadow.copies, isOver);
}

bool SharedAccesses::productRead(const sim::ProductRead &read) {
  SharedShadow &shadow = self.shadowOf(self.w.cta).shared;
  uint32_t offset = offsetOf(read.address);
  uint32_t first = self.index - self.w.index + self.w.index / WarpGroup::size * WarpGroup::size;
  Mark mine{self.base + self.groupAgent(), uint32_t(read.number),       read.warps,
            uint32_t(self.line()),         uint32_t(Access::GroupRead), 0};
  Site site{"shared", read.address, shadow.cells.data(), offset, read.bytes};
  if (!values.isWritten(site, shadow.written, offset, Access::GroupRead, 0))
    return false;
  return races.note(site, mine, 0, [&](const Mark &m) {
    if (m.agent == mine.agent)
      return true; // products of a group come one after the other
    for (uint32_t i = first; i < first + WarpGroup::size; ++i)
      if (!self.cluster->knowledge[i]->knowsWhole(m))
        return false;
    return true;
  });
}

bool SharedAccesses::endCopy(const sim::AsyncWork &work) {
  auto clock = uint32_t(work.number);
  int lane = work.lane;
  SharedShadow &shadow =
      self.cluster->blocks[uint32_t(work.address) >> sim::clusterRankShift].shared;
  const Blame blame(self, work.line);
  Mark asynchronous = self.markOf(Access::AsyncWrite, lane);
  Site site{"shared", work.address, shadow.cells.data(), offsetOf(work.address), work.bytes};
  return races.note(site, self.markOf(Access::AsyncEnded, lane), lane, [&](const Mark &m) {
    // Lanes that copy to the same place in one instruction left one mark together.
    return (m.agent == asynchronous.agent &&
            (m.clock == clock || (m.clock < clock && m.lanes == asynchronous.lanes))) ||
           knowledge.knows(m, lane);
  });
}

} // namespace tessera::sanitize
