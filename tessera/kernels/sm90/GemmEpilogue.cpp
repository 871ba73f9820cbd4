// Epilogues: scalars, C, bias, activation; stmatrix and TMA.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/kernels/sm90/GemmEpilogue.h"

using namespace tessera;
using namespace tessera::dsl;
using namespace tessera::kernels;
using namespace tessera::kernels::sm90;

static constexpr int boxesStaged = GemmPlan::boxesStaged;

//===--- numbers ------------------------------------------------------------------------------===//

Finish::Finish(const GemmConfig &c, const std::optional<Num> &alpha,
               const std::optional<Num> &betaOfCall, const std::optional<Tensor> &scaleA,
               const std::optional<Tensor> &scaleB) {
  auto also = [&](Num x) { factor = factor ? mul_rn(factor, x) : x; };
  if (c.alpha)
    also(*alpha);
  if (c.scales) {
    also(load(*scaleA, 0));
    also(load(*scaleB, 0));
  }
  if (c.c)
    beta = *betaOfCall;
  activation = findActivation(c.activation);
}

Num Finish::of(Num sums, const std::function<Num()> &matrixC, Num bias) const {
  Num x = sums;
  if (factor)
    x = mul_rn(x, splat(factor, x));
  if (beta)
    x = fma(splat(beta, x), matrixC(), x);
  if (bias)
    x = add_rn(x, convert(bias, f32));
  if (activation->of)
    x = activation->of(x);
  return x;
}

//===--- tensor maps and barriers -------------------------------------------------------------===//

TmaTensor Epilogue::mapD(Tensor d) { return make_tma_store(d, box().swizzled(), boxTile()); }
TmaTensor Epilogue::mapC(Tensor matrix) {
  return make_tma_load(matrix, box().swizzled(), boxTile());
}
layout::Layout Epilogue::tail() const {
  using layout::Tree;
  int64_t rows = s.plan.rowsOfStorer(), columns = s.plan.tail();
  return {Tree::of({rows, columns}), Tree::of({columns, int64_t(1)})};
}
TmaTensor Epilogue::mapTail(Tensor d) { return make_tma_store(d, tail(), tailTile()); }

void Epilogue::prefetch() {
  prefetch_tma_desc(s.given.d.atom);
  if (s.plan.tail())
    prefetch_tma_desc(s.given.extras.tailD->atom);
  if (c.c)
    prefetch_tma_desc(s.given.extras.c->atom);
}
void Epilogue::initialise() {
  for (int i = 0; c.c && i < s.plan.storers() * boxesStaged; ++i)
    s.plan.memory.at(s.plan.arrivedC)[i].init(1);
}
Barrier Epilogue::arrivedC(int slot) {
  return s.plan.memory.at(s.plan.arrivedC)[storer * boxesStaged + slot];
}

//===--- a storer's tiles ---------------------------------------------------------------------===//

void Epilogue::begin(Num which) {
  storer = which;
  const GemmExtras &extras = s.given.extras;
  finish = Finish(c, extras.alpha, extras.beta, extras.scaleA, extras.scaleB);
  if (c.c) {
    tilesStored = make_rmem_tensor(i32, make_layout(1, 1));
    dsl::store(0, tilesStored, 0);
  }
}

/// C of the first boxes is on its way while the products are made.
void Epilogue::beginTile(const TilePosition &tile) {
  if (!c.c)
    return;
  place();
  once([&] {
    tma_store_wait(0);
    for (int i = 0; i < std::min(boxesStaged, s.plan.boxes()); ++i)
      loadC(tile, i);
  });
}
void Epilogue::end() {
  once([&] { tma_store_wait(0); });
}

void Epilogue::place() {
  Pointer all = s.tiles(s.plan.d, s.plan.elementD());
  Num first = (storer * (boxesStaged * boxElements())).promised(boxElements());
  staging = offset(all, first);
  if (s.plan.tail())
    tails =
        offset(s.plan.memory.pointer(s.plan.d, s.plan.elementD(), {}, SmemTile::rowBytes), first);
}
Num Epilogue::rowsOf(const TilePosition &tile, int block) const {
  Num first = c.pingpong ? tile.m : tile.m * s.plan.storers() + storer;
  int blocks = s.plan.rowBlocks();
  return blocks == 1 ? first : first * blocks + block;
}
Tensor Epilogue::boxesOf(Tensor coords, const TilePosition &tile, int which) {
  Tensor rows = ofProduct(c, coords, tile, false);
  Num block = rowsOf(tile, which / s.plan.boxesOfRows());
  if (s.plan.tail())
    return rowsFrom(rows, block * s.plan.rowsOfStorer());
  return local_tile(rows, boxTile(), make_coord(block, _));
}
Pointer Epilogue::placeOf(int which) {
  return offset(s.plan.isTail(which) ? tails : staging, which % boxesStaged * boxElements());
}
Tensor Epilogue::inMemory(int which) {
  Pointer at = placeOf(which);
  return s.plan.isTail(which) ? make_tensor(at, tail()) : make_tensor(at, box().layout());
}
TmaParts Epilogue::partsOf(Atom atom, Tensor boxes, const TilePosition &tile, int which) {
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

void Epilogue::loadC(const TilePosition &tile, int which) {
  Barrier barrier = arrivedC(which % boxesStaged);
  Atom atom = s.given.extras.c->atom;
  TmaParts parts = partsOf(atom, boxesOf(s.given.extras.c->coords, tile, which), tile, which);
  expect_bytes(barrier, s.plan.dBox());
  tma_load(atom, parts.gmem, parts.smem, barrier);
}
void Epilogue::awaitC(int which) {
  int slot = which % boxesStaged,
      usesOfTile = (s.plan.boxes() - slot + boxesStaged - 1) / boxesStaged;
  Num tiles = load(tilesStored, 0);
  Barrier barrier = arrivedC(slot);
  barrier.wait((tiles * usesOfTile + which / boxesStaged) & 1);
}

void Epilogue::storeBoxes(const TilePosition &tile, const std::function<Num(int)> &sums) {
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
Num Epilogue::endsWithin(const TilePosition &tile, int which) {
  constexpr int unitBits = 128;
  Num columns = size(*s.given.extras.plainD, 1);
  Num first = tile.n * c.tileN + s.plan.columnOf(which);
  return (columns % (unitBits / s.plan.elementD().bits()) != 0) & (first < columns) &
         (columns < first + s.plan.columnsOf(which));
}
void Epilogue::storeElements(const TilePosition &tile, int which) {
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

//===--- warpgroups ---------------------------------------------------------------------------===//

void GroupEpilogue::store(const TilePosition &tile, Tensor sums) {
  auto ofBox = [&](int which) {
    int first = which / s.plan.boxesOfRows() * (c.tileN / 2) + s.plan.columnOf(which) / 2;
    return load_vec(
        make_tensor(offset(get_iter(sums), first), make_layout(s.plan.columnsOf(which) / 2)));
  };
  if (c.groups != "contiguous")
    return storeBoxes(tile, ofBox);
  Num end = (rowsOf(tile, s.plan.rowBlocks() - 1) + 1) * s.plan.rowsOfStorer();
  If(end <= tile.rows, [&] { storeBoxes(tile, ofBox); }, [&] { storeRows(tile, ofBox); });
}
/// The rows that are the group's, from registers: a thread has two columns side by side, the same
/// of a row 8 further, and both again 8 columns further.
void GroupEpilogue::storeRows(const TilePosition &tile, const std::function<Num(int)> &sums) {
  Tensor d = *s.given.extras.plainD;
  Num columns = size(d, 1);
  Num first;
  Tensor held =
      make_rmem_tensor(s.plan.elementD(), make_layout(std::min(c.tileN, s.plan.boxN()) / 2));
  for (int which = 0; which < s.plan.boxes(); ++which) {
    if (which % s.plan.boxesOfRows() == 0)
      first = rowsOf(tile, which / s.plan.boxesOfRows()) * s.plan.rowsOfStorer() + s.warp % 4 * 16 +
              s.lane / 4;
    Num bias;
    if (c.bias != "none")
      bias = biasOf(tile, which);
    Num values = finish.of(sums(which), {}, bias);
    int columnsHeld = s.plan.columnsOf(which);
    store_vec(narrow() ? convert(values, s.plan.elementD()) : values,
              make_tensor(get_iter(held), make_layout(columnsHeld / 2)));
    for (int r : {0, 1}) {
      Num row = first + 8 * r;
      If(row < tile.rows, [&] {
        Pointer begin = get_iter(d(tile.start + row, _));
        for (int i = 0; i < columnsHeld / 8; ++i) {
          Num column = tile.n * c.tileN + s.plan.columnOf(which) + 8 * i + s.lane % 4 * 2;
          Tensor pair = make_tensor(offset(get_iter(held), 4 * i + 2 * r), make_layout(2));
          Tensor to = make_tensor(offset(begin, column.promised(2)), make_layout(2));
          If(
              column + 1 < columns, [&] { store_vec(load_vec(pair), to); },
              [&] { If(column < columns, [&] { dsl::store(load(pair, 0), to, 0); }); });
        }
      });
    }
  }
}
void GroupEpilogue::place() {
  Epilogue::place();
  if (narrow())
    registers = make_rmem_tensor(s.plan.elementD(), make_layout(make_shape(8, 4)));
}
Num GroupEpilogue::threadOfStorer() const { return s.index % GemmPlan::groupThreads; }
int GroupEpilogue::threadsOfStorer() const { return GemmPlan::groupThreads; }
void GroupEpilogue::sync() { named_barrier(storer + 1, GemmPlan::groupThreads); }
void GroupEpilogue::once(const std::function<void()> &body) { If(s.leads(), body); }

/// Each lane gives stmatrix or ldmatrix a row of a matrix: 16 rows of a warp, twice eight columns.
Tensor GroupEpilogue::rowsForMatrices(Pointer at, int columns) {
  Num row = s.warp % 4 * 16 + s.lane % 16, half = s.lane / 16;
  Tensor rows = make_tensor(
      at, make_layout(make_shape(64, 2, 8, columns / 16), make_stride(columns, 8, 1, 16)));
  return rows(row, half, _, _);
}
/// A thread's elements in columns of 32 bits, where stmatrix does not help: two adjacent columns,
/// the same eight rows below, and again eight columns further.
Tensor GroupEpilogue::pairs(Pointer at, int columns) {
  Tensor all =
      make_tensor(at, make_layout(make_shape(4, 8, 4, 2, 2, columns / 8),
                                  make_stride(16 * columns, columns, 2, 1, 8 * columns, 8)));
  Num row = s.lane / 4, pair = s.lane % 4;
  return all(s.warp % 4, row, pair, _, _, _);
}
void GroupEpilogue::put(Num values, Pointer at, int columns) {
  if (!narrow())
    return store_vec(values, pairs(at, columns));
  Atom stsm = make_stmatrix(s.plan.elementD(), 4);
  Tensor held = columns == s.plan.boxN()
                    ? registers
                    : make_tensor(get_iter(registers), make_layout(make_shape(8, columns / 16)));
  store_vec(convert(values, s.plan.elementD()), held);
  copy(stsm, held, rowsForMatrices(at, columns));
}
Num GroupEpilogue::get(Pointer at) {
  if (!narrow())
    return load_vec(pairs(at, s.plan.boxN()));
  Atom ldsm = make_ldmatrix(s.plan.elementD(), 4);
  copy(ldsm, rowsForMatrices(at, s.plan.boxN()), registers);
  return convert(load_vec(registers), f32);
}

/// The bias of each value of a thread: two columns, the same for another row, eight columns
/// further. Columns after the last, which are not stored, have the last one's.
Num GroupEpilogue::biasOf(const TilePosition &tile, int which) {
  Tensor bias = *s.given.extras.bias;
  Num last = size(bias, 0) - 1;
  Num first = tile.n * c.tileN + s.plan.columnOf(which) + s.lane % 4 * 2;
  llvm::SmallVector<Num> values;
  for (int column = 0; column < s.plan.columnsOf(which); column += 8) {
    Num two[2];
    for (int i : {0, 1})
      two[i] = load(bias, min(first + (column + i), last));
    values.append({two[0], two[1], two[0], two[1]});
  }
  return vector_of(values);
}
