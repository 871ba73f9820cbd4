// What strong accesses leave at addresses, and take from there.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/sanitize/StrongAccesses.h"

namespace tessera::sanitize {

namespace {
/// The block, the cluster or the grid.
uint64_t instanceOf(const sim::Cta &cta, Scope scope) {
  uint64_t cluster = cta.cluster.number();
  return scope == Scope::Cta       ? cluster * cta.cluster.ctas.size() + cta.rank
         : scope == Scope::Cluster ? cluster
                                   : 0;
}
} // namespace

void StrongAccesses::access(const std::byte *host, Access access, int lane) {
  const Instruction &i = self.w.instruction();
  const AccessRow &how = row(access);
  GlobalShadow &shadow = self.launch.shadow;
  Mask mask = Mask(1) << lane;
  bool releases = i.order == Order::Release || i.order == Order::AcquireRelease;
  bool acquires = i.order == Order::Acquire || i.order == Order::AcquireRelease;
  if (how.reads)
    reads.push_back({host, mask, i.scope, acquires});
  if (!how.writes || (!releases && !knowledge.hasFenced(mask)))
    return;
  Clocks mine;
  knowledge.release(mine, mask, !releases);
  Scope scope = releases ? i.scope : std::min(i.scope, knowledge.scopeOfFence());
  std::lock_guard lock(shadow.mutex);
  shadow.hasReleases = true;
  auto &to = shadow.releases[host];
  for (Scope s : scopes)
    if (s <= scope)
      mine.leave(to[{s, instanceOf(self.w.cta, s)}], self.base, self.agents);
}

bool StrongAccesses::tells(const std::byte *host, const Mark &m) const {
  GlobalShadow &shadow = self.launch.shadow;
  if (!shadow.hasReleases)
    return false;
  std::lock_guard lock(shadow.mutex);
  auto at = shadow.releases.find(host);
  if (at == shadow.releases.end())
    return false;
  return std::ranges::any_of(at->second, [&](const auto &released) {
    auto found = released.second.far.find(m.agent);
    return found != released.second.far.end() && found->second[0].covers(m.clock, m.lanes);
  });
}

/// An access is reported before it happens, and in between another thread of the host may release
/// and write what this one then reads. So what a read learns is looked up after it, when the warp
/// comes to its next instruction: then at most too much is known, never too little.
void StrongAccesses::take() {
  GlobalShadow &shadow = self.launch.shadow;
  if (shadow.hasReleases) {
    std::lock_guard lock(shadow.mutex);
    for (const Read &read : reads)
      if (auto at = shadow.releases.find(read.host); at != shadow.releases.end())
        for (Scope s : scopes)
          if (auto found = at->second.find({s, instanceOf(self.w.cta, s)});
              s <= read.scope && found != at->second.end()) {
            Clocks met;
            met.enter(found->second, self.base, self.agents);
            knowledge.read(met, s, read.lanes, read.acquires);
          }
  }
  reads.clear();
}

} // namespace tessera::sanitize
