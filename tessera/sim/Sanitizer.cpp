// Compares each access of shared memory with the last ones of its bytes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/sim/Sanitizer.h"

#include "tessera/sim/Grid.h"

namespace tessera::sim {

namespace {
bool isWrite(Access access) { return access == Access::Write || access == Access::BulkWrite || access == Access::Atomic; }
bool isRead(Access access) { return access == Access::Read || access == Access::BulkRead || access == Access::GroupRead; }
bool isBulk(Access access) { return access == Access::BulkRead || access == Access::BulkWrite; }
} // namespace

bool Shadow::note(Warp &w, uint32_t offset, uint32_t bytes, Access access, uint64_t address, int lane) {
  if (access == Access::Atomic) {
    Clocks &clocks = atomics[offset];
    w.clocks.join(clocks);
    clocks.join(w.clocks);
  }
  uint32_t agent = w.agent() + (isBulk(access) ? w.cta.cluster.agents() : 0);
  Mark mark{agent, isBulk(access) ? w.bulkClock : w.clocks.seen[agent], w.line(), w.threadIndex(lane), access};
  auto ordered = [&](const Mark &before) { return !before.clock || w.clocks.seen[before.agent] >= before.clock; };
  auto race = [&](const Mark &before) {
    w.fault(lane, Error::SharedRace, nameOf(access), hex(address), nameOf(before.access), before.thread, before.line);
    return false;
  };
  for (uint32_t i = 0; i < bytes; ++i) {
    Cell &cell = cells[offset + i];
    if (isRead(access) && !cell.write.clock)
      return w.fault(lane, Error::SharedUnwritten, nameOf(access), bytes, hex(address), hex(address + i)), false;
    if (!(access == Access::Atomic && cell.write.access == Access::Atomic) && !ordered(cell.write))
      return race(cell.write);
    if (access == Access::Mbarrier) // who made it has to be known; among themselves they need no order
      continue;
    bool generic = cell.write.access == Access::Write || cell.write.access == Access::Atomic;
    if ((access == Access::BulkRead || access == Access::GroupRead) && generic &&
        w.clocks.proxied[cell.write.agent] < cell.write.clock)
      return w.fault(lane, Error::ProxyFence, nameOf(access), hex(address), cell.write.thread, cell.write.line), false;
    if (!isWrite(access)) {
      if (!ordered(cell.read)) {
        more[offset + i].push_back(cell.read);
        cell.hasMore = true;
      }
      cell.read = mark;
      continue;
    }
    if (!ordered(cell.read))
      return race(cell.read);
    if (cell.hasMore)
      for (const Mark &before : more[offset + i])
        if (!ordered(before))
          return race(before);
    if (cell.hasMore)
      more.erase(offset + i);
    cell = {mark, {}, false};
  }
  return true;
}

uint32_t Warp::agent() const { return cta.rank * uint32_t(cta.warps.size()) + index; }

void Warp::endBulk(Clocks &knows, uint32_t clock) const {
  if (!grid.limits.sanitize)
    return;
  uint32_t bulkAgent = cta.cluster.agents() + agent();
  knows.seen.resize(clocks.seen.size());
  knows.seen[bulkAgent] = std::max(knows.seen[bulkAgent], clock);
}
void Warp::release(Clocks &to) {
  if (!grid.limits.sanitize)
    return;
  to.join(clocks);
  tick();
}
void Warp::acquire(const Clocks &from) {
  if (grid.limits.sanitize)
    clocks.join(from);
}

} // namespace tessera::sim
