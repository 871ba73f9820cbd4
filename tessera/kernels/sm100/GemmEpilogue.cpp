// Epilogues of warps: tensor memory, registers, rows in shared memory, TMA.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/kernels/sm100/GemmEpilogue.h"

#include "tessera/kernels/sm100/TensorRows.h"

using namespace tessera;
using namespace tessera::dsl;
using namespace tessera::kernels;
using namespace tessera::kernels::sm100;

static constexpr int bitsAtOnce = 128; // of a load or store of shared memory

void TensorEpilogue::store(const TilePosition &tile, Pointer sums,
                           const std::function<void()> &read) {
  auto ofBox = [&](int which) {
    Num values = sumsOf(offset(sums, which * plan.boxN()));
    if (which + 1 == plan.boxes())
      read();
    return values;
  };
  if (c.groups != "contiguous")
    return storeBoxes(tile, ofBox);
  Num end = (tile.m * plan.storers() + storer + 1) * plan.rowsOfStorer();
  If(end <= tile.rows, [&] { storeBoxes(tile, ofBox); }, [&] { storeRows(tile, ofBox); });
}
/// The rows that are the group's, from registers: a lane has one. Columns go in pieces, but the
/// last ones one at a time.
void TensorEpilogue::storeRows(const TilePosition &tile, const std::function<Num(int)> &sums) {
  Tensor d = *s.given.extras.plainD;
  Num columns = size(d, 1);
  Num row = (tile.m * plan.storers() + storer) * plan.rowsOfStorer() + s.lane;
  int piece = bitsAtOnce / plan.elementD().bits();
  for (int which = 0; which < plan.boxes(); ++which) {
    Num bias;
    if (c.bias != "none") // by the whole warp, as the sums are
      bias = biasOf(tile, which);
    Tensor held = make_rmem_tensor(plan.elementD(), make_layout(plan.boxN()));
    store_vec(convert(finish.of(sums(which), {}, bias), plan.elementD()), held);
    If(row < tile.rows, [&] {
      Pointer begin = get_iter(d(tile.start + row, _));
      for (int i = 0; i < plan.boxN(); i += piece) {
        Num column = tile.n * c.tileN + (which * plan.boxN() + i);
        Tensor from = make_tensor(offset(get_iter(held), i), make_layout(piece));
        Tensor to = make_tensor(offset(begin, column.promised(piece)), make_layout(piece));
        If(
            column + piece <= columns, [&] { store_vec(load_vec(from), to); },
            [&] {
              for (int j = 0; j < piece; ++j)
                If(column + j < columns, [&] { dsl::store(load(from, j), to, j); });
            });
      }
    });
  }
}
Num TensorEpilogue::threadOfStorer() const { return s.lane; }
int TensorEpilogue::threadsOfStorer() const { return atom::Threads::ofWarp; }
void TensorEpilogue::sync() { sync_warp(); }
void TensorEpilogue::once(const std::function<void()> &body) { body(); }

/// A lane's row of a box of sums.
Num TensorEpilogue::sumsOf(Pointer from) { return loadRow(from, plan.boxN(), s.index); }

//===--- a box --------------------------------------------------------------------------------===//

/// A lane's row: pieces that go at once.
Tensor TensorEpilogue::row(Pointer box) {
  int columns = plan.boxN(), piece = bitsAtOnce / plan.elementD().bits();
  Tensor rows =
      make_tensor(box, make_layout(make_shape(plan.rowsOfStorer(), piece, columns / piece),
                                   make_stride(columns, 1, piece)));
  return rows(s.lane, _, _);
}
static Tensor pieces(Element element, int columns) {
  int piece = bitsAtOnce / element.bits();
  return make_rmem_tensor(element, make_layout(make_shape(piece, columns / piece)));
}
void TensorEpilogue::put(Num values, Pointer box, int) {
  Tensor registers = pieces(plan.elementD(), plan.boxN());
  store_vec(convert(values, plan.elementD()), registers);
  copy(make_universal_copy(plan.elementD(), bitsAtOnce), registers, row(box));
}
Num TensorEpilogue::get(Pointer box) {
  Tensor registers = pieces(plan.elementD(), plan.boxN());
  copy(make_universal_copy(plan.elementD(), bitsAtOnce), row(box), registers);
  return convert(load_vec(registers), f32);
}

/// All lanes need the bias of all columns: each lane loads some, and shared memory has them for
/// all. Columns after the last, which are not stored, have the last one's.
Num TensorEpilogue::biasOf(const TilePosition &tile, int which) {
  constexpr int lanes = atom::Threads::ofWarp;
  Tensor bias = *s.given.extras.bias;
  Num last = size(bias, 0) - 1, first = tile.n * c.tileN + which * plan.boxN() + s.lane;
  int columns = plan.boxN();
  Pointer all = s.plan.memory.pointer(plan.bias, f32, {}, 16);
  Tensor shared =
      make_tensor(offset(all, (storer * columns).promised(columns)), make_layout(columns));
  sync_warp(); // until the box before was read
  for (int i = 0; i < columns; i += lanes)
    dsl::store(convert(load(bias, min(first + i, last)), f32), shared, s.lane + i);
  sync_warp();
  Tensor registers = pieces(f32, columns);
  constexpr int piece = bitsAtOnce / 32;
  copy(make_universal_copy(f32, bitsAtOnce),
       make_tensor(get_iter(shared), make_layout(make_shape(piece, columns / piece))), registers);
  return load_vec(registers);
}
