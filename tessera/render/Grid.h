// Grid: layouts as tables of values, and the axes and panels that pictures are made of.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/base/Result.h"
#include "tessera/layout/Layout.h"
#include "tessera/render/Picture.h"

namespace tessera::render {

/// Number of elements of a static tree, or a reason; `whole` is what the reason names.
Result<int64_t> sizeOf(const layout::Tree &shape, const std::string &whole);

/// Every value of a static layout, by integer coordinates.
struct Table {
  int64_t rows = 1, columns = 1;
  layout::Tree rowShape, columnShape;
  std::vector<layout::Tree> values; // row by row: numbers, or tuples for basis strides
};
/// Mode 0 by all other modes; a layout of one mode is one row. Refuses what is too large to draw.
Result<Table> tabulate(const layout::AnyLayout &);

/// Refuses more than mostExtent rows or columns, or mostCells cells.
Result<bool> drawable(int64_t rows, int64_t columns, const std::string &what);

/// 0, 1, ... with thicker lines where a leaf of `shape` wraps around, and the outer coordinates as
/// spans.
Axis axisOf(const layout::Tree &shape, int64_t extent);

/// A panel of empty cells.
Panel blank(Axis rows, Axis columns);

/// A (thread, value) layout seen from the tile.
struct TilePicture {
  int64_t rows, columns;
  bool transposed = false;      // index = column + row * columns instead of row + column * rows
  int colourStep = 1;           // 4: neighbouring owners differ in hue
  std::string_view owner = "T"; // T for threads
  const layout::Layout *threads = nullptr; // position in the atom -> thread; none: the same
  bool nobodys = false; // neutral and empty cells, as for memory that one descriptor names
};
/// Cells "T3" over "V1" in the thread's colour. Cells of several owners say how many there are
/// more; where all threads see the whole tile, cells are neutral and empty.
Result<Panel> tilePanel(const layout::Layout &tv, const TilePicture &);

/// Explains "+3" where a panel has such cells, and colours that stand for several of `threads`.
void addThreadNotes(Picture &, int64_t threads);

/// 0, 1, ...
std::vector<int64_t> numbers(int64_t count);
/// The swatches of the first threads or banks of these, as many as there are colours.
Legend groupLegend(std::string caption, const std::vector<int64_t> &numbers, int colourStep = 1);
/// The values of a mode in order; `whole` is what a reason names.
Result<std::vector<int64_t>> valuesOf(const layout::Layout &mode, const std::string &whole);

} // namespace tessera::render
