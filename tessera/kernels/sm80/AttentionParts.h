// AttentionParts: copies between a head's rows and tiles, and products of tiles, by warps. For the
// kernels of attention of mma.sync.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/dsl/Dsl.h"
#include "tessera/kernels/sm80/AttentionTiles.h"

#include <functional>
#include <optional>
#include <utility>

namespace tessera::kernels::sm80 {

/// A row and its first piece, of a thread with this index among those that copy rows of a tile.
std::pair<dsl::Num, dsl::Num> rowAndPiece(dsl::Num index, const SlicedTile &);
/// A row's pieces of a lane, in the row of a tensor and in a tile, that begin there. Pairs of
/// elements of 8 bits are taken for one of 16.
dsl::Tensor piecesOfRow(dsl::Tensor row, dsl::Num piece, const SlicedTile &);
dsl::Tensor piecesInTile(dsl::Pointer at, const SlicedTile &);
/// The place of a piece of a slice's row, in elements from the start of the slice.
dsl::Num placeInSlice(dsl::Num row, dsl::Num piece);
/// The place of one of many pieces of a row, of lanes that have such side by side.
dsl::Num placeAcross(dsl::Num row, dsl::Num piece, const SlicedTile &);

/// Copies from device to shared memory by all threads of a block: by cp.async, on Turing through
/// registers, so that they have arrived when the threads meet.
struct TileLoads {
  bool isTuring;
  int threads;
  dsl::Num index = {}; // of the thread

  /// Begins to copy rows of a head's tensor, from `first` on, to a tile; with `last` those from
  /// there on are zeros.
  void rows(dsl::Tensor head, dsl::Num first, dsl::Pointer to, const SlicedTile &,
            std::optional<dsl::Num> last) const;
  /// The same of rows that do not follow each other in memory: `rowOf` says where each is.
  void each(const std::function<dsl::Tensor(dsl::Num)> &rowOf, dsl::Num first, dsl::Pointer to,
            const SlicedTile &, dsl::Num last) const;
  /// Four numbers of f32 of each thread that calls it.
  void numbers(dsl::Pointer from, dsl::Pointer to) const;
  void commit() const;
  /// Until all but so many groups have arrived, for all threads.
  void await(int groups) const;

private:
  void begin(const dsl::Tensor &from, const dsl::Tensor &to, std::optional<dsl::Num> isThere,
             int turns) const;
};

/// Products of tiles by mma.sync, with f32 sums. A warp has `blocks` blocks of 16 rows of the first
/// operand and of the sums; all columns of a block's sums follow each other.
///
/// Columns of tiles are counted in units of 16 bits, which are one element or two of 8 bits. Of
/// these, mma takes four keys of one element in a register, where V has elements of a key side by
/// side. ldmatrix transposes pairs of bytes: a thread t of four gets those of a pair of elements of
/// keys 2t, 2t + 1, 2t + 8 and 2t + 9 of 16 in two registers, whose even and whose odd bytes are
/// four keys of one element. As these keys are the ones whose scores thread t has, P goes to A as
/// it lies in registers, once A counts keys in this order. The sums have the even elements of 16,
/// then the odd ones.
class TileProducts {
public:
  /// Of a block, and elements that a thread has of 16 x 16 as first operand, as second one (depth x
  /// columns), and of 16 x 8 sums (PTX ISA 9.7.14.5.8).
  static constexpr int rows = 16, columns = 8, depth = 16;
  static constexpr int ofA = 8, ofB = 8, ofC = 4;

  TileProducts(dsl::Element element, bool isTuring, int blocks)
      : element(element), isTuring(isTuring), blocks(blocks) {}
  bool isNarrow() const { return element.bits() == 8; }
  /// What tiles have in memory.
  dsl::Element unit() const { return isNarrow() ? dsl::f16 : element; }
  int units(int elements) const { return elements * element.bits() / unit().bits(); }
  /// Called in the kernel.
  void begin();

  /// The sums that a thread has of a block of rows and so many columns.
  static constexpr int ofBlock(int columns) { return columns / TileProducts::columns * ofC; }
  /// Registers for `blocks` blocks of rows and so many columns.
  dsl::Tensor registers(dsl::Element, int columns) const;
  dsl::Tensor zeros(int columns) const;
  /// A thread's pairs of columns, 8 apart, of one of its two rows of a block, which are 8 apart.
  static dsl::Tensor rowOf(dsl::Tensor sums, int columns, int block, int ofThread);

  /// The place of the lane's row of ldmatrix, for tiles that are read as first operand or, across,
  /// as second one; and for tiles of which rows are columns of the second operand.
  static dsl::Num placeAsRows(dsl::Num lane);
  static dsl::Num placeAsColumns(dsl::Num lane);

  /// 16 columns of the warp's rows of a tile.
  void fetch(dsl::Pointer at, const SlicedTile &, int column, dsl::Pointer to) const;
  /// `sums` = A B^T for `extent` columns, rows of B; `fetchA(column)` has A's registers for 16 of
  /// the `depth` units.
  void multiply(const std::function<dsl::Pointer(int)> &fetchA, int depth, dsl::Pointer b,
                const SlicedTile &ofB, int extent, dsl::Tensor sums) const;
  /// Sums as elements, in the order in which add() takes them.
  void narrow(dsl::Tensor sums, int columns, dsl::Tensor to) const;
  /// `sums` += A B for such A, of `depth` columns, and `extent` elements of a row of B.
  void add(dsl::Tensor a, int depth, dsl::Pointer b, const SlicedTile &ofB, int extent,
           dsl::Tensor sums) const;

  /// A thread's numbers of each row, of `extent` columns, to the warp's rows of a tile, from where
  /// a lane has whole pieces of rows; `lane` as for registers that nobody else needs.
  void put(dsl::Tensor sums, const SlicedTile &, dsl::Pointer to, dsl::Num lane) const;
  /// The same rows from there to a head's tensor, where they begin at `first` and end at `last`.
  void store(const SlicedTile &, dsl::Pointer from, dsl::Num lane, dsl::Tensor head, dsl::Num first,
             dsl::Num last) const;

private:
  dsl::Element element;
  bool isTuring;
  int blocks;
  dsl::TiledMma mma;
  dsl::Atom mmaOfBytes;
  dsl::Atom loadRows, loadColumns; // ldmatrix, and the one that transposes

  static dsl::Tensor matrices(dsl::Pointer at, const SlicedTile &, int row, int column, int count);
  /// Of 32 rows and 16 units of B.
  void addNarrow(dsl::Pointer a, int nextA, dsl::Pointer b, const SlicedTile &ofB, int row,
                 int unit, dsl::Pointer to, int nextC) const;
  void gemmOf(dsl::Pointer to, dsl::Pointer a, dsl::Pointer b) const;
  void gemm16(dsl::Pointer to, int nextC, dsl::Pointer a, int nextA, dsl::Pointer b) const;
  void putRow(dsl::Tensor sums, const SlicedTile &, dsl::Pointer to, dsl::Num lane, int piece,
              int block, int ofThread) const;
};

} // namespace tessera::kernels::sm80
