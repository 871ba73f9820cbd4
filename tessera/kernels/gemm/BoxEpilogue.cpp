// Boxes of D, and of C: their tensor maps and barriers, and what edges cut.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/kernels/gemm/BoxEpilogue.h"

using namespace tessera;
using namespace tessera::dsl;
using namespace tessera::kernels;

static constexpr int boxesStaged = GemmMemory::boxesStaged;

//===--- tensor maps and barriers -------------------------------------------------------------===//

TmaTensor BoxEpilogue::mapD(Tensor d) { return make_tma_store(d, box().swizzled(), boxTile()); }
TmaTensor BoxEpilogue::mapC(Tensor matrix) {
  return make_tma_load(matrix, box().swizzled(), boxTile());
}
layout::Layout BoxEpilogue::tail() const {
  using layout::Tree;
  int64_t rows = s.plan.rowsOfStorer(), columns = s.plan.tail();
  return {Tree::of({rows, columns}), Tree::of({columns, int64_t(1)})};
}
TmaTensor BoxEpilogue::mapTail(Tensor d) { return make_tma_store(d, tail(), tailTile()); }

void BoxEpilogue::prefetch() {
  prefetch_tma_desc(s.given.d.atom);
  if (s.plan.tail())
    prefetch_tma_desc(s.given.extras.tailD->atom);
  if (c.c)
    prefetch_tma_desc(s.given.extras.c->atom);
}
void BoxEpilogue::initialise() {
  for (int i = 0; c.c && i < s.plan.storers() * boxesStaged; ++i)
    s.plan.memory.at(s.plan.arrivedC)[i].init(1);
}
Barrier BoxEpilogue::arrivedC(int slot) {
  return s.plan.memory.at(s.plan.arrivedC)[storer * boxesStaged + slot];
}

//===--- a storer's tiles ---------------------------------------------------------------------===//

void BoxEpilogue::begin(Num which) {
  storer = which;
  const GemmExtras &extras = s.given.extras;
  finish = Finish(c, extras.alpha, extras.beta, extras.scaleA, extras.scaleB);
  if (c.c) {
    tilesStored = make_rmem_tensor(i32, make_layout(1, 1));
    dsl::store(0, tilesStored, 0);
  }
}

/// C of the first boxes is on its way while the products are made.
void BoxEpilogue::beginTile(const TilePosition &tile) {
  if (!c.c)
    return;
  place();
  once([&] {
    tma_store_wait(0);
    for (int i = 0; i < std::min(boxesStaged, s.plan.boxes()); ++i)
      loadC(tile, i);
  });
}
void BoxEpilogue::end() {
  once([&] { tma_store_wait(0); });
}

void BoxEpilogue::place() {
  Pointer all = s.tiles(s.plan.d, s.plan.elementD());
  Num first = (storer * (boxesStaged * boxElements())).promised(boxElements());
  staging = offset(all, first);
  if (s.plan.tail())
    tails =
        offset(s.plan.memory.pointer(s.plan.d, s.plan.elementD(), {}, SmemTile::rowBytes), first);
}
Num BoxEpilogue::rowsOf(const TilePosition &tile, int block) const {
  Num first = c.pingpong ? tile.m : tile.m * s.plan.storers() + storer;
  int blocks = s.plan.rowBlocks();
  return blocks == 1 ? first : first * blocks + block;
}
Tensor BoxEpilogue::boxesOf(Tensor coords, const TilePosition &tile, int which) {
  Tensor rows = ofProduct(c, coords, tile, false);
  Num block = rowsOf(tile, which / s.plan.boxesOfRows());
  if (s.plan.tail())
    return rowsFrom(rows, block * s.plan.rowsOfStorer());
  return local_tile(rows, boxTile(), make_coord(block, _));
}
Pointer BoxEpilogue::placeOf(int which) {
  return offset(s.plan.isTail(which) ? tails : staging, which % boxesStaged * boxElements());
}
Tensor BoxEpilogue::inMemory(int which) {
  Pointer at = placeOf(which);
  return s.plan.isTail(which) ? make_tensor(at, tail()) : make_tensor(at, box().layout());
}
TmaParts BoxEpilogue::partsOf(Atom atom, Tensor boxes, const TilePosition &tile, int which) {
  bool isTail = s.plan.isTail(which);
  Tensor smem = inMemory(which);
  Tensor gmem;
  if (s.plan.tail()) {
    Tensor from = columnsFrom(boxes, tile.n * c.tileN + s.plan.columnOf(which));
    gmem = local_tile(from, isTail ? tailTile() : boxTile(), make_coord(0, 0));
  } else {
    int ofRows = s.plan.boxesOfRows();
    gmem = boxes(_, _, tile.n * ofRows + which % ofRows);
  }
  Tensor inSmem = group_modes(smem, 0, 2), inGmem = group_modes(gmem, 0, 2);
  return tma_partition(atom, inSmem, inGmem);
}

void BoxEpilogue::loadC(const TilePosition &tile, int which) {
  Barrier barrier = arrivedC(which % boxesStaged);
  Atom atom = s.given.extras.c->atom;
  TmaParts parts = partsOf(atom, boxesOf(s.given.extras.c->coords, tile, which), tile, which);
  expect_bytes(barrier, s.plan.dBox());
  tma_load(atom, parts.gmem, parts.smem, barrier);
}
void BoxEpilogue::awaitC(int which) {
  int slot = which % boxesStaged,
      usesOfTile = (s.plan.boxes() - slot + boxesStaged - 1) / boxesStaged;
  Num tiles = load(tilesStored, 0);
  Barrier barrier = arrivedC(slot);
  barrier.wait((tiles * usesOfTile + which / boxesStaged) & 1);
}

void BoxEpilogue::storeBoxes(const TilePosition &tile, const std::function<Num(int)> &sums) {
  if (!c.c)
    place();
  int boxes = s.plan.boxes();
  llvm::SmallVector<Tensor> d; // by blocks of rows
  for (int which = 0; which < boxes; which += s.plan.boxesOfRows())
    d.push_back(boxesOf(s.given.d.coords, tile, which));
  // With C, a box that is stored makes room for the next one of C; without, stores go out together.
  int together = c.c ? 1 : boxesStaged;
  for (int which = 0; which < boxes; ++which) {
    Num bias;
    if (c.bias != "none") // on its way while others are waited for
      bias = biasOf(tile, which);
    if (c.c) {
      awaitC(which);
    } else if (which % together == 0) {
      once([&] { tma_store_wait(0); });
      sync();
    }
    Pointer at = placeOf(which);
    put(finish.of(sums(which), [&] { return get(at); }, bias), at, s.plan.columnsOf(which));
    int waiting = which % together + 1;
    if (waiting < together && which + 1 < boxes)
      continue;
    fence_async_shared();
    sync();
    llvm::SmallVector<Num> cut; // of the boxes that go out
    for (int out = which + 1 - waiting; out <= which; ++out) {
      cut.push_back(endsWithin(tile, out));
      If(cut.back(), [&] {
        storeElements(tile, out);
        sync(); // before another box comes to this place
      });
    }
    once([&] {
      for (int out = which + 1 - waiting; out <= which; ++out) {
        Atom atom = s.plan.isTail(out) ? s.given.extras.tailD->atom : s.given.d.atom;
        TmaParts parts = partsOf(atom, d[size_t(out / s.plan.boxesOfRows())], tile, out);
        If(
            cut[size_t(out - which - 1 + waiting)], [] {},
            [&] { tma_store(atom, parts.smem, parts.gmem); });
      }
      tma_store_commit();
      if (c.c && which + boxesStaged < boxes) {
        tma_store_wait(0);
        loadC(tile, which + boxesStaged);
      }
    });
  }
  if (c.c)
    dsl::store(load(tilesStored, 0) + 1, tilesStored, 0);
}

/// Whether the rows of D end within a box and there within a unit of TMA, which stores whole units:
/// beside D may be numbers of somebody else.
Num BoxEpilogue::endsWithin(const TilePosition &tile, int which) {
  constexpr int unitBits = 128;
  Num columns = size(*s.given.extras.plainD, 1);
  Num first = tile.n * c.tileN + s.plan.columnOf(which);
  return (columns % (unitBits / s.plan.elementD().bits()) != 0) & (first < columns) &
         (columns < first + s.plan.columnsOf(which));
}
void BoxEpilogue::storeElements(const TilePosition &tile, int which) {
  Tensor d = *s.given.extras.plainD;
  Num rows = size(d, 0), start = i32(0), columns = size(d, 1);
  if (c.groups == "contiguous")
    rows = tile.rows, start = tile.start;
  else if (c.groups != "none")
    d = d(_, _, tile.group);
  Num firstRow = rowsOf(tile, which / s.plan.boxesOfRows()) * s.plan.rowsOfStorer(),
      firstColumn = tile.n * c.tileN + s.plan.columnOf(which);
  Tensor box = inMemory(which);
  const int across = s.plan.columnsOf(which);
  For(threadOfStorer(), s.plan.rowsOfStorer() * across, threadsOfStorer(), [&](Num i) {
    Num ofRow = i / across, ofColumn = i % across;
    Num row = firstRow + ofRow, column = firstColumn + ofColumn;
    If((row < rows) & (column < columns), [&] {
      dsl::store(load(box, make_coord(ofRow, ofColumn)), d, make_coord(start + row, column));
    });
  });
}
