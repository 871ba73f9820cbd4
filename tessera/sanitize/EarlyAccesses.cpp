// Compares early accesses with what the launch before did.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/sanitize/EarlyAccesses.h"

namespace tessera::sanitize {

void EarlyAccesses::wait(Mask lanes) {
  waited |= lanes;
  if (self.launch.dependsOn)
    self.cluster->waits.push_back(
        {.agent = self.base + self.index, .clock = self.clock(Agent::Thread), .lanes = lanes});
}

/// What threads of other clusters have told is taken for a wait, so a race may be missed.
bool EarlyAccesses::isLate(int lane) {
  const bool isLate = waited >> lane & 1 || knowledge.knowsOthers(lane) ||
                      std::ranges::any_of(self.cluster->waits,
                                          [&](const Mark &m) { return knowledge.knows(m, lane); });
  if (isLate)
    waited |= Mask(1) << lane;
  return isLate;
}

bool EarlyAccesses::access(const sim::MemoryAccess &a, Access access) {
  if (!self.launch.dependsOn || isLate(a.lane))
    return true;
  const std::string with =
      self.launch.past->conflictWith(self.launch.dependsOn, a.address, a.bytes, access);
  return with.empty() || reports.reportAt(a.lane, Error::StreamRace, access,
                                          {"global", a.address, nullptr, 0, a.bytes, a.allocation},
                                          nameOf(access), a.bytes, "global", hex(a.address), with);
}

} // namespace tessera::sanitize
