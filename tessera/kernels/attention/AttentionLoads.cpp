// Attention: the warp that loads Q, K and V by TMA.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/kernels/attention/AttentionBlock.h"

using namespace tessera;
using namespace tessera::dsl;
using namespace tessera::kernels;

static TmaParts partsOf(Atom atom, Tensor coords, const Tile &tile, const Coord &tiles,
                        Tensor smem) {
  Tensor g = local_tile(coords, tile, tiles);
  Tensor inSmem = group_modes(smem, 0, 2), inGmem = group_modes(g, 0, 2);
  return tma_partition(atom, inSmem, inGmem);
}

namespace {
/// Where the warp that loads is in the rings, and the phase of Q's place that says empty.
struct Loaded {
  Stage atK, atV;
  std::optional<Num> emptyQ;
  auto members() { return std::tie(atK, atV, emptyQ); }
};
} // namespace

/// Keys from the last tile to the first; V follows one step later, as it is needed later.
static void loadTile(const AttentionBlock &s, Loaded &now) {
  const AttentionConfig &c = s.c;
  std::optional<TmaParts> q;
  if (s.given.q) {
    Tensor sQ = make_tensor(s.tiles(s.plan.q, c.headDim), s.plan.tileQ().layout());
    q = partsOf(s.given.q->atom, s.ofHead(s.given.q->coords, s.head, s.startQ),
                make_tile(c.tileM(), c.headDim), make_coord(s.tile, 0), sQ);
  }
  Num shared = c.splits ? s.head : s.head / s.given.sharing;
  struct Source {
    const Pipeline &ring;
    const TmaTensor &from;
    Tensor stages;
    int columns;
    int64_t bytes;
    TmaParts parts; // without pages
  };
  auto source = [&](const Pipeline &ring, const TmaTensor &from, Region region, int columns,
                    const SmemTile &tile) {
    Tensor stages = make_tensor(s.tiles(region, columns), tile.staged(c.stages, tile.elements()));
    Source made{ring, from, stages, columns, s.plan.bytesOf(tile), {}};
    if (!c.pageSize)
      made.parts = partsOf(from.atom, s.ofHead(from.coords, shared, s.startK),
                           make_tile(c.tileN, columns), make_coord(_, 0), stages);
    return made;
  };
  // A tile of keys is of one page, or of several, each with boxes of its own.
  auto loadPages = [&](const Source &of, Num tile, Num stage, Barrier barrier) {
    const int rows = s.plan.keysOfBox();
    for (int box = 0; box < c.tileN / rows; ++box) {
      Num key = tile * c.tileN + box * rows;
      // After the last key its page once more: the mask hides what comes from there.
      Num last = max(s.given.keys - 1, 0) / c.pageSize;
      Num page = load(*s.given.pages, make_coord(s.batch, min(key / c.pageSize, last)));
      Tensor g = local_tile(of.from.coords(_, _, shared, page), make_tile(rows, of.columns),
                            make_coord(key % c.pageSize / rows, 0));
      Tensor in =
          local_tile(of.stages(_, _, stage), make_tile(rows, of.columns), make_coord(box, 0));
      TmaParts parts = tma_partition(of.from.atom, group_modes(in, 0, 2), group_modes(g, 0, 2));
      tma_load(of.from.atom, parts.gmem, parts.smem, barrier);
    }
  };
  Source ofK = source(s.ringK, *s.given.k, s.plan.k, c.headDim, s.plan.tileK());
  Source ofV = source(s.ringV, *s.given.v, s.plan.v, c.valueDims(), s.plan.tileV());
  auto load = [&](const Source &from, Num step, const Stage &at) {
    Barrier barrier = from.ring.acquire(at, from.bytes);
    if (c.pageSize)
      return loadPages(from, s.keysOf(step), at.index, barrier);
    Tensor tile = from.parts.gmem(_, s.keysOf(step));
    tma_load(from.from.atom, tile, from.parts.smem(_, at.index), barrier);
  };
  auto loadQ = [&] {
    expect_bytes(s.fullQ, s.plan.q.bytes);
    tma_load(s.given.q->atom, q->gmem, q->smem, s.fullQ);
  };
  if (q && !c.persistent)
    loadQ();
  load(ofK, i32(0), now.atK);
  if (c.persistent) { // the first keys need not wait until Q has been read
    s.emptyQ.wait(*now.emptyQ);
    now.emptyQ = *now.emptyQ ^ 1;
    loadQ();
  }
  std::array<Stage, 2> at = {s.ringK.next(now.atK), now.atV}; // of K and of V
  at = For(1, s.steps, 1, at, [&](Num step, std::array<Stage, 2> &now) {
    load(ofK, step, now[0]);
    load(ofV, step - 1, now[1]);
    now = {s.ringK.next(now[0]), s.ringV.next(now[1])};
  });
  load(ofV, s.steps - 1, at[1]);
  if (c.persistent)
    now.atK = at[0], now.atV = s.ringV.next(at[1]);
}

void kernels::produce(AttentionBlock &s) {
  Stage first = Pipeline::producerStart();
  Loaded start{first, first, {}};
  if (s.c.persistent)
    start.emptyQ = i32(1);
  s.forTiles(start, [&](Loaded &now) { loadTile(s, now); });
}
