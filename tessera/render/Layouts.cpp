// Pictures of layouts: offsets, and threads with their values.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/layout/Algebra.h"
#include "tessera/layout/Domains.h"
#include "tessera/layout/Text.h"
#include "tessera/render/Draw.h"
#include "tessera/render/Errors.h"
#include "tessera/render/Grid.h"

#include <algorithm>
#include <set>

namespace tessera::render {

using namespace layout;

namespace {
/// The values as numbers for colours: themselves, or the sum of a coordinate's leaves.
std::vector<int64_t> magnitudes(const Table &table) {
  std::vector<int64_t> out;
  for (const Tree &value : table.values) {
    int64_t sum = 0;
    value.forEachLeaf(
        [&](const Leaf &leaf) { sum = int64_t(uint64_t(sum) + uint64_t(leaf.value.value)); });
    out.push_back(sum);
  }
  return out;
}

/// "row-major" or "column-major" where that is all there is to say.
std::string_view orderOf(const Table &table, const std::vector<int64_t> &offsets) {
  bool rows = true, columns = true;
  for (int64_t r = 0; r < table.rows; ++r)
    for (int64_t c = 0; c < table.columns; ++c) {
      int64_t offset = offsets[size_t(r * table.columns + c)];
      rows &= offset == r * table.columns + c;
      columns &= offset == r + c * table.rows;
    }
  return table.rows == 1 || table.columns == 1 ? ""
         : rows                                ? "row-major"
         : columns                             ? "column-major"
                                               : "";
}

/// "size 32 · cosize 32 · row-major · injective, compact".
std::string factsOf(const AnyLayout &any, const Table &table, const std::vector<int64_t> &offsets) {
  Const none;
  std::string out = cat("size ", table.values.size());
  if (Result<Int> cosize = layout::cosize(none, any))
    out += cat(" · cosize ", cosize->value);
  if (any.outer().stride.hasBasis())
    return out;
  if (std::string_view order = orderOf(table, offsets); !order.empty())
    out += cat(" · ", order);
  std::set<int64_t> distinct(offsets.begin(), offsets.end());
  bool injective = distinct.size() == offsets.size();
  bool compact =
      injective && *distinct.begin() == 0 && *distinct.rbegin() == int64_t(offsets.size()) - 1;
  return out + (compact     ? " · injective, compact"
                : injective ? " · injective"
                            : " · not injective");
}

Legend rampLegend(int64_t low, int64_t high) {
  Legend legend;
  legend.caption = "offset";
  for (int64_t i = 3; i < Colour::rampSteps; i += 4)
    legend.cells.push_back({"", "", {Colour::Ramp, uint16_t(i)}});
  legend.cells.front().text = std::to_string(low);
  legend.cells.back().text = std::to_string(high);
  return legend;
}
} // namespace

Result<Picture> drawLayout(const AnyLayout &any) {
  TESSERA_TRY(Table table, tabulate(any));
  std::vector<int64_t> offsets = magnitudes(table);
  auto [low, high] = std::minmax_element(offsets.begin(), offsets.end());
  Panel panel = blank(axisOf(table.rowShape, table.rows), axisOf(table.columnShape, table.columns));
  for (size_t i = 0; i < table.values.size(); ++i) {
    panel.cells[i].text = str(table.values[i]);
    panel.cells[i].colour = Colour::ramp(offsets[i], *low, *high);
  }
  Picture picture;
  picture.title = str(any);
  bool coordinates = any.outer().stride.hasBasis();
  picture.subtitle = cat(table.rows, " × ", table.columns,
                         coordinates ? ", coordinates" : ", offsets in elements");
  picture.panels.push_back(std::move(panel));
  if (!coordinates && *low < *high)
    picture.legends.push_back(rampLegend(*low, *high));
  picture.notes.push_back(factsOf(any, table, offsets));
  return picture;
}

Result<Picture> drawThreadValues(const Layout &tv, int64_t rows, int64_t columns) {
  TESSERA_TRY(Panel panel, tilePanel(tv, {.rows = rows, .columns = columns}));
  TESSERA_TRY(int64_t threads, sizeOf(tv.shape[0], str(tv)));
  TESSERA_TRY(int64_t values, sizeOf(tv.shape[1], str(tv)));
  Picture picture;
  picture.title = str(tv);
  picture.subtitle = cat("(thread, value) → element of the ", rows, " × ", columns,
                         " tile, rows fastest: ", threads, threads == 1 ? " thread" : " threads",
                         " with ", values, values == 1 ? " value" : " values", " each");
  picture.panels.push_back(std::move(panel));
  picture.legends.push_back(groupLegend("thread", numbers(threads)));
  addThreadNotes(picture, threads);
  return picture;
}

std::string written(const Picture &picture, const Output &output) {
  switch (output.format) {
  case Format::Terminal: return terminal(picture, output.terminal);
  case Format::Svg: return svg(picture);
  case Format::Latex: return latex(picture);
  }
  return {};
}

Result<Picture> pictureOf(const AnyLayout &any, const LayoutView &view) {
  if (view.kind == LayoutView::Offsets)
    return drawLayout(any);
  if (view.kind == LayoutView::Banks)
    return drawBanks(any, view.elementBits);
  if (!any.affine())
    return fail(Error::NotThreadValue, str(any));
  if (view.rows > 0 || view.columns > 0)
    return drawThreadValues(*any.affine(), view.rows, view.columns);
  if (!any.isStatic() || any.affine()->stride.hasBasis())
    return drawThreadValues(*any.affine(), 1, 1); // which says why not
  Const none;
  TESSERA_TRY(Int cosize, layout::cosize(none, any));
  return drawThreadValues(*any.affine(), 1, cosize.value);
}

Result<std::string> draw(const AnyLayout &any, const Output &output, const LayoutView &view) {
  TESSERA_TRY(Picture picture, pictureOf(any, view));
  return written(picture, output);
}

} // namespace tessera::render
