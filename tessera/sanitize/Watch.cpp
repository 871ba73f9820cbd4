// Tells events apart, and compares each access of memory with the earlier ones of its bytes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/sanitize/Watch.h"

#include "tessera/sim/Atomic.h"

namespace tessera::sanitize {

namespace {
/// The offset of an address of shared memory from the start of its block's.
uint32_t offsetOf(uint64_t address) {
  return (uint32_t(address) & ((1u << sim::clusterRankShift) - 1)) - sim::sharedStart;
}
} // namespace

//===--- Events ------------------------------------------------------------------------------===//

Watch::Watch(Launch &launch, const Warp &w)
    : w(w), launch(launch), cluster(launch.clusterOf(w)), agents(cluster->agents),
      base(cluster->firstAgent),
      index(w.cta.rank * (agents.warps / uint32_t(cluster->blocks.size())) + w.index),
      maps{std::vector<Known>(agents.warps), {}}, unset(w) {
  common.prepare(agents);
  cluster->watches[index] = this;
}

/// Lanes have to come to .aligned instructions together, and wgmma's registers are its own.
bool Watch::onExecute(const sim::Execute &e) {
  if (!looks.empty())
    look();
  element = 0;
  if (!unset.isIdle(e.instruction))
    if (auto use = unset.run(e.instruction, e.active, e.fragment); use && !reportUnset(*use))
      return false;
  int lane = std::countr_zero(e.active);
  if (e.instruction.aligned && e.fragment != e.active) {
    if (!report(lane, Error::AlignedGuard, hex(e.active), hex(e.fragment & ~e.active)))
      return false;
  } else if (e.instruction.aligned && (w.live & ~e.active))
    return true; // they come again when all are there
  return touch(w.pc, lane);
}

bool Watch::onSkip(const sim::Skip &s) {
  if (unset.isIdle(s.instruction))
    return true;
  auto use = unset.run(s.instruction, 0, s.fragment);
  return !use || reportUnset(*use);
}

bool Watch::onAccess(const sim::MemoryAccess &a) {
  switch (a.space) {
  case sim::Space::Shared: return shared(a) && storeUnset(a);
  case sim::Space::Local: return local(a) && storeUnset(a);
  case sim::Space::Param: return true;
  default: return global(a) && storeUnset(a);
  }
}

bool Watch::onEnd(const sim::End &e) {
  if (e.what == sim::End::Stuck)
    apart();
  if (e.what == sim::End::Block)
    return endBlock(std::countr_zero(e.lanes));
  for (Mask left = e.what == sim::End::Threads ? e.lanes : 0; left; left &= left - 1)
    if (int lane = std::countr_zero(left); !w.bulk[lane].pending.empty())
      if (!report(lane, Error::BulkPending, w.bulk[lane].pending.size()))
        return false;
  return true;
}

//===--- Marks -------------------------------------------------------------------------------===//

Mark Watch::markOf(Access access, int lane) const {
  const AccessRow &how = row(access);
  bool isTensor = how.by >= Agent::TensorLoad;
  uint32_t clock = how.by == Agent::Thread      ? now
                   : how.by == Agent::AsyncCopy ? asyncs
                   : isTensor                   ? begun(how.by)
                                                : copies;
  return {base + uint32_t(how.by) * agents.warps + index,
          clock,
          Mask(1) << lane,
          uint32_t(line()),
          uint32_t(access),
          0};
}

/// Loads and stores are strong if their instruction says so.
Access Watch::strength(Access access) const {
  if (access == Access::Atomic && w.instruction().modes.choice == sim::Cas)
    return Access::Cas;
  if (access != Access::Read && access != Access::Write)
    return access;
  bool weak = w.instruction().order == Order::Weak;
  return weak ? access : access == Access::Read ? Access::StrongRead : Access::StrongWrite;
}

bool Watch::covers(const Clocks &clocks, Channel channel, const Mark &m) const {
  uint32_t local = m.agent - base;
  const Known *known = nullptr;
  if (local < agents.count()) {
    const auto &near = clocks.near[size_t(channel)];
    known = local < near.size() ? &near[local] : nullptr;
  } else if (auto found = clocks.far.find(m.agent); found != clocks.far.end())
    known = &found->second[size_t(channel)];
  if (!known)
    return false;
  Agent by = row(m.how()).by;
  return by == Agent::Copy || by == Agent::StoreSource ? known->coversCopy(m.clock)
                                                       : known->covers(m.clock, m.lanes);
}

bool Watch::knows(const Mark &m, int lane) const {
  if (m.agent == base + index) {
    Mask others = m.lanes & ~(Mask(1) << lane);
    if (!others || own[lane].covers(m.clock, others))
      return true;
  }
  return covers(common, Channel::Seen, m) ||
         (extra[lane] && covers(*extra[lane], Channel::Seen, m));
}

bool Watch::knowsMade(const Mark &m, int lane) const {
  return knows(m, lane) || (m.agent == base + index ? ownInits.covers(m.clock, m.lanes)
                                                    : covers(common, Channel::Inits, m));
}

/// Whether all lanes know of the access.
bool Watch::knowsWhole(const Mark &m) const {
  if (covers(common, Channel::Seen, m))
    return true;
  for (Mask left = w.live; left; left &= left - 1) // each may have learned of it by itself
    if (!knows(m, std::countr_zero(left)))
      return false;
  return true;
}

bool Watch::isShown(const Mark &m, Access to, int lane) const {
  if (row(to).proxy == sim::Proxy::TensorMap)
    return maps.covers(m, base) ||
           std::ranges::any_of(cluster->blocks[w.cta.rank].mapFences, [&](const MapFence &f) {
             return f.maps.covers(m, base) && knows(f.fence, lane);
           });
  return covers(common, Channel::Async, m) ||
         (to == Access::MbarrierCopy && covers(common, Channel::Inits, m));
}

namespace {
/// What `cp.async` copied is in shared memory when it has ended, and products read it there.
/// CUTLASS (sm90_mma_multistage_gmma_ss_warpspecialized.hpp) and Triton have no fence of proxies
/// between, though PTX ISA ("Async Proxy" of wgmma) asks for one after any write.
bool isInPlace(const Mark &product, const Mark &copy) {
  return copy.how() == Access::AsyncEnded &&
         (product.how() == Access::GroupRead || product.how() == Access::TensorRead);
}
} // namespace

template <class Knows>
bool Watch::visit(const Site &site, Cell &cell, Mark mine, int lane, Knows &knows) {
  const AccessRow &how = row(mine.how());
  Mark *place = nullptr;
  for (Mark &m : cell.marks) {
    if (!m.clock) {
      place = place ? place : &m;
      continue;
    }
    bool sameTime = m.agent == mine.agent && m.clock == mine.clock && m.access == mine.access;
    if (sameTime && m.bytes == mine.bytes && (m.lanes == mine.lanes || m.line == mine.line)) {
      m.lanes |= mine.lanes; // lanes that do the same at once, or again
      return true;
    }
    if (!(m.bytes & mine.bytes) || (sameTime && m.line == mine.line))
      continue;
    const AccessRow &before = row(m.how());
    bool known = knows(m), conflict = (how.writes || before.writes) &&
                                      !(how.strong && before.strong) && !isFirstLook(mine, m);
    if (conflict && !known && mine.how() == Access::Write && m.how() == Access::Write)
      conflict = !storesTheSame(site, lane);
    if (conflict && !known && !add(lane, raceRule(m), mine.how(), &m, site))
      return false;
    bool hidden = how.proxy != sim::Proxy::Generic && how.reads && before.writes &&
                  before.proxy == sim::Proxy::Generic && !isInPlace(mine, m);
    if (known && hidden && !isShown(m, mine.how(), lane))
      if (Error rule = how.proxy == sim::Proxy::Async ? Error::ProxyFence : Error::MapFence;
          !add(lane, rule, mine.how(), &m, site))
        return false;
    if ((known || conflict) && !(m.bytes & ~mine.bytes) && (how.writes || !before.writes)) {
      m = {};
      place = &m;
    }
  }
  for (size_t i = 4; !place && i--;)
    if (how.writes || !row(cell.marks[i].how()).writes || !i)
      place = &cell.marks[i];
  *place = mine;
  return true;
}

template <class Knows> bool Watch::note(const Site &site, Mark mine, int lane, Knows knows) {
  for (uint64_t at = site.offset, end = at + site.bytes; at < end;) {
    uint64_t in = at % Cell::bytes, n = std::min(end - at, Cell::bytes - in);
    mine.bytes = uint32_t(((1u << n) - 1) << in) & 15;
    Cell &cell = site.cells[at / Cell::bytes];
    auto again = [&](const Mark &m) { return std::memcmp(&m, &mine, sizeof(Mark)) == 0; };
    bool noted = again(cell.marks[0]) || again(cell.marks[1]) || again(cell.marks[2]) ||
                 again(cell.marks[3]);
    if (!noted && !visit(site, cell, mine, lane,
                         knows)) // what was there before the same access was compared with it then
      return false;
    at += n;
  }
  return true;
}

bool Watch::noteTensor(const Site &site, const Mark &mine, int lane) {
  return note(site, mine, lane, [&](const Mark &m) { return knowsTensor(m, mine, lane); });
}

/// The value that an exchange reads is not used as a number.
bool Watch::isWritten(const Site &site, const Written &written, uint64_t first, Access access,
                      int lane) {
  if (!row(access).reads || (access == Access::Atomic && w.instruction().modes.choice == sim::Exch))
    return true;
  uint64_t end = first + site.bytes, missing = written.firstMissing(first, site.bytes);
  bool isLoad = access == Access::Read || access == Access::StrongRead;
  auto isUnused = [&] {
    return missing - first < 32 && !(w.instruction().usedBytes >> (missing - first) & 1);
  };
  while (isLoad && missing < end && isUnused())
    missing = written.firstMissing(missing + 1, end - missing - 1);
  return missing == end || add(lane, Error::Unwritten, access, nullptr, site, missing - first);
}

//===--- Spaces ------------------------------------------------------------------------------===//

bool Watch::shared(const sim::MemoryAccess &a) {
  if (a.how == Access::GroupRead) // noted when its instruction ran, by onProductRead
    return true;
  const sim::Cta &owner = *a.owner;
  if (!owner.owns(a.host)) { // the system's own: it knows what it does, and threads meet there
    if (Access access = strength(a.how); row(access).strong)
      order(a.host, access, a.lane);
    return true;
  }
  auto offset = uint32_t(a.host - owner.shared.data());
  uint32_t bytes = a.bytes;
  int lane = a.lane;
  SharedShadow &shadow = shadowOf(owner).shared;
  Access access = strength(a.how);
  const AccessRow &how = row(access);
  Site site{"shared", a.address, shadow.cells.data(), offset, bytes, nullptr, a.host};
  if (&owner != &w.cta &&
      access != Access::MbarrierCopy) { // the copy's own bytes tell when it has ended
    Mark mine = markOf(access, lane);
    shadow.visits[{mine.agent, lane}] = mine;
    if (owner.isDone() && !reportAt(lane, Error::BlockEnded, access, site, how.name, hex(a.address),
                                    owner.index.str()))
      return false;
  }
  if (isOfMbarrier(access)) {
    if (!mbarrier(owner, site, access, lane) || !how.writes)
      return !how.writes;
  } else
    for (uint32_t unit = offset / 8; unit <= (offset + bytes - 1) / 8 && bytes; ++unit)
      if (shadow.barriers[unit] &&
          !reportAt(lane, Error::MbarrierTouched, access, site, how.name, hex(a.address)))
        return false;
  bool isLoad = access == Access::Read || access == Access::StrongRead;
  if (!(isLoad ? loadUnset(site, shadow.written, offset, a)
               : isWritten(site, shadow.written, offset, access, lane)))
    return false;
  if (how.strong && how.by == Agent::Thread)
    order(a.host, access, lane);
  if (!note(site, markOf(access, lane), lane, [&](const Mark &m) { return knows(m, lane); }))
    return false;
  if (how.writes)
    shadow.written.add(offset, bytes);
  if (access == Access::AsyncWrite)
    asyncTarget = {&w.instruction(), lane, &shadow.written, offset};
  return true;
}

/// An mbarrier may be initialised only where there is none, and used only by threads that know of
/// it.
bool Watch::mbarrier(const sim::Cta &owner, const Site &site, Access access, int lane) {
  if (row(access).writes) {
    std::vector<bool> &alive = shadowOf(owner).shared.barriers;
    size_t unit = site.offset / 8;
    bool again = access == Access::MbarrierInit && alive[unit];
    alive[unit] = access == Access::MbarrierInit;
    shadowOf(owner).shared.hasBarriers |= alive[unit];
    Mark mine =
        markOf(access, lane); // kernels let all lanes of a warp initialise an mbarrier at once
    for (const Mark &m : site.cells[site.offset / Cell::bytes].marks)
      again &= !(m.agent == mine.agent && m.clock == mine.clock && m.line == mine.line);
    return !again || reportAt(lane, Error::MbarrierAgain, access, site, hex(site.address));
  }
  for (const Mark &m : site.cells[site.offset / Cell::bytes].marks) {
    if (!m.clock || m.how() != Access::MbarrierInit)
      continue;
    bool made = knowsMade(m, lane);
    Error rule = made ? Error::MbarrierFence : Error::Race;
    if (!(made && (row(access).proxy == sim::Proxy::Generic || isShown(m, access, lane))) &&
        !add(lane, rule, access, &m, site))
      return false;
  }
  return true;
}

Written &Watch::writtenOf(const sim::Allocation &allocation) {
  if (writtenAt != &allocation) {
    writtenAt = &allocation;
    written = &launch.written.of(allocation);
  }
  return *written;
}

const sim::GlobalVariable *Watch::passedVariable(const sim::Allocation &allocation,
                                                 uint64_t address, uint64_t bytes) const {
  const std::vector<sim::GlobalVariable> &all = w.grid.program.globals; // by their offsets
  if (allocation.start != w.grid.globals || all.empty())
    return nullptr;
  const uint64_t offset = address - allocation.start;
  auto after = std::upper_bound(
      all.begin() + 1, all.end(), offset,
      [](uint64_t at, const sim::GlobalVariable &variable) { return at < variable.offset; });
  const sim::GlobalVariable &before = *std::prev(after);
  return offset - before.offset + bytes > before.size ? &before : nullptr;
}

bool Watch::global(const sim::MemoryAccess &a) {
  const sim::Allocation &allocation = *a.allocation;
  Written &wrote = writtenOf(allocation);
  uint64_t address = a.address, offset = address - allocation.start;
  uint32_t bytes = a.bytes;
  int lane = a.lane;
  Access access = strength(a.how);
  const AccessRow &how = row(access);
  if (const HeapMemory *heap = launch.written.heap();
      heap && allocation.start == heap->start && !heap->has(address, bytes))
    return reportAt(lane, Error::HeapBounds, access, {"global", address, nullptr, 0, bytes},
                    nameOf(access), bytes, hex(address));
  if (const sim::GlobalVariable *passed = passedVariable(allocation, address, bytes))
    return reportAt(lane, Error::VariableBounds, access, {"global", address, nullptr, 0, bytes},
                    nameOf(access), bytes, hex(address), passed->name, passed->size,
                    hex(allocation.start + passed->offset));
  if (how.strong && how.by == Agent::Thread)
    order(a.host, access, lane);
  if (how.strong && how.reads && launch.history)
    launch.meet(address, bytes);
  if (how.writes && allocation.residence != sim::Residence::Device)
    (how.strong ? launch.tells : launch.writesForHost) = true;
  const bool isLoad = access == Access::Read || access == Access::StrongRead;
  if (asyncTarget.instruction == &w.instruction() && asyncTarget.lane == lane)
    copyUnset(wrote, offset, bytes);
  else if (isLoad &&
           !loadUnset({"global", address, nullptr, 0, bytes, &allocation}, wrote, offset, a))
    return false;
  Mark mine = markOf(access, lane);
  for (uint64_t at = address, end = address + bytes; at < end;) {
    uint64_t number = at / GlobalShadow::pageBytes, in = at % GlobalShadow::pageBytes,
             n = std::min(end - at, GlobalShadow::pageBytes - in);
    if (number != pageNumber) {
      page = &launch.shadow.page(at);
      pageNumber = number;
    }
    Site site{"global", at, page->cells, in, uint32_t(n), &allocation};
    std::lock_guard lock(page->mutex);
    if (!isLoad && !isWritten(site, wrote, at - allocation.start, access, lane))
      return false;
    if (!note(site, mine, lane, [&](const Mark &m) { return knows(m, lane); }))
      return false;
    at += n;
  }
  if (how.writes)
    wrote.add(offset, bytes);
  return true;
}

bool Watch::endBlock(int lane) {
  uint32_t each = agents.warps / uint32_t(cluster->blocks.size()), first = w.cta.rank * each;
  for (const auto &[who, m] : shadowOf(w.cta).shared.visits) {
    bool known = false;
    for (uint32_t warp = first; warp < first + each; ++warp)
      for (int other = 0; other < warpSize && !known; ++other)
        known = cluster->watches[warp]->knows(m, other);
    if (!known && !add(lane, Error::BlockVisited, m.how(), &m, {"", 0, nullptr, 0, 0}))
      return false;
  }
  return true;
}

bool Watch::onChange(const sim::MemoryChange &c) {
  if (c.space == sim::Space::Global) {
    HeapMemory *heap = launch.written.heap();
    if (c.what == sim::MemoryChange::Freed) {
      heap->take(c.address);
      return true;
    }
    heap->give(c.address, c.bytes);
    const sim::Allocation *allocation = w.grid.memory.find(c.address);
    writtenOf(*allocation).remove(c.address - allocation->start, c.bytes);
    launch.shadow.forget(c.address, c.bytes);
    return true;
  }
  if (c.what == sim::MemoryChange::Written)
    locals.resize(warpSize);
  for (size_t lane = 0; lane < locals.size(); ++lane) {
    if (!(c.lanes >> lane & 1))
      continue;
    Written &of = locals[lane];
    if (c.what == sim::MemoryChange::New) {
      of.remove(c.address, c.bytes);
      continue;
    }
    of.add(c.address, c.bytes);
    for (uint64_t at = 0; c.what == sim::MemoryChange::Copied && at < c.bytes; ++at)
      if (of.firstMissing(c.from + at, 1) != c.from + at + 1)
        of.remove(c.address + at, 1);
  }
  return true;
}

uint32_t Watch::groupAgent() const {
  uint32_t each = agents.groups / uint32_t(w.grid.cluster.volume());
  return agents.firstGroup() + w.cta.rank * each + w.index / WarpGroup::size;
}

/// By these of a group's four warps, all of whom come to the product.
bool Watch::onProductRead(const sim::ProductRead &read) {
  SharedShadow &shadow = shadowOf(w.cta).shared;
  uint32_t offset = offsetOf(read.address);
  uint32_t first = index - w.index + w.index / WarpGroup::size * WarpGroup::size;
  Mark mine{base + groupAgent(), uint32_t(read.number),       read.warps,
            uint32_t(line()),    uint32_t(Access::GroupRead), 0};
  Site site{"shared", read.address, shadow.cells.data(), offset, read.bytes};
  if (!isWritten(site, shadow.written, offset, Access::GroupRead, 0))
    return false;
  return note(site, mine, 0, [&](const Mark &m) {
    if (m.agent == mine.agent)
      return true; // products of a group come one after the other
    for (uint32_t i = first; i < first + WarpGroup::size; ++i)
      if (!cluster->watches[i]->knowsWhole(m))
        return false;
    return true;
  });
}

bool Watch::endAsync(const sim::AsyncWork &work) {
  auto clock = uint32_t(work.number);
  int lane = work.lane;
  SharedShadow &shadow = cluster->blocks[uint32_t(work.address) >> sim::clusterRankShift].shared;
  int32_t before = std::exchange(blamed, work.line);
  Mark asynchronous = markOf(Access::AsyncWrite, lane);
  Site site{"shared", work.address, shadow.cells.data(), offsetOf(work.address), work.bytes};
  bool fine = note(site, markOf(Access::AsyncEnded, lane), lane, [&](const Mark &m) {
    // Lanes that copy to the same place in one instruction left one mark together.
    return (m.agent == asynchronous.agent &&
            (m.clock == clock || (m.clock < clock && m.lanes == asynchronous.lanes))) ||
           knows(m, lane);
  });
  blamed = before;
  return fine;
}

/// Registers of up to 64 bits are followed.
bool Watch::loadUnset(const Site &site, const Written &from, uint64_t first,
                      const sim::MemoryAccess &a) {
  const Instruction &i = w.instruction();
  if (movesOf(i) != sim::Moves::Load || !i.listSize || i.width > 8) {
    if (!movesFragment(i))
      return isWritten(site, from, first, strength(a.how), a.lane);
    const size_t e = element++;
    if (uint64_t missing = from.firstMissing(first, a.bytes); missing != first + a.bytes)
      unset.loadElement(
          i, e,
          {site.space, a.address, a.address + missing - first, a.bytes, w.line(), strength(a.how)});
    return true;
  }
  if (from.firstMissing(first, a.bytes) == first + a.bytes)
    return true;
  const uint32_t bytes = a.bytes / i.listSize;
  for (uint32_t k = 0; k < i.listSize; ++k) {
    UnsetBits bits;
    for (uint32_t byte = 0; byte < bytes; ++byte) {
      uint32_t at = k * bytes + byte;
      // nvcc notes which bytes of a load are not used.
      if ((at < 32 && !(i.usedBytes >> at & 1)) || from.firstMissing(first + at, 1) != first + at)
        continue;
      if (!bits.bits)
        bits.origin = {site.space, a.address, a.address + at, a.bytes, w.line(), strength(a.how)};
      bits.bits |= uint64_t(255) << 8 * byte;
    }
    // The bits by which it is extended are set, or copies of the sign.
    if (bits.bits && i.width > bytes && sim::isSigned(i.modes.from) &&
        bits.bits >> (8 * bytes - 1) & 1)
      bits.bits |= ~uint64_t(0) << 8 * bytes;
    unset.load(i.list[k], a.lane, bits);
  }
  return true;
}

void Watch::copyUnset(const Written &from, uint64_t first, uint32_t bytes) {
  for (uint64_t byte = 0; byte < bytes; ++byte)
    if (from.firstMissing(first + byte, 1) == first + byte)
      asyncTarget.written->remove(asyncTarget.offset + byte, 1);
  asyncTarget = {};
}

Report Watch::unsetReport(const UnsetUse &use) {
  const UnsetOrigin &from = use.origin;
  const int32_t before = std::exchange(blamed, from.line);
  if (from.from >= 0) {
    Report report = reportOf(use.lane, fail(Error::ShuffledFrom, from.from), {});
    blamed = before;
    return report;
  }
  const sim::Allocation *allocation =
      from.space == "global" ? w.grid.memory.find(from.address) : nullptr;
  const Site site{from.space, from.address, nullptr, 0, from.bytes, allocation};
  Report report = reportOf(use.lane,
                           fail(Error::Unwritten, nameOf(from.access), from.bytes, from.space,
                                hex(from.address), hex(from.missing), ""),
                           {.access = from.access, .site = &site});
  blamed = before;
  return report;
}

bool Watch::reportUnset(const UnsetUse &use) {
  const Error rule = use.origin.from < 0 ? Error::Unwritten : Error::ShuffledFrom;
  return !launch.wants(rule, use.origin.line, 0) || launch.report(unsetReport(use));
}

bool Watch::storeUnset(const sim::MemoryAccess &a) {
  const Instruction &i = w.instruction();
  if (unset.isIdle(i) || !row(a.how).writes)
    return true;
  const bool isFragment = movesFragment(i);
  if (!isFragment && (movesOf(i) != sim::Moves::Store || i.modes.choice))
    return true;
  if (a.space == sim::Space::Shared && !a.owner->owns(a.host))
    return true;
  if (isFragment)
    return storeUnset(a, 0, a.bytes, unset.elementAt(i, element++));
  const uint32_t bytes = a.bytes / i.listSize;
  for (uint32_t k = 0; k < i.listSize && bytes <= 8; ++k)
    if (!storeUnset(a, k * bytes, bytes, unset.at(i.list[k], a.lane)))
      return false;
  return true;
}

/// Some bytes of a store.
bool Watch::storeUnset(const sim::MemoryAccess &a, uint32_t first, uint32_t bytes, UnsetBits from) {
  auto forget = [&](uint64_t at) {
    switch (a.space) {
    case sim::Space::Local: return locals[size_t(a.lane)].remove(a.address + at, 1);
    case sim::Space::Shared:
      return shadowOf(*a.owner).shared.written.remove(
          uint64_t(a.host - a.owner->shared.data()) + at, 1);
    default: return writtenOf(*a.allocation).remove(a.address - a.allocation->start + at, 1);
    }
  };
  const uint64_t stored = bytes == 8 ? ~uint64_t(0) : (uint64_t(1) << 8 * bytes) - 1;
  if (!(from.bits &= stored))
    return true;
  if (a.space != sim::Space::Local && a.space != sim::Space::Shared) {
    if (from.isComputed)
      return reportUnset({a.lane, from.origin});
    if (from.bits == stored && launch.suspects.wants(from.origin.line, line()))
      launch.suspects.add({a.address + first, bytes, base + index, a.lane, w.cta.index.str(),
                           w.threadName(a.lane), from.origin});
  }
  for (uint32_t byte = 0; byte < bytes; ++byte)
    if ((from.bits >> 8 * byte & 255) == 255)
      forget(first + byte);
  return true;
}

bool Watch::local(const sim::MemoryAccess &a) {
  if (locals.empty())
    locals.resize(warpSize);
  Written &of = locals[size_t(a.lane)];
  if (row(a.how).writes) {
    of.add(a.address, a.bytes);
    return true;
  }
  return loadUnset({"local", a.address, nullptr, 0, a.bytes}, of, a.address, a);
}

} // namespace tessera::sanitize
