// Puts lanes with the same address together.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/sanitize/LaneGroups.h"

#include <array>
#include <cstring>

namespace tessera::sanitize {

using sim::Mask;
using sim::warpSize;

LaneGroups::LaneGroups(const sim::WarpAccess &a) {
  // Where rows of a block are narrower than a warp, all of them read the same columns.
  int period = a.lanes == sim::allLanes ? warpSize : 0;
  Mask copies = 1; // of a lane
  for (int half; period > 1; period = half, copies |= copies << half) {
    half = period / 2;
    if (std::memcmp(a.addresses, a.addresses + half, size_t(half) * sizeof(*a.addresses)) != 0)
      break;
  }
  Mask same = 0, below = 0; // whose address is that of the lane before, or lower
  for (int lane = 1; lane < period; ++lane) {
    same |= Mask(a.addresses[lane] == a.addresses[lane - 1]) << lane;
    below |= Mask(a.addresses[lane] < a.addresses[lane - 1]) << lane;
  }
  if (period && !below) { // they rise, so equal ones follow each other
    rise = true;
    const Mask ofPeriod = sim::allLanes >> (warpSize - period);
    for (Mask firsts = ~same & ofPeriod; firsts; ++count) {
      const int lane = std::countr_zero(firsts);
      firsts &= firsts - 1;
      const Mask after = firsts ? ~Mask(0) << std::countr_zero(firsts) : ~ofPeriod;
      all[count] = {lane, ((~Mask(0) << lane) & ~after) * copies};
    }
    return;
  }
  constexpr uint32_t places = 64;
  constexpr uint8_t none = 255;
  std::array<uint8_t, places> table;
  table.fill(none);
  const int size = std::countr_zero(a.bytes); // which is a power of two
  for (Mask left = a.lanes; left; left &= left - 1) {
    const int lane = std::countr_zero(left);
    uint32_t place = uint32_t(a.addresses[lane] >> size) % places;
    while (table[place] != none && a.addresses[all[table[place]].first] != a.addresses[lane])
      place = (place + 1) % places;
    if (table[place] == none) {
      table[place] = uint8_t(count);
      all[count++] = {lane, 0};
    }
    all[table[place]].lanes |= Mask(1) << lane;
  }
}

} // namespace tessera::sanitize
