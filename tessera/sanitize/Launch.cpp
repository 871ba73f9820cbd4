// Keeps reports apart, and makes the shadow of a cluster.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/sanitize/Launch.h"

namespace tessera::sanitize {

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

std::shared_ptr<ClusterShadow> Launch::clusterOf(const sim::Warp &w) {
  const sim::Cluster &cluster = w.cta.cluster;
  std::lock_guard lock(mutex);
  std::weak_ptr<ClusterShadow> &kept = clusters[cluster.number()];
  if (std::shared_ptr<ClusterShadow> found = kept.lock())
    return found;
  auto made = std::make_shared<ClusterShadow>();
  uint32_t warps = uint32_t((grid.block.volume() + warpSize - 1) / warpSize),
           blocks = uint32_t(grid.cluster.volume());
  made->agents = {blocks * warps,
                  blocks * ((warps + sim::WarpGroup::size - 1) / sim::WarpGroup::size),
                  uses.tensors};
  made->firstAgent = uint32_t(cluster.number()) * made->agents.count();
  for (const auto &cta : cluster.ctas)
    made->blocks.emplace_back(cta->shared.size());
  made->watches.resize(made->agents.warps);
  kept = made;
  return made;
}

} // namespace tessera::sanitize
