// Partial sums of a tile, and who adds them up.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/kernels/sm90/GemmSplit.h"

#include "tessera/kernels/Errors.h"

using namespace tessera;
using namespace tessera::dsl;
using namespace tessera::kernels;
using namespace tessera::kernels::sm90;

static constexpr int groupThreads = GemmPlan::groupThreads, consumers = GemmPlan::consumers;

void SplitK::check(Num tiles, Num slices, Tensor workspace, Tensor counters) {
  Num sums = wide(tiles * slices) * i64(int64_t(GemmPlan::tileM) * c.tileN),
      counts = wide(tiles) * i64(consumers);
  dsl::check(wide(size(workspace, 0) + 1) > sums,
             fail(Error::GemmWorkspace, GemmPlan::tileM, c.tileN).text);
  dsl::check(wide(size(counters, 0) + 1) > counts, fail(Error::GemmCounters, consumers).text);
}

/// Where a thread puts its sums of a slice: four side by side, then those of the other threads.
Tensor SplitK::partial(Num consumer, const TilePosition &tile, Num slice) {
  Num place = (tile.index * tile.slices + slice) * consumers + consumer;
  Num first = wide(place) * i64(int64_t(GemmPlan::rowsOfConsumer) * c.tileN) +
              wide(s.index % groupThreads * 4);
  Pointer at = offset(get_iter(*s.given.extras.workspace), first.promised(4));
  return make_tensor(at,
                     make_layout(make_shape(4, values() / 4), make_stride(1, 4 * groupThreads)));
}

/// Counts this slice; the last sets the counter back. The barriers order what all threads wrote
/// before the first fence, and what they read after the second.
Num SplitK::comesLast(Num consumer, const TilePosition &tile) {
  Num last = tile.slices - 1, barrier = consumer + 1;
  Tensor flag =
      make_tensor(s.plan.memory.pointer(s.plan.flags, i32, {}, 4), make_layout(consumers));
  named_barrier(barrier, groupThreads);
  If(s.index % groupThreads == 0, [&] {
    Pointer counter = offset(get_iter(*s.given.extras.counters), tile.index * consumers + consumer);
    fence_device();
    Num before = atomic_inc_wrap(counter, last);
    fence_device();
    dsl::store(before, flag, consumer);
  });
  named_barrier(barrier, groupThreads);
  return load(flag, consumer) == last;
}

void SplitK::store(Num consumer, const TilePosition &tile, Tensor sums,
                   const std::function<void()> &whole) {
  Tensor all = make_tensor(get_iter(sums), make_layout(values()));
  store_vec(load_vec(all), partial(consumer, tile, tile.slice));
  If(comesLast(consumer, tile), [&] {
    store_vec(load_vec(partial(consumer, tile, i32(0))), all);
    For(1, tile.slices, 1, [&](Num slice) {
      Num sum = load_vec(all), more = load_vec(partial(consumer, tile, slice));
      store_vec(s.a.integer() ? sum + more : add_rn(sum, more), all);
    });
    whole();
  });
}
