// LaneGroups: the lanes of a load or store, put together where they access the same bytes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lanes that access the same bytes in one instruction leave one mark, and so they are compared once
// with what came before. That is enough if all lanes of the warp know of it, or if it does no harm;
// if not, single lanes are checked, and reported.
#pragma once

#include "tessera/sim/Observer.h"

namespace tessera::sanitize {

struct LaneGroup {
  int first;
  sim::Mask lanes;
};

/// In the order of the first lane of each.
struct LaneGroups {
  explicit LaneGroups(const sim::WarpAccess &);

  const LaneGroup *begin() const { return all; }
  const LaneGroup *end() const { return all + count; }

  LaneGroup all[sim::warpSize];
  uint32_t count = 0;
  bool rise = false; // whether each lies after the one before
};

/// f(access) for each of some lanes, while it returns true. Returns whether it always did.
template <class F> bool oneByOne(const sim::WarpAccess &a, sim::Mask lanes, F f) {
  for (sim::Mask left = lanes; left; left &= left - 1)
    if (!f(a.of(std::countr_zero(left))))
      return false;
  return true;
}

} // namespace tessera::sanitize
