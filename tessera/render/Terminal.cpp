// A picture as lines of text, with colours where they are wanted.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/base/Result.h"
#include "tessera/render/Lines.h"
#include "tessera/render/Palette.h"
#include "tessera/render/Writers.h"

#include <algorithm>
#include <map>
#include <optional>

namespace tessera::render {

namespace {
/// Lines with the columns that they take, which escapes do not.
struct Block {
  std::vector<std::string> lines;
  std::vector<int> widths;

  int width() const { return widths.empty() ? 0 : *std::max_element(widths.begin(), widths.end()); }
  void add(std::string line, int width) {
    lines.push_back(std::move(line));
    widths.push_back(width);
  }
};

std::string blanks(int count) { return std::string(size_t(std::max(count, 0)), ' '); }
std::string rightAligned(const std::string &text, int width) {
  return blanks(width - columns(text)) + text;
}

/// The cells of an axis that are shown: the first ones and the last; -1 stands for those left out.
std::vector<int64_t> shown(int64_t extent, int64_t room) {
  std::vector<int64_t> indices;
  int64_t whole = extent <= room ? extent : std::max<int64_t>(room - 2, 1);
  for (int64_t i = 0; i < whole; ++i)
    indices.push_back(i);
  if (whole < extent) {
    if (whole + 1 < extent)
      indices.push_back(-1);
    indices.push_back(extent - 1);
  }
  return indices;
}

/// Light and heavy lines where they meet: by the place of the row (top, inside, bottom), of the
/// column, and by whether the vertical and the horizontal line are heavy. The frame is light.
constexpr std::string_view crossings[3][3][4] = {
    {{"┌", "┌", "┌", "┌"}, {"┬", "┬", "┰", "┰"}, {"┐", "┐", "┐", "┐"}},
    {{"├", "┝", "├", "┝"}, {"┼", "┿", "╂", "╋"}, {"┤", "┥", "┤", "┥"}},
    {{"└", "└", "└", "└"}, {"┴", "┴", "┸", "┸"}, {"┘", "┘", "┘", "┘"}}};
constexpr std::string_view verticals[] = {" ", "│", "┃"}, horizontals[] = {" ", "─", "━"};

/// Writes one panel.
class PanelText {
public:
  PanelText(const Panel &panel, const Terminal &options) : panel(panel), options(options) {
    for (const Cell &cell : panel.cells)
      cellWidth = std::max(cellWidth, columns(content(cell)));
    for (const std::string &label : panel.columns.labels)
      cellWidth = std::max(cellWidth, columns(label));
    for (const std::string &label : panel.rows.labels)
      labelWidth = std::max(labelWidth, columns(label));
    for (const Axis *axis : {&panel.rows, &panel.columns})
      for (int64_t i = 1; i < axis->extent; ++i)
        framed |= axis->lines[size_t(i)] > 0;
    framed &= panel.rows.extent > 1 || panel.columns.extent > 1;
    pitch = cellWidth + (options.colour ? 2 : 1);
    int64_t room = std::min<int64_t>(panel.columns.extent, options.width);
    do
      columnsShown = shown(panel.columns.extent, room);
    while (width() > options.width && --room > 2);
    rowsShown = shown(panel.rows.extent, options.height);
  }

  Block block() {
    Block out;
    if (!panel.caption.empty())
      out.add(panel.caption, columns(panel.caption));
    if (!panel.detail.empty())
      out.add(panel.detail, columns(panel.detail));
    if (!panel.columns.labels.empty())
      add(out, header());
    for (size_t i = 0; i < rowsShown.size(); ++i) {
      int64_t row = rowsShown[i];
      if (framed && (i == 0 || weight(panel.rows, rowsShown, i) > 0))
        add(out, rule(i == 0 ? 0 : 1, i == 0 ? 1 : weight(panel.rows, rowsShown, i)));
      add(out, row < 0 ? ellipsis() : cells(row));
    }
    if (framed)
      add(out, rule(2, 1));
    return out;
  }

private:
  static std::string content(const Cell &cell) {
    return cell.detail.empty() ? cell.text : cat(cell.text, " ", cell.detail);
  }

  /// The line before the i-th shown cell.
  static uint8_t weight(const Axis &axis, const std::vector<int64_t> &indices, size_t i) {
    return indices[i] < 0 ? 0 : axis.lines[size_t(indices[i])];
  }
  uint8_t before(size_t i) const {
    if (!framed)
      return 0;
    return i == 0 || i == columnsShown.size() ? 1 : weight(panel.columns, columnsShown, i);
  }

  int width() const {
    int sum = labelWidth + 1;
    for (size_t i = 0; i <= columnsShown.size(); ++i)
      sum += (before(i) ? 1 : 0) + (i < columnsShown.size() ? pitch : 0);
    return sum;
  }
  void add(Block &out, std::string line) const { out.add(std::move(line), width()); }

  std::string header() const {
    std::string out = blanks(labelWidth + 1);
    for (size_t i = 0; i < columnsShown.size(); ++i) {
      int64_t column = columnsShown[i];
      out += before(i) ? " " : "";
      out += rightAligned(column < 0 ? "…" : panel.columns.labels[size_t(column)], cellWidth + 1);
      out += blanks(pitch - cellWidth - 1);
    }
    return out + (before(columnsShown.size()) ? " " : "");
  }

  std::string rule(int place, uint8_t heavy) const {
    std::string out = blanks(labelWidth + 1);
    for (size_t i = 0; i <= columnsShown.size(); ++i) {
      int side = i == 0 ? 0 : i == columnsShown.size() ? 2 : 1;
      if (uint8_t vertical = before(i))
        out += crossings[place][side][(vertical == 2 ? 2 : 0) + (heavy == 2 ? 1 : 0)];
      for (int k = 0; i < columnsShown.size() && k < pitch; ++k)
        out += horizontals[heavy];
    }
    return out;
  }

  std::string ellipsis() const {
    std::string out = rightAligned(labelWidth ? "⋮" : "", labelWidth) + " ";
    for (size_t i = 0; i <= columnsShown.size(); ++i) {
      out += before(i) ? verticals[before(i)] : "";
      if (i < columnsShown.size())
        out += rightAligned("⋮", cellWidth + 1) + blanks(pitch - cellWidth - 1);
    }
    return out;
  }

  std::string cells(int64_t row) const {
    std::string out = panel.rows.labels.empty() ? "" : panel.rows.labels[size_t(row)];
    out = rightAligned(out, labelWidth) + " ";
    for (size_t i = 0; i <= columnsShown.size(); ++i) {
      out += before(i) ? verticals[before(i)] : "";
      if (i == columnsShown.size())
        break;
      int64_t column = columnsShown[i];
      std::string text = column < 0 ? "…" : content(panel.at(row, column));
      text = rightAligned(text, cellWidth + 1) + blanks(pitch - cellWidth - 1);
      Colour colour = column < 0 ? Colour{} : panel.at(row, column).colour;
      out += options.colour && colour.kind != Colour::None ? painted(colour, text) : text;
    }
    return out;
  }

  static std::string painted(Colour colour, const std::string &text) {
    return cat("\x1b[48;5;", ansi(fill(colour)), ";38;5;", ansi(inkOn(colour)), "m", text,
               "\x1b[0m");
  }

  const Panel &panel;
  const Terminal &options;
  int cellWidth = 1, labelWidth = 0, pitch = 0;
  bool framed = false;
  std::vector<int64_t> columnsShown, rowsShown;
};

constexpr int gap = 3;

/// The blocks of the panels beside and below each other, or nothing where they do not fit.
std::optional<std::vector<std::string>> beside(const Picture &picture,
                                               const std::vector<Block> &blocks, int width) {
  std::map<int, int> wide, high;
  for (size_t i = 0; i < blocks.size(); ++i) {
    int &w = wide[picture.panels[i].placeColumn], &h = high[picture.panels[i].placeRow];
    w = std::max(w, blocks[i].width());
    h = std::max(h, int(blocks[i].lines.size()));
  }
  int needed = -gap;
  for (auto [place, columns] : wide)
    needed += columns + gap;
  if (needed > width)
    return std::nullopt;
  std::vector<std::string> out;
  for (auto [placeRow, rows] : high) {
    for (int line = 0; line < rows; ++line) {
      std::string text;
      int at = 0, left = 0;
      for (auto [placeColumn, columns] : wide) {
        for (size_t i = 0; i < blocks.size(); ++i) {
          const Panel &panel = picture.panels[i];
          if (panel.placeRow != placeRow || panel.placeColumn != placeColumn ||
              line >= int(blocks[i].lines.size()))
            continue;
          text += blanks(left - at) + blocks[i].lines[size_t(line)];
          at = left + blocks[i].widths[size_t(line)];
        }
        left += columns + gap;
      }
      out.push_back(text);
    }
    out.push_back("");
  }
  return out;
}

std::vector<std::string> below(const std::vector<Block> &blocks) {
  std::vector<std::string> out;
  for (const Block &block : blocks) {
    out.insert(out.end(), block.lines.begin(), block.lines.end());
    out.push_back("");
  }
  return out;
}

std::vector<Block> blocksOf(const Picture &picture, const Terminal &options) {
  std::vector<Block> blocks;
  for (const Panel &panel : picture.panels)
    blocks.push_back(PanelText(panel, options).block());
  return blocks;
}
} // namespace

std::string terminal(const Picture &picture, const Terminal &options) {
  std::string out;
  if (!picture.title.empty())
    out += options.colour ? cat("\x1b[1m", picture.title, "\x1b[0m\n") : picture.title + "\n";
  for (const std::string &line : wrapped(picture.subtitle, options.width))
    out += line + "\n";
  if (!out.empty())
    out += "\n";
  // Side by side each panel must show all of its columns.
  Terminal wide = options;
  wide.width = 1 << 20;
  std::optional<std::vector<std::string>> lines =
      beside(picture, blocksOf(picture, wide), options.width);
  for (std::string &line : lines ? *lines : below(blocksOf(picture, options))) {
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  for (const std::string &note : picture.notes)
    for (const std::string &line : wrapped(note, options.width))
      out += line + "\n";
  return out;
}

} // namespace tessera::render
