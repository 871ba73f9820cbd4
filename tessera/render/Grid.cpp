// Evaluates layouts point by point.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/render/Grid.h"

#include "tessera/layout/Algebra.h"
#include "tessera/layout/Domains.h"
#include "tessera/layout/Text.h"
#include "tessera/render/Draw.h"
#include "tessera/render/Errors.h"

#include <algorithm>
#include <numeric>

namespace tessera::render {

using namespace layout;

Result<int64_t> sizeOf(const Tree &shape, const std::string &whole) {
  if (!shape.isStatic())
    return fail(Error::NotStatic, whole);
  Const none;
  Int size = layout::product(none, shape);
  if (none.overflowed())
    return fail(Error::NumbersTooLarge, whole);
  return size.value;
}

Result<bool> drawable(int64_t rows, int64_t columns, const std::string &what) {
  if (rows > mostExtent || columns > mostExtent || rows * columns > mostCells)
    return fail(Error::TooManyCells, mostExtent, mostCells, what, rows, columns);
  return true;
}

Result<Table> tabulate(const AnyLayout &any) {
  std::string text = str(any);
  if (!any.isStatic())
    return fail(Error::NotStatic, text);
  bool matrix = any.rank() >= 2;
  AnyLayout grouped = any;
  if (matrix) {
    TESSERA_TRY(Layout pair, groupModes(any.outer(), 1, int64_t(any.rank())));
    grouped = any.withOuter(std::move(pair));
  }
  Table table;
  table.rowShape = matrix ? grouped.shape()[0] : Tree(int64_t(1));
  table.columnShape = matrix ? grouped.shape()[1] : grouped.shape();
  TESSERA_TRY(table.rows, sizeOf(table.rowShape, text));
  TESSERA_TRY(table.columns, sizeOf(table.columnShape, text));
  if (Result<bool> fits = drawable(table.rows, table.columns, text); !fits)
    return fits.reason();
  Const none;
  table.values.reserve(size_t(table.rows * table.columns));
  for (int64_t r = 0; r < table.rows; ++r)
    for (int64_t c = 0; c < table.columns; ++c) {
      // The only coordinate of the layout ():() is ().
      Tree coordinate = matrix       ? Tree::of({Tree(r), Tree(c)})
                        : any.rank() ? Tree(c)
                                     : Tree(std::vector<Tree>{});
      TESSERA_TRY(Tree value, crd2idx(none, coordinate, grouped));
      table.values.push_back(std::move(value));
    }
  if (none.overflowed())
    return fail(Error::NumbersTooLarge, text);
  return table;
}

Axis axisOf(const Tree &shape, int64_t extent) {
  Axis axis = Axis::numbered(extent);
  std::vector<int64_t> extents;
  shape.forEachLeaf([&](const Leaf &leaf) {
    if (leaf.value.value > 1)
      extents.push_back(leaf.value.value);
  });
  int64_t below = 1;
  for (size_t i = 0; i + 1 < extents.size(); ++i) {
    below *= extents[i];
    for (int64_t at = below; at < extent; at += below)
      axis.lines[size_t(at)] = std::min<uint8_t>(uint8_t(i + 1), Axis::thickest);
  }
  if (extents.size() < 2)
    return axis;
  for (int64_t begin = 0; begin < extent; begin += extents[0]) {
    std::string text;
    int64_t rest = begin / extents[0];
    for (size_t i = 1; i < extents.size(); ++i) {
      text += cat(i == 1 ? "" : ",", rest % extents[i]);
      rest /= extents[i];
    }
    axis.spans.push_back(
        {begin, begin + extents[0], extents.size() > 2 ? cat("(", text, ")") : text});
  }
  return axis;
}

Panel blank(Axis rows, Axis columns) {
  Panel panel;
  panel.cells.resize(size_t(rows.extent * columns.extent));
  panel.rows = std::move(rows);
  panel.columns = std::move(columns);
  return panel;
}

Result<std::vector<int64_t>> valuesOf(const Layout &mode, const std::string &whole) {
  TESSERA_TRY(int64_t size, sizeOf(mode.shape, whole));
  Const none;
  std::vector<int64_t> values;
  for (int64_t i = 0; i < size; ++i) {
    TESSERA_TRY(Tree value, crd2idx(none, Tree(i), mode));
    values.push_back(value.leaf().value.value);
  }
  if (none.overflowed())
    return fail(Error::NumbersTooLarge, whole);
  return values;
}

namespace {
struct Owners {
  int64_t count = 0, thread = 0, value = 0; // of the first
};

/// Who owns each element of the tile, by its index.
Result<std::vector<Owners>> ownersOf(const Layout &tv, const TilePicture &tile) {
  std::string text = str(tv);
  if (!tv.isStatic())
    return fail(Error::NotStatic, text);
  if (tv.rank() != 2 || tv.stride.hasBasis())
    return fail(Error::NotThreadValue, text);
  TESSERA_TRY(int64_t threads, sizeOf(tv.shape[0], text));
  TESSERA_TRY(int64_t perThread, sizeOf(tv.shape[1], text));
  if (threads > mostOwners || perThread > mostOwners || threads * perThread > mostOwners)
    return fail(Error::TooManyOwners, mostOwners, text, cat(threads, " x ", perThread));
  TESSERA_TRY(std::vector<int64_t> starts, valuesOf(tv[0], text));
  TESSERA_TRY(std::vector<int64_t> steps, valuesOf(tv[1], text));
  std::vector<Owners> owners(size_t(tile.rows * tile.columns));
  for (int64_t t = 0; t < threads; ++t)
    for (int64_t v = 0; v < perThread; ++v) {
      // Does not overflow: starts[t] was checked at v = 0, and steps[v] at t = 0.
      int64_t index = starts[size_t(t)] + steps[size_t(v)];
      if (index < 0 || index >= int64_t(owners.size()))
        return fail(Error::OutsideTile, t, v, index, tile.rows, tile.columns);
      if (Owners &owner = owners[size_t(index)]; owner.count++ == 0)
        owner.thread = t, owner.value = v;
    }
  return owners;
}
} // namespace

namespace {
/// A medium line before each row (or column) all of whose threads have smaller numbers than their
/// neighbours before, or are of another warp: there a block of the tile ends. `threadAt(i, j)` is
/// the thread of cell j of row i, -1 where there is none.
template <class F> void drawBlocks(Axis &axis, int64_t across, F &&threadAt) {
  for (int64_t i = 1; i < axis.extent; ++i) {
    bool smaller = true, otherWarp = true;
    for (int64_t j = 0; j < across && (smaller || otherWarp); ++j) {
      const int64_t before = threadAt(i - 1, j), thread = threadAt(i, j);
      const bool both = before >= 0 && thread >= 0;
      smaller &= both && thread < before;
      otherWarp &= both && thread / warpThreads != before / warpThreads;
    }
    axis.lines[size_t(i)] = smaller || otherWarp ? 1 : 0;
  }
}
} // namespace

Result<Panel> tilePanel(const Layout &tv, const TilePicture &tile) {
  if (tile.rows < 1 || tile.columns < 1)
    return fail(Error::TileNotPositive, tile.rows, tile.columns);
  if (Result<bool> fits = drawable(tile.rows, tile.columns, str(tv)); !fits)
    return fits.reason();
  TESSERA_TRY(std::vector<Owners> owners, ownersOf(tv, tile));
  TESSERA_TRY(int64_t threads, sizeOf(tv.shape[0], str(tv)));
  std::vector<int64_t> lanes;
  if (tile.threads) {
    TESSERA_TRY(lanes, valuesOf(*tile.threads, str(*tile.threads)));
  }
  bool shared = tile.nobodys ||
                (threads > 1 && std::all_of(owners.begin(), owners.end(), [&](const Owners &owner) {
                   return owner.count >= threads;
                 }));
  Panel panel = blank(Axis::numbered(tile.rows), Axis::numbered(tile.columns));
  std::vector<int64_t> threadOf(owners.size(), -1); // row by row
  for (int64_t r = 0; r < tile.rows; ++r)
    for (int64_t c = 0; c < tile.columns; ++c) {
      const Owners &owner =
          owners[size_t(tile.transposed ? c + r * tile.columns : r + c * tile.rows)];
      Cell &cell = panel.at(r, c);
      if (owner.count == 0)
        continue;
      if (shared) {
        cell.colour = {Colour::Neutral, 0};
        continue;
      }
      int64_t thread = lanes.empty() ? owner.thread : lanes[size_t(owner.thread)];
      threadOf[size_t(r * tile.columns + c)] = thread;
      cell.colour = Colour::group(thread * tile.colourStep);
      cell.text = cat(tile.owner, thread);
      cell.detail = owner.count > 1 ? cat("+", owner.count - 1) : cat("V", owner.value);
    }
  auto at = [&](int64_t r, int64_t c) { return threadOf[size_t(r * tile.columns + c)]; };
  drawBlocks(panel.rows, tile.columns, at);
  drawBlocks(panel.columns, tile.rows, [&](int64_t c, int64_t r) { return at(r, c); });
  return panel;
}

void addThreadNotes(Picture &picture, int64_t threads) {
  bool several = false;
  for (const Panel &panel : picture.panels)
    for (const Cell &cell : panel.cells)
      several |= cell.detail.starts_with('+');
  if (several)
    picture.notes.push_back("+1: another thread has the same element, or this one has it twice.");
  if (threads > Colour::groups)
    picture.notes.push_back(cat("Colours repeat every ", Colour::groups, " threads."));
}

std::vector<int64_t> numbers(int64_t count) {
  std::vector<int64_t> out(static_cast<size_t>(count));
  std::iota(out.begin(), out.end(), 0);
  return out;
}

Legend groupLegend(std::string caption, const std::vector<int64_t> &numbers, int colourStep) {
  Legend legend;
  legend.caption = std::move(caption);
  for (size_t i = 0; i < std::min(numbers.size(), size_t(Colour::groups)); ++i)
    legend.cells.push_back(
        {std::to_string(numbers[i]), "", Colour::group(numbers[i] * colourStep)});
  return legend;
}

} // namespace tessera::render
