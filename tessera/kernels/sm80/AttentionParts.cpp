// Copies by cp.async or registers; products on what ldmatrix reads.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/kernels/sm80/AttentionParts.h"

#include "tessera/kernels/WarpGroups.h"

using namespace tessera;
using namespace tessera::dsl;
using namespace tessera::kernels;
using namespace tessera::kernels::sm80;

static constexpr int bitsAtOnce = 128; // that cp.async copies, and that are a row of ldmatrix
static constexpr int pieceElements = SlicedTile::pieceElements,
                     sliceColumns = SlicedTile::sliceColumns;

//===--- where pieces are ---------------------------------------------------------------------===//

Num sm80::placeInSlice(Num row, Num piece) {
  Num there = piece ^ (row / SlicedTile::exchangedRows % 2);
  return (row * sliceColumns + there * pieceElements).promised(pieceElements);
}
Num sm80::placeAcross(Num row, Num piece, const SlicedTile &tile) {
  return (placeInSlice(row, piece % 2) + piece / 2 * tile.stride()).promised(pieceElements);
}
/// Four lanes to a row are of rows 0 and 2, then 1 and 3, as eight lanes of rows 0 and 1 would have
/// two pieces of one place of the banks.
std::pair<Num, Num> sm80::rowAndPiece(Num index, const SlicedTile &tile) {
  Num row = index / tile.lanes();
  if (tile.lanes() == 4)
    row = row / 4 * 4 + (row % 2 * 2 + row / 2 % 2);
  return {row, index % tile.lanes()};
}
Tensor sm80::piecesOfRow(Tensor row, Num piece, const SlicedTile &tile) {
  Pointer start = get_iter(row);
  if (element_of(row)->bits() == 8)
    start = recast_ptr(start, f16, bitsAtOnce / 8);
  Pointer at = offset(start, (piece * pieceElements).promised(pieceElements));
  return make_tensor(at, make_layout(make_shape(pieceElements, tile.turns()),
                                     make_stride(1, tile.lanes() * pieceElements)));
}
Tensor sm80::piecesInTile(Pointer at, const SlicedTile &tile) {
  return make_tensor(at, make_layout(make_shape(pieceElements, tile.turns()),
                                     make_stride(1, tile.lanes() / 2 * tile.stride())));
}

//===--- from device memory -------------------------------------------------------------------===//

void TileLoads::rows(Tensor head, Num first, Pointer to, const SlicedTile &tile,
                     std::optional<Num> last) const {
  auto [row, piece] = rowAndPiece(index, tile);
  Pointer mine = offset(to, placeAcross(row, piece, tile));
  Tensor rows = rowsFrom(rowsFrom(head, row), first);
  for (int i = 0; i < tile.extent(); i += threads / tile.lanes()) {
    std::optional<Num> isThere;
    if (last)
      isThere = first + i < *last - row;
    begin(piecesOfRow(rows(i32(0), _), piece, tile),
          piecesInTile(offset(mine, i * sliceColumns), tile), isThere, tile.turns());
    rows = rowsFrom(rows, i32(threads / tile.lanes()));
  }
}
void TileLoads::each(const std::function<Tensor(Num)> &rowOf, Num first, Pointer to,
                     const SlicedTile &tile, Num last) const {
  auto [row, piece] = rowAndPiece(index, tile);
  Pointer mine = offset(to, placeAcross(row, piece, tile));
  for (int i = 0; i < tile.extent(); i += threads / tile.lanes()) {
    Num at = first + i + row;
    begin(piecesOfRow(rowOf(at), piece, tile), piecesInTile(offset(mine, i * sliceColumns), tile),
          at < last, tile.turns());
  }
}
void TileLoads::numbers(Pointer from, Pointer to) const {
  constexpr int count = 4;
  Tensor there = make_tensor(from, make_layout(count)), here = make_tensor(to, make_layout(count));
  if (isTuring)
    return store_vec(load_vec(there), here);
  copy(make_copy_atom("SM80_CP_ASYNC_CACHEGLOBAL", f32, bitsAtOnce), there, here);
}
void TileLoads::begin(const Tensor &from, const Tensor &to, std::optional<Num> isThere,
                      int turns) const {
  if (!isTuring) {
    Atom atom = make_copy_atom("SM80_CP_ASYNC_CACHEGLOBAL", *element_of(from), bitsAtOnce);
    if (!isThere)
      return copy(atom, from, to);
    Tensor one = make_rmem_tensor(i1, make_layout(make_shape(1, turns), make_stride(0, 0)));
    dsl::store(*isThere, one, make_coord(0, 0));
    return copy_if(atom, one, from, to);
  }
  Tensor held = make_rmem_tensor(*element_of(from), make_layout(make_shape(pieceElements, turns)));
  auto get = [&] { store_vec(load_vec(from), held); };
  if (isThere) {
    Num values = load_vec(held);
    store_vec(convert(broadcast(f32(0), count(values)), *element_of(from)), held);
    If(*isThere, get);
  } else {
    get();
  }
  store_vec(load_vec(held), to);
}
void TileLoads::commit() const {
  if (!isTuring)
    cp_async_commit();
}
void TileLoads::await(int groups) const {
  if (!isTuring)
    cp_async_wait(groups);
  sync_threads();
}

//===--- products -----------------------------------------------------------------------------===//

void TileProducts::begin() {
  loadRows = make_ldmatrix(unit(), 4), loadColumns = make_ldmatrix(unit(), 4, true);
  if (isNarrow()) {
    mmaOfBytes = make_mma_atom("SM89_16x8x32_F32E4M3E4M3F32_TN");
    return;
  }
  mma = make_tiled_mma(make_mma_atom(isTuring         ? "SM75_16x8x8_F32F16F16F32_TN"
                                     : element == f16 ? "SM80_16x8x16_F32F16F16F32_TN"
                                                      : "SM80_16x8x16_F32BF16BF16F32_TN"));
}
Tensor TileProducts::registers(Element of, int columns) const {
  return make_rmem_tensor(of, make_layout(blocks * ofBlock(columns)));
}
Tensor TileProducts::zeros(int columns) const {
  Tensor sums = registers(f32, columns);
  store_vec(broadcast(f32(0), blocks * ofBlock(columns)), sums);
  return sums;
}
Tensor TileProducts::rowOf(Tensor sums, int columns, int block, int ofThread) {
  return make_tensor(
      offset(get_iter(sums), block * ofBlock(columns) + 2 * ofThread),
      make_layout(make_shape(2, columns / TileProducts::columns), make_stride(1, ofC)));
}

/// Four matrices of ldmatrix: of a first operand, and across, rows 0 and 8 of eight columns, then
/// of the next eight; of a second one both columns of rows 0, then those of rows 8.
Num TileProducts::placeAsRows(Num lane) {
  Num low = lane % 8, second = lane / 8 % 2, fourth = lane / 16;
  return placeInSlice(low + second * 8, fourth);
}
Num TileProducts::placeAsColumns(Num lane) {
  return placeInSlice(lane % 8 + lane / 16 * 8, lane / 8 % 2);
}

/// Blocks of 16 x 16: `count` of them, 16 rows apart, at the columns from `column` on.
Tensor TileProducts::matrices(Pointer at, const SlicedTile &tile, int row, int column, int count) {
  Pointer first = offset(at, column / sliceColumns * tile.stride() + row * sliceColumns);
  return make_tensor(
      first, make_layout(make_shape(pieceElements, count), make_stride(1, rows * sliceColumns)));
}
/// `to` += A B for all blocks of rows of the warp and 16 columns of B, of depth 16; `nextC` and
/// `nextA` elements from a block of rows to the next.
void TileProducts::gemm16(Pointer to, int nextC, Pointer a, int nextA, Pointer b) const {
  if (isNarrow()) {
    for (int block = 0; block < blocks; ++block)
      for (int half = 0; half < 2; ++half) // of the columns
        gemmOf(offset(to, block * nextC + half * ofC), offset(a, block * nextA),
               offset(b, half * ofB / 2));
    return;
  }
  Shape two = make_shape(2, 2);
  Tensor all = make_tensor(
      to, make_layout(make_shape(two, blocks, 2), make_stride(make_stride(1, 2), nextC, ofC)));
  if (!isTuring) {
    Tensor first = make_tensor(a, make_layout(make_shape(make_shape(2, 2, 2), blocks),
                                              make_stride(make_stride(1, 2, 4), nextA)));
    Tensor second =
        make_tensor(b, make_layout(make_shape(two, 2), make_stride(make_stride(1, 2), ofB / 2)));
    return gemm(mma, all, first, second, all);
  }
  for (int half = 0; half < 2; ++half) { // of the depth
    Tensor first =
        make_tensor(offset(a, half * ofA / 2),
                    make_layout(make_shape(two, blocks), make_stride(make_stride(1, 2), nextA)));
    Tensor second = make_tensor(offset(b, half * 2), make_layout(two, make_stride(1, ofB / 2)));
    gemm(mma, all, first, second, all);
  }
}
/// A block of 16 rows and 8 columns, of depth 32; operands are registers as units.
void TileProducts::gemmOf(Pointer to, Pointer a, Pointer b) const {
  auto bytes = [&](Pointer of, int units) {
    return make_tensor(recast_ptr(of, element, 4), make_layout(2 * units));
  };
  Tensor d = make_tensor(to, make_layout(ofC));
  gemm_with(mmaOfBytes, d, bytes(a, ofA), bytes(b, ofB / 2), d);
}
void TileProducts::fetch(Pointer at, const SlicedTile &tile, int column, Pointer to) const {
  copy(loadRows, matrices(at, tile, 0, column, blocks),
       make_tensor(to, make_layout(make_shape(ofA, blocks))));
}
void TileProducts::multiply(const std::function<Pointer(int)> &fetchA, int depth, Pointer b,
                            const SlicedTile &tileB, int extent, Tensor sums) const {
  store_vec(broadcast(f32(0), blocks * ofBlock(extent)), sums);
  Tensor some = make_rmem_tensor(unit(), make_layout(make_shape(ofB, 1)));
  for (int column = 0; column < depth; column += TileProducts::depth) {
    Pointer a = fetchA(column);
    for (int row = 0; row < extent; row += 2 * columns) {
      copy(loadRows, matrices(b, tileB, row, column, 1), some);
      gemm16(offset(get_iter(sums), ofBlock(row)), ofBlock(extent), a, ofA, get_iter(some));
    }
  }
}
/// The sums of 16 columns, in their order, are a block of the first operand; those of 32 are one of
/// 8 bits once four of a row are side by side.
void TileProducts::narrow(Tensor sums, int columns, Tensor to) const {
  Tensor from = sums;
  if (isNarrow())
    from =
        make_tensor(get_iter(sums),
                    make_layout(make_shape(2, 2, 2, blocks * columns / (2 * TileProducts::columns)),
                                make_stride(1, ofC, 2, 2 * ofC)));
  store_vec(convert(load_vec(from), element), to);
}
void TileProducts::add(Tensor a, int depth, Pointer b, const SlicedTile &tileB, int extent,
                       Tensor sums) const {
  if (isNarrow()) {
    constexpr int both = 2 * TileProducts::depth; // keys of a product
    for (int row = 0; row < depth; row += both)
      for (int at = 0; at < units(extent); at += sliceColumns)
        addNarrow(offset(get_iter(a), ofBlock(row)), ofBlock(depth), b, tileB, row, at,
                  offset(get_iter(sums), ofBlock(2 * at)), ofBlock(extent));
    return;
  }
  Tensor some = make_rmem_tensor(element, make_layout(make_shape(ofB, 1)));
  for (int row = 0; row < depth; row += TileProducts::depth)
    for (int column = 0; column < extent; column += 2 * columns) {
      copy(loadColumns, matrices(b, tileB, row, column, 1), some);
      gemm16(offset(get_iter(sums), ofBlock(column)), ofBlock(extent),
             offset(get_iter(a), ofBlock(row)), ofBlock(depth), get_iter(some));
    }
}
/// 32 elements: the even and the odd ones of the first 16, then those of the others.
void TileProducts::addNarrow(Pointer a, int nextA, Pointer b, const SlicedTile &tileB, int row,
                             int unit, Pointer to, int nextC) const {
  constexpr int words = 4, evenBytes = 0x6420, oddBytes = 0x7531;
  Tensor operands = make_rmem_tensor(i32, make_layout(make_shape(2, words))); // (keys, elements)
  for (int keys = 0; keys < 2; ++keys) {
    Tensor some = make_rmem_tensor(this->unit(), make_layout(make_shape(ofB, 1)));
    copy(loadColumns, matrices(b, tileB, row + keys * depth, unit, 1), some);
    Tensor read = make_tensor(recast_ptr(get_iter(some), i32), make_layout(words));
    for (int i = 0; i < words; ++i)
      dsl::store(byte_perm(dsl::load(read, i / 2 * 2), dsl::load(read, i / 2 * 2 + 1),
                           i32(i % 2 ? oddBytes : evenBytes)),
                 operands, make_coord(keys, i));
  }
  Pointer second = recast_ptr(get_iter(operands), this->unit(), 4),
          first = recast_ptr(a, this->unit(), 4);
  for (int block = 0; block < blocks; ++block)
    for (int i = 0; i < words; ++i)
      gemmOf(offset(to, block * nextC + i * ofC), offset(first, units(block * nextA)),
             offset(second, i * ofB / 2));
}

//===--- result -------------------------------------------------------------------------------===//

void TileProducts::put(Tensor sums, const SlicedTile &tile, Pointer to, Num lane) const {
  for (int piece = 0; piece < 2; ++piece)
    for (int block = 0; block < blocks; ++block)
      for (int r = 0; r < 2; ++r)
        putRow(sums, tile, to, lane, piece, block, r);
}
/// The pairs of a thread's row in one piece of each slice.
void TileProducts::putRow(Tensor sums, const SlicedTile &tile, Pointer to, Num lane, int piece,
                          int block, int ofThread) const {
  const int extent = tile.columnsOfRow();
  Shape pairs = make_shape(2, extent / sliceColumns);
  Pointer from = offset(get_iter(rowOf(sums, extent, block, ofThread)), piece * ofC);
  to = offset(to, (placeInSlice(lane / 4, i32(piece)) + lane % 4 * 2).promised(2));
  to = offset(to, (block * rows + 8 * ofThread) * sliceColumns);
  Num values = load_vec(make_tensor(from, make_layout(pairs, make_stride(1, 2 * ofC))));
  store_vec(convert(values, element),
            make_tensor(to, make_layout(pairs, make_stride(1, tile.stride()))));
}
void TileProducts::store(const SlicedTile &tile, Pointer from, Num lane, Tensor head, Num first,
                         Num last) const {
  auto [row, piece] = rowAndPiece(lane, tile);
  for (int i = 0; i < blocks * rows; i += atom::Threads::ofWarp / tile.lanes()) {
    Num at = first + row + i;
    Pointer there = offset(from, placeAcross(row + i, piece, tile));
    Num values = load_vec(piecesInTile(there, tile));
    If(at < last, [&] { store_vec(values, piecesOfRow(head(at, _), piece, tile)); });
  }
}
