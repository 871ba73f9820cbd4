// Keeps reports apart.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/sim/Report.h"

namespace tessera::sim {

bool Reports::add(Report report, int earlierLine, size_t most) {
  std::lock_guard lock(mutex);
  if (seen.emplace(report.rule, report.party.place.line, earlierLine).second && list.size() < most)
    list.push_back(std::move(report));
  return list.size() < most;
}

bool Reports::has(Error rule, int line, int earlierLine) {
  std::lock_guard lock(mutex);
  return seen.count({errors[size_t(rule)].id, line, earlierLine}) != 0;
}

} // namespace tessera::sim
