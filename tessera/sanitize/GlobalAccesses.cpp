// Checks accesses of global memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/sanitize/GlobalAccesses.h"

#include "tessera/sim/Rows.h"

namespace tessera::sanitize {

namespace {
/// Whether a load goes past what keeps memory coherent: it may give what was there before.
bool isNonCoherent(const Instruction &i) {
  return i.modes.choice && movesOf(i) == sim::Moves::Load;
}
bool isDiscard(const Instruction &i) { return i.row && i.row->name() == "discard"; }

/// f(mark) for each write of some bytes, until it is true; returns whether it was.
template <class F> bool anyWrite(const Cell *cells, uint64_t offset, uint64_t bytes, F f) {
  for (uint64_t at = offset, end = offset + bytes; at < end; at += Cell::bytes - at % Cell::bytes) {
    const uint64_t in = at % Cell::bytes, n = std::min(end - at, Cell::bytes - in);
    for (const Mark &m : cells[at / Cell::bytes].marks)
      if (m.clock && row(m.how()).writes && (m.bytes & ((1u << n) - 1) << in) && f(m))
        return true;
  }
  return false;
}
} // namespace

const Mark *GlobalAccesses::missedBy(const Site &site, int lane) const {
  const Mark *found = nullptr;
  anyWrite(site.cells, site.offset, site.bytes, [&](const Mark &m) {
    found = knowledge.knows(m, lane) ? &m : nullptr;
    return found != nullptr;
  });
  return found;
}

Written &GlobalAccesses::writtenOf(const sim::Allocation &allocation) {
  if (writtenAt != &allocation) {
    writtenAt = &allocation;
    written = &self.launch.written.of(allocation);
  }
  return *written;
}

const sim::GlobalVariable *GlobalAccesses::variableBefore(const sim::Allocation &allocation,
                                                          uint64_t address) const {
  const std::vector<sim::GlobalVariable> &all = self.w.grid.program.globals; // by their offsets
  if (allocation.start != self.w.grid.globals || all.empty())
    return nullptr;
  const uint64_t offset = address - allocation.start;
  auto after = std::upper_bound(
      all.begin() + 1, all.end(), offset,
      [](uint64_t at, const sim::GlobalVariable &variable) { return at < variable.offset; });
  return &*std::prev(after);
}

const sim::GlobalVariable *GlobalAccesses::passedVariable(const sim::Allocation &allocation,
                                                          uint64_t address, uint64_t bytes) const {
  const sim::GlobalVariable *before = variableBefore(allocation, address);
  const uint64_t offset = address - allocation.start;
  return before && offset - before->offset + bytes > before->size ? before : nullptr;
}

const sim::GlobalVariable *GlobalAccesses::constantOf(const sim::Allocation &allocation,
                                                      uint64_t address) const {
  const sim::GlobalVariable *before = variableBefore(allocation, address);
  return before && before->isConst ? before : nullptr;
}

bool GlobalAccesses::access(const sim::MemoryAccess &a) {
  if (!check(a))
    return false;
  return values.isIdle(self.w.instruction()) ||
         values.store(a, writtenOf(*a.allocation), a.address - a.allocation->start);
}

bool GlobalAccesses::check(const sim::MemoryAccess &a) {
  const sim::Allocation &allocation = *a.allocation;
  Written &wrote = writtenOf(allocation);
  uint64_t address = a.address, offset = address - allocation.start;
  uint32_t bytes = a.bytes;
  int lane = a.lane;
  Access access = self.strength(a.how);
  const AccessRow &how = row(access);
  if (const HeapMemory *heap = self.launch.written.heap();
      heap && allocation.start == heap->start && !heap->has(address, bytes))
    return reports.reportAt(lane, Error::HeapBounds, access, {"global", address, nullptr, 0, bytes},
                            nameOf(access), bytes, hex(address));
  if (const sim::GlobalVariable *passed = passedVariable(allocation, address, bytes))
    return reports.reportAt(
        lane, Error::VariableBounds, access, {"global", address, nullptr, 0, bytes}, nameOf(access),
        bytes, hex(address), passed->name, passed->size, hex(allocation.start + passed->offset));
  if (const sim::GlobalVariable *constant = how.writes ? constantOf(allocation, address) : nullptr)
    if (!reports.reportAt(lane, Error::ConstantWritten, access,
                          {"global", address, nullptr, 0, bytes}, nameOf(access), bytes,
                          hex(address), constant->name))
      return false;
  if (how.strong && how.by == Agent::Thread)
    strong.access(a.host, access, lane);
  if (how.strong && how.reads && self.launch.history)
    self.launch.meet(address, bytes);
  if (how.writes && allocation.residence != sim::Residence::Device)
    (how.strong ? self.launch.tells : self.launch.writesForHost) = true;
  if (!early.access(a, access))
    return false;
  const bool isLoad = access == Access::Read || access == Access::StrongRead;
  if (values.isCopying(lane))
    values.endCopy(wrote, offset, bytes);
  else if (isLoad &&
           !values.load({"global", address, nullptr, 0, bytes, &allocation}, wrote, offset, a))
    return false;
  Mark mine = self.markOf(access, lane);
  for (uint64_t at = address, end = address + bytes; at < end;) {
    uint64_t number = at / GlobalShadow::pageBytes, in = at % GlobalShadow::pageBytes,
             n = std::min(end - at, GlobalShadow::pageBytes - in);
    if (number != pageNumber) {
      page = &self.launch.shadow.page(at);
      pageNumber = number;
    }
    Site site{"global", at, page->cells, in, uint32_t(n), &allocation};
    std::unique_lock lock(page->mutex);
    if (!isLoad && !values.isWritten(site, wrote, at - allocation.start, access, lane))
      return false;
    if (const Mark *missed =
            isLoad && isNonCoherent(self.w.instruction()) ? missedBy(site, lane) : nullptr;
        missed && !reports.add(lane, Error::NonCoherent, access, missed, site))
      return false;
    if (access == Access::Cas) // aligned, so all of it
      swapping.emplace(site, a.host, std::move(lock));
    else if (!races.note(site, mine, lane,
                         [&](const Mark &m) { return knows(m, lane, how.strong, a.host); }))
      return false;
    at += n;
  }
  if (how.writes)
    isDiscard(self.w.instruction()) ? wrote.remove(offset, bytes) : wrote.add(offset, bytes);
  return true;
}

/// PTX ISA 8.4: atomic operations are writes if they result in one.
bool GlobalAccesses::noteSwap(const sim::Swap &s) {
  const bool goesOn =
      races.note(swapping->site, self.markOf(s.wrote ? Access::Cas : Access::StrongRead, s.lane),
                 s.lane, [&](const Mark &m) { return knows(m, s.lane, true, swapping->host); });
  swapping.reset();
  return goesOn;
}

bool GlobalAccesses::access(const sim::WarpAccess &a, const LaneGroups &groups) {
  auto single = [&](Mask lanes) {
    return oneByOne(a, lanes, [&](const sim::MemoryAccess &one) { return access(one); });
  };
  const HeapMemory *heap = self.launch.written.heap();
  if ((heap && a.allocation->start == heap->start) || !early.areLate(a.lanes))
    return single(a.lanes);
  const bool areVariables = a.allocation->start == self.w.grid.globals;
  for (const LaneGroup &group : groups)
    if (areVariables &&
        (passedVariable(*a.allocation, a.addresses[group.first], a.bytes) ||
         (a.how == Access::Write && constantOf(*a.allocation, a.addresses[group.first]))))
      return single(a.lanes);
  Written &wrote = writtenOf(*a.allocation);
  Mark mine = self.markOf(a.how, 0);
  const bool isWrite = a.how == Access::Write;
  if (isWrite && a.allocation->residence != sim::Residence::Device)
    self.launch.writesForHost = true;
  const bool isFresh = !isWrite && isNonCoherent(self.w.instruction()); // has to miss no write
  const RaceCheck &quick = races;                                       // read once for all groups
  std::unique_lock<std::mutex> lock;
  for (const LaneGroup &group : groups) {
    const uint64_t address = a.addresses[group.first], offset = address - a.allocation->start,
                   number = address / GlobalShadow::pageBytes,
                   in = address % GlobalShadow::pageBytes;
    bool isQuick =
        in + a.bytes <= GlobalShadow::pageBytes && (isWrite || wrote.has(offset, a.bytes));
    mine.lanes = group.lanes;
    if (isQuick) {
      if (number != pageNumber || !lock) {
        lock = {};
        if (number != pageNumber)
          page = &self.launch.shadow.page(address);
        pageNumber = number;
        lock = std::unique_lock(page->mutex);
      }
      isQuick =
          !(isFresh && anyWrite(page->cells, in, a.bytes, [](const Mark &) { return true; })) &&
          quick.noteQuickly(page->cells, in, a.bytes, mine);
    }
    if (!isQuick) {
      lock = {};
      if (!single(group.lanes))
        return false;
    } else if (isWrite)
      wrote.add(offset, a.bytes);
  }
  return true;
}

void GlobalAccesses::change(const sim::MemoryChange &c) {
  HeapMemory *heap = self.launch.written.heap();
  if (c.what == sim::MemoryChange::Freed)
    return heap->take(c.address);
  heap->give(c.address, c.bytes);
  const sim::Allocation *allocation = self.w.grid.memory.find(c.address);
  writtenOf(*allocation).remove(c.address - allocation->start, c.bytes);
  self.launch.shadow.forget(c.address, c.bytes);
}

} // namespace tessera::sanitize
