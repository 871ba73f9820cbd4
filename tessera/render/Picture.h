// Picture: grids of cells with axes, captions and legends, before it is decided how they are
// written.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tessera::render {

/// What a colour stands for; Palette.h says how it looks.
struct Colour {
  enum Kind : uint8_t {
    None,
    Neutral, // belongs to everybody
    Group, // a thread or a bank: 32 colours in eight hues of four shades, then again from the first
    Ramp,  // a magnitude, 0 to rampSteps - 1
    Good,
    Bad
  } kind = None;
  uint16_t index = 0;

  static constexpr int groups = 32;
  static constexpr int rampSteps = 64;
  static constexpr Colour group(int64_t i) { return {Group, uint16_t(i % groups)}; }
  /// The step of `value` in [low, high].
  static constexpr Colour ramp(int64_t value, int64_t low, int64_t high) {
    double part = high > low ? (double(value) - double(low)) / (double(high) - double(low)) : 0;
    return {Ramp, uint16_t(part * (rampSteps - 1) + 0.5)};
  }
  friend constexpr bool operator==(const Colour &, const Colour &) = default;
};

/// One cell: a line of text, and a second one under it (after it in a terminal).
struct Cell {
  std::string text, detail;
  Colour colour;
};

/// Neighbouring rows or columns under one label.
struct Span {
  int64_t begin, end;
  std::string text;
};

/// The rows, or the columns, of a panel.
struct Axis {
  int64_t extent = 0;
  std::vector<std::string> labels; // one per cell, or none
  std::vector<Span> spans;         // a second row of labels outside the first
  std::vector<uint8_t>
      lines; // weight of the line before each cell and after the last: 0 thin, 1, 2 thick

  static constexpr uint8_t thickest = 2;
  /// Labels 0, 1, ... and thin lines.
  static Axis numbered(int64_t extent);
  /// Thin lines and no labels.
  static Axis plain(int64_t extent);
};

/// One grid. Panels with the same `place` row have their grids aligned at the top, those with the
/// same `place` column at the left.
struct Panel {
  std::string caption, detail;
  Axis rows, columns;
  std::vector<Cell> cells; // row by row
  int placeRow = 0, placeColumn = 0;

  const Cell &at(int64_t row, int64_t column) const {
    return cells[size_t(row * columns.extent + column)];
  }
  Cell &at(int64_t row, int64_t column) { return cells[size_t(row * columns.extent + column)]; }
};

/// What colours mean: swatches in a row after a caption.
struct Legend {
  std::string caption;
  std::vector<Cell> cells;
};

struct Picture {
  std::string title;
  std::string subtitle; // what is shown, in one line
  std::vector<Panel> panels;
  std::vector<Legend> legends;
  std::vector<std::string> notes; // sentences below
};

} // namespace tessera::render
