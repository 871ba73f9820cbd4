// Weak loads and stores of whole warps, in which most kernels spend most of their time.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lanes that access the same bytes in one instruction leave one mark, and so they are compared once
// with what came before. That is enough if all lanes of the warp know of it, or if it does no harm;
// if not, Watch.cpp checks single lanes and reports.
#include "tessera/sanitize/Watch.h"

#include <cstring>

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

/// Watch::visit for a weak access that needs no report: all earlier accesses are known or harmless.
/// Reads stay until their place is needed.
bool Watch::visitQuickly(Cell &cell, const Mark &mine) {
  const bool writes = isWrite(mine), isOfOne = std::has_single_bit(mine.lanes);
  const Known *near = common.near[size_t(Channel::Seen)].data();
  auto isKnown = [&](const Mark &m) {
    const uint32_t local = m.agent - base;
    if (local >= agents.warps) // no thread of the cluster
      return covers(common, Channel::Seen, m);
    return near[local].covers(m.clock, m.lanes) ||
           (local == index && isOfOne && m.lanes == mine.lanes);
  };
  Mark *place = nullptr;
  for (Mark &m : cell.marks) {
    if (!m.clock) {
      place = place ? place : &m;
      continue;
    }
    if (m.agent == mine.agent && m.clock == mine.clock && m.access == mine.access) {
      if (m.bytes == mine.bytes && (m.line == mine.line || (isOfOne && m.lanes == mine.lanes))) {
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
    if (Mark &m = cell.marks[n]; m.agent - base < agents.warps &&
                                 near[m.agent - base].full >= m.clock && !isWrite(m) &&
                                 !(m.bytes & ~mine.bytes))
      place = &m; // all lanes know it
  for (size_t n = 4; !place && n--;)
    if (writes || !isWrite(cell.marks[n]) || !n)
      place = &cell.marks[n];
  *place = mine;
  return true;
}

bool Watch::noteQuickly(Cell *cells, uint64_t offset, uint32_t bytes, Mark mine) {
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

/// Whether a store to shared memory writes the value that is there already: then it does no harm
/// that another thread did so at the same time, as threads do that clear a list together. For
/// global memory this cannot be told, as other threads of the host may write it meanwhile.
bool Watch::storesTheSame(const Site &site, int lane) const {
  const sim::Instruction &i = w.instruction();
  if (!site.host || movesOf(i) != sim::Moves::Store || !i.listSize)
    return false;
  const uint32_t bytes = site.bytes / i.listSize;
  for (size_t k = 0; k < i.listSize; ++k) {
    const auto *lanes = w.in<std::byte>(i.list[k]); // registers are little-endian, as memory is
    const uint32_t width = std::max<uint32_t>(i.width, bytes);
    if (std::memcmp(lanes + size_t(lane) * width, site.host + k * bytes, bytes) != 0)
      return false;
  }
  return true;
}

/// Puts lanes with the same address together, in the order of the first of each.
Watch::Groups Watch::group(const sim::WarpAccess &a) {
  Groups out;
  Group *groups = out.all;
  uint32_t &count = out.count;
  // Where rows of a block are narrower than a warp, all of them read the same columns.
  int period = a.lanes == sim::allLanes ? warpSize : 0;
  Mask copies = 1; // of a lane
  for (int half; period > 1; period = half, copies |= copies << half) {
    half = period / 2;
    if (std::memcmp(a.addresses, a.addresses + half, size_t(half) * sizeof(*a.addresses)))
      break;
  }
  Mask same = 0, below = 0; // whose address is that of the lane before, or lower
  for (int lane = 1; lane < period; ++lane) {
    same |= Mask(a.addresses[lane] == a.addresses[lane - 1]) << lane;
    below |= Mask(a.addresses[lane] < a.addresses[lane - 1]) << lane;
  }
  if (period && !below) { // they rise, so equal ones follow each other
    out.rise = true;
    const Mask ofPeriod = sim::allLanes >> (warpSize - period);
    for (Mask firsts = ~same & ofPeriod; firsts; ++count) {
      const int lane = std::countr_zero(firsts);
      firsts &= firsts - 1;
      const Mask after = firsts ? ~Mask(0) << std::countr_zero(firsts) : ~ofPeriod;
      groups[count] = {lane, ((~Mask(0) << lane) & ~after) * copies};
    }
    return out;
  }
  constexpr uint32_t places = 64;
  constexpr uint8_t none = 255;
  std::array<uint8_t, places> table;
  table.fill(none);
  const int size = std::countr_zero(a.bytes); // which is a power of two
  for (Mask left = a.lanes; left; left &= left - 1) {
    const int lane = std::countr_zero(left);
    uint32_t place = uint32_t(a.addresses[lane] >> size) % places;
    while (table[place] != none && a.addresses[groups[table[place]].first] != a.addresses[lane])
      place = (place + 1) % places;
    if (table[place] == none) {
      table[place] = uint8_t(count);
      groups[count++] = {lane, 0};
    }
    groups[table[place]].lanes |= Mask(1) << lane;
  }
  return out;
}

bool Watch::oneByOne(const sim::WarpAccess &a, Mask lanes) {
  for (Mask left = lanes; left; left &= left - 1)
    if (!onAccess(a.of(std::countr_zero(left))))
      return false;
  return true;
}

bool Watch::sharedGroups(const sim::WarpAccess &a, const Groups &groups) {
  SharedShadow &shadow = shadowOf(w.cta).shared;
  Mark mine = markOf(a.how, 0);
  const bool isWrite = a.how == Access::Write;
  auto offsetOf = [&](const Group &group) {
    return uint64_t(a.hosts[group.first] - w.cta.shared.data());
  };
  const uint64_t begin = offsetOf(groups.all[0]),
                 end = offsetOf(groups.all[groups.count - 1]) + a.bytes;
  const bool areSet = isWrite || (groups.rise && shadow.written.has(begin, end - begin));
  const Group *last = groups.end() - 1;
  for (const Group &group : groups) {
    const uint64_t offset = offsetOf(group);
    if (&group != last) // cells of all groups do not fit the host's first cache
      __builtin_prefetch(&shadow.cells[offsetOf((&group)[1]) / Cell::bytes], 1);
    bool isQuick = areSet || shadow.written.has(offset, a.bytes);
    for (uint64_t unit = offset / 8;
         shadow.hasBarriers && isQuick && unit <= (offset + a.bytes - 1) / 8; ++unit)
      isQuick = !shadow.barriers[unit];
    mine.lanes = group.lanes;
    if (!(isQuick && noteQuickly(shadow.cells.data(), offset, a.bytes, mine))) {
      if (!oneByOne(a, group.lanes))
        return false;
    } else if (isWrite)
      shadow.written.add(offset, a.bytes);
  }
  return true;
}

bool Watch::globalGroups(const sim::WarpAccess &a, const Groups &groups) {
  const HeapMemory *heap = launch.written.heap();
  if (heap && a.allocation->start == heap->start)
    return oneByOne(a, a.lanes);
  for (const Group &group : groups)
    if (passedVariable(*a.allocation, a.addresses[group.first], a.bytes))
      return oneByOne(a, a.lanes);
  Written &wrote = writtenOf(*a.allocation);
  Mark mine = markOf(a.how, 0);
  const bool isWrite = a.how == Access::Write;
  if (isWrite && a.allocation->residence != sim::Residence::Device)
    launch.writesForHost = true;
  std::unique_lock<std::mutex> lock;
  for (const Group &group : groups) {
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
          page = &launch.shadow.page(address);
        pageNumber = number;
        lock = std::unique_lock(page->mutex);
      }
      isQuick = noteQuickly(page->cells, in, a.bytes, mine);
    }
    if (!isQuick) {
      lock = {};
      if (!oneByOne(a, group.lanes))
        return false;
    } else if (isWrite)
      wrote.add(offset, a.bytes);
  }
  return true;
}

bool Watch::onWarpAccess(const sim::WarpAccess &a) {
  if (a.space == sim::Space::Param)
    return true;
  const Instruction &i = w.instruction();
  const bool isShared = a.space == sim::Space::Shared && a.owner == &w.cta,
             isPlain = (a.how == Access::Read || a.how == Access::Write) && i.order == Order::Weak;
  if (!isPlain || !(isShared || a.space == sim::Space::Global) || !unset.isIdle(i))
    return oneByOne(a, a.lanes);

  const Groups groups = group(a);
  return isShared ? sharedGroups(a, groups) : globalGroups(a, groups);
}

} // namespace tessera::sanitize
