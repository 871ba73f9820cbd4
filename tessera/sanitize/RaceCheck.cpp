// The quick comparison of whole warps' accesses, in which most kernels spend most of their time.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/sanitize/RaceCheck.h"

#include "tessera/sim/Rows.h"

namespace tessera::sanitize {

namespace {
constexpr uint64_t writers = [] {
  uint64_t bits = 0;
  for (size_t access = 0; access < std::size(sim::accesses); ++access)
    bits |= uint64_t(sim::accesses[access].writes) << access;
  return bits;
}();
constexpr bool isWrite(const Mark &m) { return writers >> m.access & 1; }
} // namespace

/// `visit` for a weak access that needs no report: all earlier accesses are known or harmless.
/// Reads stay until their place is needed.
bool RaceCheck::visitQuickly(Cell &cell, const Mark &mine) const {
  const bool writes = isWrite(mine);
  auto isSame = [&](const Mark &m) { // of one lane
    return m.lanes == mine.lanes && std::has_single_bit(mine.lanes);
  };
  const Known *near = knowledge.ofWarps();
  const uint32_t base = self.base, warps = self.agents.warps, index = self.index;
  auto isKnown = [&](const Mark &m) {
    const uint32_t local = m.agent - base;
    if (local >= warps) // no thread of the cluster
      return knowledge.allKnow(m);
    return near[local].covers(m.clock, m.lanes) || (local == index && isSame(m));
  };
  Mark *place = nullptr;
  for (Mark &m : cell.marks) {
    if (!m.clock) {
      place = place ? place : &m;
      continue;
    }
    if (m.agent == mine.agent && m.clock == mine.clock && m.access == mine.access) {
      if (m.bytes == mine.bytes && (m.line == mine.line || isSame(m))) {
        m.lanes |= mine.lanes;
        return true;
      }
      if (m.line == mine.line)
        continue;
    }
    if (!(m.bytes & mine.bytes) || !(writes || isWrite(m)))
      continue;
    if (!isKnown(m))
      return false;
    if (writes && !(m.bytes & ~mine.bytes)) {
      m = {};
      place = &m;
    }
  }
  for (size_t n = 4; !place && !writes && n--;)
    if (Mark &m = cell.marks[n]; m.agent - base < warps && near[m.agent - base].full >= m.clock &&
                                 !isWrite(m) && !(m.bytes & ~mine.bytes))
      place = &m; // all lanes know it
  for (size_t n = 4; !place && n--;)
    if (writes || !isWrite(cell.marks[n]) || !n)
      place = &cell.marks[n];
  *place = mine;
  return true;
}

bool RaceCheck::isChained(const Mark &mine, const Mark &before) const {
  const AccessRow &how = row(before.how());
  const bool isAtomic = mine.how() == Access::Atomic || mine.how() == Access::Cas;
  if (!isAtomic || !how.strong || how.by != Agent::Thread || how.proxy != sim::Proxy::Generic)
    return false;
  const sim::InstructionRow *of = self.w.instruction().row;
  return of && of->name() == "atom" && self.areMutual(mine, before);
}

/// Whether a store to shared memory writes the value that is there already: then it does no harm
/// that another thread did so at the same time, as threads do that clear a list together. For
/// global memory this cannot be told, as other threads of the host may write it meanwhile.
bool RaceCheck::storesTheSame(const Site &site, int lane) const {
  const sim::Instruction &i = self.w.instruction();
  if (!site.host || movesOf(i) != sim::Moves::Store || !i.listSize)
    return false;
  const uint32_t bytes = site.bytes / i.listSize;
  for (size_t k = 0; k < i.listSize; ++k) {
    const auto *lanes =
        self.w.in<std::byte>(i.list[k]); // registers are little-endian, as memory is
    const uint32_t width = std::max<uint32_t>(i.width, bytes);
    if (std::memcmp(lanes + size_t(lane) * width, site.host + k * bytes, bytes) != 0)
      return false;
  }
  return true;
}

} // namespace tessera::sanitize
