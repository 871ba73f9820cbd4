// Partial sums of a tile, and who adds them up.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/kernels/gemm/SliceTeams.h"

#include "tessera/kernels/Errors.h"

#include <algorithm>

using namespace tessera;
using namespace tessera::dsl;
using namespace tessera::kernels;

void SliceTeams::check(const GemmConfig &c, int teams, Num tiles, Num slices, Tensor workspace,
                       Tensor counters) {
  Num sums = wide(tiles * slices) * i64(int64_t(c.tileM) * c.tileN),
      counts = wide(tiles) * i64(teams);
  dsl::check(wide(size(workspace, 0) + 1) > sums,
             fail(Error::GemmWorkspace, c.tileM, c.tileN).text);
  dsl::check(wide(size(counters, 0) + 1) > counts, fail(Error::GemmCounters, teams).text);
}

/// Where a thread puts its sums of a slice: four side by side, then those of the other threads.
Tensor SliceTeams::partial(const TilePosition &tile, Num slice, int from, int count) const {
  Num place = (tile.index * tile.slices + slice) * teams + team;
  Num first = wide(place) * i64(int64_t(threads) * values) + wide(thread * 4);
  Pointer at = offset(get_iter(workspace), first.promised(4));
  if (from)
    at = offset(at, from * threads);
  return make_tensor(at, make_layout(make_shape(4, count / 4), make_stride(1, 4 * threads)));
}

/// Counts this slice; the last sets the counter back. The barriers order what all threads wrote
/// before the first fence, and what they read after the second.
Num SliceTeams::comesLast(const TilePosition &tile) const {
  Num last = tile.slices - 1;
  barrier();
  If(thread == 0, [&] {
    Pointer counter = offset(get_iter(counters), tile.index * teams + team);
    fence_device();
    Num before = atomic_inc_wrap(counter, last);
    fence_device();
    dsl::store(before, flags, team);
  });
  barrier();
  return load(flags, team) == last;
}

void SliceTeams::store(const TilePosition &tile, Tensor sums,
                       const std::function<void()> &whole) const {
  auto part = [&](int from, int count) {
    Pointer first = get_iter(sums);
    return make_tensor(from ? offset(first, from) : first, make_layout(count));
  };
  store_vec(load_vec(part(0, values)), partial(tile, tile.slice, 0, values));
  If(comesLast(tile), [&] {
    for (int from = 0; from < values; from += atOnce) {
      int count = std::min(atOnce, values - from);
      Tensor to = part(from, count);
      store_vec(load_vec(partial(tile, i32(0), from, count)), to);
      For(1, tile.slices, 1, [&](Num slice) {
        Num sum = load_vec(to), more = load_vec(partial(tile, slice, from, count));
        store_vec(integer ? sum + more : add_rn(sum, more), to);
      });
    }
    whole();
  });
}
