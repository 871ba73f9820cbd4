// SlicedTile: rows of Q, K, V or O in shared memory, as cp.async writes and ldmatrix reads them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

namespace tessera::kernels::sm80 {

/// `rows` x `columns` elements of 16 bits, or pairs of elements of 8 bits, in slices of 16 columns,
/// one after the other. A row of a slice is two pieces of 16 bytes, which are exchanged in every
/// other four rows: so eight rows of eight columns lie in all banks. All slices of a row are at
/// equal distances, and eight rows further all is as before: a thread that goes over a tile adds
/// constants to one address. (Swizzled rows of 128 bytes need four addresses, for which heads of
/// 128 have no registers.)
///
/// Between slices is the room of a row, so that the pieces of a row that lanes copy side by side
/// lie in all banks, too.
class SlicedTile {
public:
  static constexpr int pieceElements = 8, sliceColumns = 2 * pieceElements;
  static constexpr int exchangedRows = 4;
  static constexpr int64_t alignment = 128; // bytes of all banks

  constexpr SlicedTile(int rows, int columns) : rows(rows), columns(columns) {}

  constexpr int extent() const { return rows; }
  constexpr int columnsOfRow() const { return columns; }
  /// Lanes that copy pieces side by side: 128, 64 or 32 bytes of a row; and how often, for a row.
  constexpr int lanes() const { return columns % 64 == 0 ? 8 : columns % 32 == 0 ? 4 : 2; }
  constexpr int turns() const { return columns / pieceElements / lanes(); }
  /// Elements from a slice to the next.
  constexpr int stride() const { return (rows + 1) * sliceColumns; }
  constexpr int elements() const { return columns / sliceColumns * stride(); }
  constexpr int64_t bytes() const { return int64_t(elements()) * 2; }

private:
  int rows, columns;
};

} // namespace tessera::kernels::sm80
