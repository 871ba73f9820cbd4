// RaceCheck: compares an access with the earlier ones of its bytes, and records it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An earlier access that conflicts has to be known to the thread that now accesses the bytes
// (WarpKnowledge.h). What was written for another proxy has to be shown to it too.
#pragma once

#include "tessera/sanitize/WarpKnowledge.h"
#include "tessera/sanitize/WarpReports.h"

#include <cstring>

namespace tessera::sanitize {

class RaceCheck {
public:
  RaceCheck(const WatchedWarp &self, const WarpKnowledge &knowledge, WarpReports &reports)
      : self(self), knowledge(knowledge), reports(reports) {}

  /// By a lane, or by what accesses for it. `knows(mark)` says whether that knows of an earlier
  /// access, and `rule(mark)` what is missing if it does not. False if there are reports enough.
  template <class Knows, class Rule>
  bool note(const Site &, Mark, int lane, const Knows &knows, const Rule &rule);
  template <class Knows> bool note(const Site &site, Mark mine, int lane, const Knows &knows) {
    return note(site, mine, lane, knows, [](const Mark &) { return Error::Race; });
  }

  /// By lanes that access the same bytes in one weak load or store: records it if all earlier
  /// accesses are known to all lanes or are harmless. Otherwise returns false; lanes must then be
  /// noted one by one.
  bool noteQuickly(Cell *cells, uint64_t offset, uint32_t bytes, Mark mine) const {
    mine.bytes = 15;
    if (bytes == Cell::bytes) // most are
      return visitQuickly(cells[offset / Cell::bytes], mine);
    for (uint64_t at = offset, end = offset + bytes; at < end;) {
      const uint64_t in = at % Cell::bytes, n = std::min(end - at, Cell::bytes - in);
      mine.bytes = uint32_t(((1u << n) - 1) << in) & 15;
      if (!visitQuickly(cells[at / Cell::bytes], mine))
        return false;
      at += n;
    }
    return true;
  }

private:
  template <class Knows, class Rule>
  bool visit(const Site &, Cell &, Mark mine, int lane, const Knows &, const Rule &);
  bool visitQuickly(Cell &, const Mark &mine) const;
  bool storesTheSame(const Site &, int lane) const;
  /// What `cp.async` copied is in shared memory when it has ended, and products read it there.
  /// CUTLASS (sm90_mma_multistage_gmma_ss_warpspecialized.hpp) and Triton have no fence of proxies
  /// between, though PTX ISA ("Async Proxy" of wgmma) asks for one after any write.
  static bool isInPlace(const Mark &product, const Mark &copy) {
    return copy.how() == Access::AsyncEnded &&
           (product.how() == Access::GroupRead || product.how() == Access::TensorRead);
  }

  /// Whether an atomic operation found the value of an earlier strong access. What its own thread
  /// writes next comes after that too, as the last block's reset of a counter, so its mark stands
  /// for both. PTX ISA 8.10, coherence. Without a result (red) nobody can rely on it.
  bool isChained(const Mark &mine, const Mark &before) const;

  const WatchedWarp &self;
  const WarpKnowledge &knowledge;
  WarpReports &reports;
};

template <class Knows, class Rule>
bool RaceCheck::visit(const Site &site, Cell &cell, Mark mine, int lane, const Knows &knows,
                      const Rule &rule) {
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
                                      !(how.strong && before.strong && self.areMutual(mine, m)) &&
                                      !isFirstLook(mine, m);
    if (conflict && !known && mine.how() == Access::Write && m.how() == Access::Write)
      conflict = !storesTheSame(site, lane);
    const Error missing = how.strong && before.strong ? Error::NarrowScope : rule(m);
    if (conflict && !known && !reports.add(lane, missing, mine.how(), &m, site))
      return false;
    bool hidden = how.proxy != sim::Proxy::Generic && how.reads && before.writes &&
                  before.proxy == sim::Proxy::Generic && !isInPlace(mine, m);
    if (known && hidden && !knowledge.isShown(m, mine.how(), lane))
      if (Error fence = how.proxy == sim::Proxy::Async ? Error::ProxyFence : Error::MapFence;
          !reports.add(lane, fence, mine.how(), &m, site))
        return false;
    // A strong access does not stand for a weak one: those of others conflict with that only.
    const bool replaces = known || conflict ? before.strong || !how.strong : isChained(mine, m);
    if (replaces && !(m.bytes & ~mine.bytes) && (how.writes || !before.writes)) {
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

template <class Knows, class Rule>
bool RaceCheck::note(const Site &site, Mark mine, int lane, const Knows &knows, const Rule &rule) {
  for (uint64_t at = site.offset, end = at + site.bytes; at < end;) {
    uint64_t in = at % Cell::bytes, n = std::min(end - at, Cell::bytes - in);
    mine.bytes = uint32_t(((1u << n) - 1) << in) & 15;
    Cell &cell = site.cells[at / Cell::bytes];
    auto again = [&](const Mark &m) { return std::memcmp(&m, &mine, sizeof(Mark)) == 0; };
    bool noted = again(cell.marks[0]) || again(cell.marks[1]) || again(cell.marks[2]) ||
                 again(cell.marks[3]);
    // What was there before the same access was compared with it then.
    if (!noted && !visit(site, cell, mine, lane, knows, rule))
      return false;
    at += n;
  }
  return true;
}

} // namespace tessera::sanitize
