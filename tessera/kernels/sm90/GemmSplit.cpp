// Each consumer is a team.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/kernels/sm90/GemmSplit.h"

using namespace tessera;
using namespace tessera::dsl;
using namespace tessera::kernels;
using namespace tessera::kernels::sm90;

void SplitK::store(Num consumer, const TilePosition &tile, Tensor sums,
                   const std::function<void()> &whole) {
  constexpr int threads = GemmPlan::groupThreads, teams = GemmPlan::consumers;
  SliceTeams{.teams = teams,
             .threads = threads,
             .values = c.tileN / 2,
             .atOnce = c.tileN / 2,
             .integer = s.a.integer(),
             .workspace = *s.given.extras.workspace,
             .counters = *s.given.extras.counters,
             .flags =
                 make_tensor(s.plan.memory.pointer(plan.flags, i32, {}, 4), make_layout(teams)),
             .team = consumer,
             .thread = s.index % threads,
             .barrier = [&] { named_barrier(consumer + 1, threads); }}
      .store(tile, sums, whole);
}
