// Epilogues of warpgroups: registers, stmatrix, rows in shared memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/kernels/sm90/GemmEpilogue.h"

#include "tessera/kernels/sm90/GemmPlan.h"

using namespace tessera;
using namespace tessera::dsl;
using namespace tessera::kernels;
using namespace tessera::kernels::sm90;

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
  BoxEpilogue::place();
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
