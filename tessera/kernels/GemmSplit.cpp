// Partial sums of a tile, and who adds them up.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/kernels/GemmSplit.h"

#include "tessera/kernels/Errors.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::dsl;
using namespace tessera::kernels;

void SplitK::check(Num tiles, Num slices, Value workspace, Value counters) {
  Num sums = k.wide(tiles * slices) * k.i64(int64_t(tileM) * c.tileN),
      counts = k.wide(tiles) * k.i64(consumers);
  k.check(k.wide(k.size(workspace, 0) + 1) > sums, fail(Error::GemmWorkspace, tileM, c.tileN).text);
  k.check(k.wide(k.size(counters, 0) + 1) > counts, fail(Error::GemmCounters, consumers).text);
}

/// Where a thread puts its sums of a slice: four side by side, then those of the other threads.
Value SplitK::partial(Num consumer, const Tile &tile, Num slice) {
  Num place = (tile.index * tile.slices + slice) * consumers + consumer;
  Num first =
      k.wide(place) * k.i64(int64_t(rowsOfConsumer) * c.tileN) + k.wide(s.tid % groupThreads * 4);
  Value at = k.offset(k.get_iter(s.extra(Extra::Workspace)), first, 4);
  return k.make_tensor(
      at, k.layout("(4," + Twine(values() / 4) + "):(1," + Twine(4 * groupThreads) + ")"));
}

/// Counts this slice; the last sets the counter back. The barriers order what all threads wrote
/// before the first fence, and what they read after the second.
Num SplitK::comesLast(Num consumer, const Tile &tile) {
  Num last = tile.slices - 1, barrier = consumer + 1;
  Value flag = k.make_tensor(
      k.recast_iter(k.offset(s.smem, s.plan.flags()), "!cute.ptr<i32, smem, align<4>>"),
      k.layout(Twine(consumers) + ":1"));
  k.named_barrier(barrier, groupThreads);
  k.If(s.tid % groupThreads == 0, [&] {
    Value counter =
        k.offset(k.get_iter(s.extra(Extra::Counters)), tile.index * consumers + consumer);
    k.fence_device();
    Num before = k.atomic_inc_wrap(counter, last);
    k.fence_device();
    k.store(before, flag, k.coord("?", consumer.v));
  });
  k.named_barrier(barrier, groupThreads);
  return k.num(k.load(flag, k.coord("?", consumer.v))) == last;
}

void SplitK::store(Num consumer, const Tile &tile, Value sums, const std::function<void()> &whole) {
  Value all = k.make_tensor(k.get_iter(sums), k.layout(Twine(values()) + ":1"));
  k.store_vec(k.load_vec(all), partial(consumer, tile, tile.slice));
  k.If(comesLast(consumer, tile), [&] {
    k.store_vec(k.load_vec(partial(consumer, tile, k.i32(0))), all);
    k.For(k.i32(1), tile.slices, k.i32(1), {}, [&](Num slice, ValueRange) {
      Value sum = k.load_vec(all), more = k.load_vec(partial(consumer, tile, slice));
      k.store_vec(s.integer() ? Value(arith::AddIOp::create(k.b, k.loc, sum, more))
                              : Value(arith::AddFOp::create(k.b, k.loc, sum, more)),
                  all);
      return Nums();
    });
    whole();
  });
}
