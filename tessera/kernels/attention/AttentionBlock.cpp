// Where a block is, its keys, and what scores become.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/kernels/attention/AttentionBlock.h"

#include <limits>

using namespace tessera;
using namespace tessera::dsl;
using namespace tessera::kernels;

void AttentionBlock::begin(const AttentionParameters &parameters) {
  given = parameters;
  scaleOfCall = given.scale;
  static_cast<ThreadIds &>(*this) = ThreadIds::here();
  plan.memory.open();
  if (plan.overlaps() && c.lengths) // which are read to know what the block has to do
    griddepcontrol_wait();
  if (!c.persistent) {
    tile = block_idx(0);
    if (c.causal && !c.splits) // the longest first
      tile = grid_dim(0) - 1 - tile;
    head = block_idx(1);
    batch = block_idx(2);
    read();
  }
  if (c.multipliesByWarps()) // without mbarriers
    return;
  Barriers first = plan.memory.at(plan.barriers);
  fullQ = first[0];
  Barriers fullK = first.from(1), emptyK = first.from(1 + c.stages);
  ringK = Pipeline(c.stages, fullK, emptyK);
  Barriers fullV = first.from(1 + 2 * c.stages), emptyV = first.from(1 + 3 * c.stages);
  ringV = Pipeline(c.stages, fullV, emptyV);
  if (c.isNarrow())
    ringTurned = Pipeline(c.stages, first.from(1 + 4 * c.stages), first.from(1 + 5 * c.stages));
  if (c.persistent)
    emptyQ = first[1 + (c.isNarrow() ? 6 : 4) * c.stages];
}

/// Tiles of a head one after the other, which read the same keys; with a mask that makes them
/// differ the longest first, of so many heads as K and V of have room in the L2 cache, so that
/// blocks end together.
void AttentionBlock::place(Num item) {
  Num pair;
  if (c.causal) {
    Num ofSection = *given.together * *given.tiles, section = item / ofSection;
    Num firstPair = section * *given.together, at = item - section * ofSection;
    Num pairsThere = min(*given.together, *given.pairs - firstPair);
    tile = at / pairsThere;
    pair = firstPair + (at - tile * pairsThere);
    tile = *given.tiles - 1 - tile;
  } else {
    pair = item / *given.tiles;
    tile = item - pair * *given.tiles;
  }
  batch = pair / *given.heads;
  head = pair - batch * *given.heads;
  read();
}

/// Computes what belongs to the batch and the head.
void AttentionBlock::read() {
  if (c.varlen) {
    auto lengthOf = [&](Tensor starts, Num &start) {
      start = load(starts, batch);
      return load(starts, batch + 1) - start;
    };
    given.queries = lengthOf(*given.startsQ, startQ);
    given.keys = lengthOf(*given.startsK, startK);
  }
  if (c.lengths)
    given.keys = load(*given.lengths, batch);
  if (c.splits)
    extentOfPart();
  else
    extent();
  if (!c.isNarrow())
    return;
  auto scaleOf = [&](const Tensor &scales, Num which) {
    return load(scales, c.varlen ? make_coord(which) : make_coord(which, batch));
  };
  Num ofK = head / given.sharing;
  given.scale = scaleOfCall * scaleOf(*given.scalesQ, head) * scaleOf(*given.scalesK, ofK);
  scaleV = scaleOf(*given.scalesV, ofK);
}

void AttentionBlock::initialise(int readers) const {
  if (given.q)
    prefetch_tma_desc(given.q->atom);
  for (const auto *t : {&given.k, &given.v})
    prefetch_tma_desc((*t)->atom);
  if (given.o)
    prefetch_tma_desc(given.o->atom);
  fullQ.init(1);
  if (c.persistent)
    emptyQ.init(readers);
  ringK.init(readers);
  ringV.init(c.isNarrow() ? warpsThatTurn : readers);
  if (c.isNarrow())
    ringTurned.init(readers, warpsThatTurn);
}

Tensor AttentionBlock::ofHead(Tensor coords, Num which, Num start) const {
  if (!c.varlen)
    return coords(_, _, which, batch);
  return rowsFrom(coords(_, _, which), start);
}

Num AttentionBlock::firstKey(Num query) const { return max(query + past - *given.reach, 0); }
Num AttentionBlock::seen(Num own) const {
  return min(given.keys, c.causal ? own : own + *given.reach);
}

/// Query q sees the keys up to q + past, with a window those near that one, and at most all. A
/// block takes one step at least, so that O is written.
void AttentionBlock::extent() {
  past = given.keys - given.queries;
  Num begin = tile * c.tileM();
  Num some = given.keys, all = given.keys;
  if (hasBounds())
    some = seen((tile + 1) * c.tileM() + past), all = max(seen(begin + past + 1), 0);
  steps = (max(some, 1) + (c.tileN - 1)) / c.tileN;
  whole = all / c.tileN;
  if (!c.window)
    return;
  first = firstKey(begin) / c.tileN;
  steps = max(steps - first, 1);
  whole = max(whole - first, 0);
  cut = (firstKey(begin + (c.tileM() - 1)) + (c.tileN - 1)) / c.tileN - first;
}

/// For few queries all keys are divided into parts with equal numbers of tiles. A part without keys
/// also does one step, in which it sees no key.
void AttentionBlock::extentOfPart() {
  Num tilesOfRows = (given.sharing * given.queries + (c.tileM() - 1)) / c.tileM();
  Num place = tile;
  if (c.teams > 1)
    item = batch * grid_dim(1) + head, part = place % c.splits, team = place / c.splits;
  else
    part = place;
  tile = head % tilesOfRows, head = head / tilesOfRows;
  past = given.keys - given.queries;
  Num firstRow = tile * c.tileM(), firstQuery = firstRow / given.sharing;
  Num tiles = (max(given.keys, 1) + (c.tileN - 1)) / c.tileN, before;
  if (c.window) {
    before = firstKey(firstQuery) / c.tileN;
    tiles = tiles - before;
  }
  const int parts = c.splits * c.teams;
  Num each = (tiles + (parts - 1)) / parts;
  first = place * each;
  steps = max(min(each, tiles - first), 1);
  if (c.window)
    first = first + before;
  Num all = given.keys;
  if (hasBounds())
    all = max(seen(firstQuery + past + 1), 0);
  whole = max(all / c.tileN - first, 0);
  if (!c.window)
    return;
  Num lastQuery = (firstRow + (c.tileM() - 1)) / given.sharing;
  cut = max((firstKey(lastQuery) + (c.tileN - 1)) / c.tileN - first, 0);
}

//===--- scores -------------------------------------------------------------------------------===//

Num AttentionBlock::score(Num row, llvm::ArrayRef<int32_t> columns, Num firstColumn, Num after,
                          Num slope, bool masks) const {
  int64_t count = int64_t(columns.size());
  Num at = vector_of(columns);
  if (c.softcap)
    row = capped(row);
  else if (c.alibi)
    row = row * broadcast(given.scale, count);
  if (c.alibi) {
    Num away = at - broadcast(after + past - 1 - firstColumn, count);
    if (!c.causal) // else those on the other side are masked
      away = min(away, broadcast(i32(0), count) - away);
    row = fma(convert(away, f32), broadcast(slope, count), row);
  }
  if (!masks)
    return row;
  Num end = given.keys;
  if (c.causal && c.multipliesByWarps()) // queries after the last one are not stored
    end = after + past;
  else if (hasBounds())
    end = seen(after + past);
  Num none = broadcast(f32(-std::numeric_limits<double>::infinity()), count);
  row = select(at < broadcast(end - firstColumn, count), row, none);
  if (!c.window)
    return row;
  Num begin = after + past - 1 - *given.reach;
  return select(at >= broadcast(begin - firstColumn, count), row, none);
}
/// cap tanh(score / cap), where tanh(x) = 1 - 2 / (1 + e^2x): the hardware's own tanh is off by
/// 2^-11, which a cap of 50 makes 2 % of a probability.
Num AttentionBlock::capped(Num products) const {
  int64_t count = dsl::count(products);
  Num power = exp2(products * broadcast(given.scale, count));
  Num below =
      divide_approx(broadcast(*given.cap * f32(-2), count), power + broadcast(f32(1), count));
  return below + broadcast(*given.cap, count);
}
