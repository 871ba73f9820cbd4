// Where everything of a picture goes on paper.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/render/Scene.h"

#include "tessera/render/Lines.h"

#include <algorithm>
#include <map>

namespace tessera::render {

namespace {
// The width of a character of a sans-serif font as a fraction of the font's size: that of digits in
// the widest of the common fonts.
constexpr double em = 0.62;
constexpr double titleSize = 16, captionSize = 12.5, textSize = 11, labelSize = 9.5;
constexpr double margin = 22, gap = 30, cellPadding = 8, legendHeight = 17;
constexpr double smallestText = 4.6, smallestLine = 6;
constexpr double roomForText = 1560, roomForColours = 900, narrowest = 480;

double widthOf(std::string_view text, double size) { return columns(text) * size * em; }

double longest(const std::vector<std::string> &texts, double size) {
  double most = 0;
  for (const std::string &text : texts)
    most = std::max(most, widthOf(text, size));
  return most;
}

/// Extents of the picture in cells. Panels in one column of the picture share its width, panels in
/// one row its height.
struct Counts {
  int64_t rows = 0, columns = 0;
  int text = 0, lines = 1;

  explicit Counts(const Picture &picture) {
    std::map<int, int64_t> high, wide;
    for (const Panel &panel : picture.panels) {
      int64_t &rowsHere = high[panel.placeRow], &columnsHere = wide[panel.placeColumn];
      rowsHere = std::max(rowsHere, panel.rows.extent);
      columnsHere = std::max(columnsHere, panel.columns.extent);
      for (const Cell &cell : panel.cells) {
        text = std::max({text, render::columns(cell.text), render::columns(cell.detail)});
        lines = std::max(lines, cell.detail.empty() ? 1 : 2);
      }
    }
    for (auto [place, extent] : high)
      rows += extent;
    for (auto [place, extent] : wide)
      columns += extent;
  }
};

/// Sizes of cells and of what is written in them; 0: nothing is.
struct Sizes {
  double width, height, text;

  explicit Sizes(const Counts &counts) {
    width = std::max(24.0, counts.text * em * textSize + cellPadding);
    height = std::max({counts.lines * textSize * 1.2 + cellPadding, 24.0, width * 0.7});
    double shrink = std::min({1.0, roomForText / (width * double(counts.columns)),
                              roomForText / (height * double(counts.rows))});
    width *= shrink;
    height *= shrink;
    text = textSize * shrink;
    if (counts.text > 0 && text >= smallestText)
      return;
    text = 0;
    int64_t most = std::max(counts.rows, counts.columns);
    width = height = std::clamp(roomForColours / double(most), 3.0, 24.0);
  }
};

/// How an axis is labelled at a size of its cells.
struct Labelling {
  int64_t every = 0; // 0: no labels
  bool spans = false;

  Labelling(const Axis &axis, double cell, bool horizontal) {
    double needed = horizontal ? longest(axis.labels, labelSize) + 3 : labelSize + 1;
    if (!axis.labels.empty())
      for (every = 1; double(every) * cell < needed;)
        every *= 2;
    spans = !axis.spans.empty();
    for (const Span &span : axis.spans)
      spans &= (horizontal ? widthOf(span.text, labelSize) + 5 : labelSize + 2) <=
               double(span.end - span.begin) * cell;
  }
};

double longest(const std::vector<Span> &spans) {
  double most = 0;
  for (const Span &span : spans)
    most = std::max(most, widthOf(span.text, labelSize));
  return most;
}

class Arranger {
public:
  Arranger(const Picture &picture) : picture(picture), sizes(Counts(picture)) {}

  Scene arranged() {
    double y = margin;
    y = line(y, picture.title, titleSize, true, ink);
    y = line(y, picture.subtitle, textSize + 1, false, faded);
    y = panels(y + 8) + 6;
    right = std::max(right, margin + narrowest);
    for (const Legend &legend : picture.legends)
      y = this->legend(legend, y);
    for (const std::string &note : picture.notes)
      y = paragraph(y, note, textSize);
    scene.width = right + margin;
    scene.height = y + margin - 4;
    return std::move(scene);
  }

private:
  void put(double x, double y, double size, Words::Anchor anchor, Rgb colour,
           const std::string &text, bool bold = false) {
    scene.words.push_back({x, y, size, anchor, bold, colour, text});
  }

  /// A line of text at the left; returns where the next one starts.
  double line(double y, const std::string &text, double size, bool bold, Rgb colour) {
    if (text.empty())
      return y;
    put(margin, y + size, size, Words::Start, colour, text, bold);
    right = std::max(right, margin + widthOf(text, size) * (bold ? 1.04 : 0.95));
    return y + size * 1.45;
  }

  /// Text that is broken at blanks to the width that the picture has.
  double paragraph(double y, const std::string &text, double size) {
    for (const std::string &row : wrapped(text, int((right - margin) / (size * em))))
      y = line(y, row, size, false, faded);
    return y;
  }

  double legend(const Legend &legend, double y) {
    double text = widthOf(legend.caption, textSize), cell = 20;
    put(margin, y + 12.5, textSize, Words::Start, faded, legend.caption);
    for (const Cell &swatch : legend.cells)
      cell = std::max(cell, widthOf(swatch.text, labelSize) + 6);
    double left = margin + text + 6, x = left;
    for (const Cell &swatch : legend.cells) {
      if (x + cell > std::max(right, margin + 700)) {
        x = left;
        y += legendHeight + 2;
      }
      scene.boxes.push_back({x, y, cell, legendHeight, fill(swatch.colour)});
      frame(x, y, cell, legendHeight, 0.6, thinLine);
      put(x + cell / 2, y + 12.5, labelSize, Words::Middle, inkOn(swatch.colour), swatch.text);
      x += cell;
      right = std::max(right, x);
    }
    return y + legendHeight + 8;
  }

  void frame(double x, double y, double width, double height, double weight, Rgb colour) {
    scene.strokes.push_back({x, y, x + width, y, weight, colour});
    scene.strokes.push_back({x, y + height, x + width, y + height, weight, colour});
    scene.strokes.push_back({x, y, x, y + height, weight, colour});
    scene.strokes.push_back({x + width, y, x + width, y + height, weight, colour});
  }

  /// Draws what surrounds a grid: captions and labels.
  double above(const Panel &panel) const {
    Labelling labels(panel.columns, sizes.width, true);
    return (panel.caption.empty() ? 0 : captionSize * 1.4) +
           (panel.detail.empty() ? 0 : textSize * 1.4) + (labels.spans ? labelSize + 5 : 0) +
           (labels.every ? labelSize + 4 : 0) + 4;
  }
  double leftOf(const Panel &panel) const {
    Labelling labels(panel.rows, sizes.height, false);
    return (labels.spans ? longest(panel.rows.spans) + 8 : 0) +
           (labels.every ? longest(panel.rows.labels, labelSize) + 6 : 0);
  }
  double below(const Panel &panel) const { return double(panel.rows.extent) * sizes.height; }
  double rightOf(const Panel &panel) const {
    return std::max({double(panel.columns.extent) * sizes.width,
                     widthOf(panel.caption, captionSize) * 1.04,
                     widthOf(panel.detail, textSize) * 0.95});
  }

  double panels(double y) {
    struct Track {
      double before = 0, after = 0, at = 0;
    };
    std::map<int, Track> rows, columns;
    auto widen = [](Track &track, double before, double after) {
      track.before = std::max(track.before, before);
      track.after = std::max(track.after, after);
    };
    for (const Panel &panel : picture.panels) {
      widen(rows[panel.placeRow], above(panel), below(panel));
      widen(columns[panel.placeColumn], leftOf(panel), rightOf(panel));
    }
    double x = margin;
    for (auto &[place, track] : columns) {
      track.at = x + track.before;
      right = std::max(right, track.at + track.after);
      x = track.at + track.after + gap;
    }
    for (auto &[place, track] : rows) {
      track.at = y + track.before;
      y = track.at + track.after + gap * 0.7;
    }
    for (const Panel &panel : picture.panels)
      grid(panel, columns[panel.placeColumn].at, rows[panel.placeRow].at);
    return y;
  }

  void grid(const Panel &panel, double x, double y) {
    colours(panel, x, y);
    lines(panel, x, y);
    if (sizes.text > 0)
      texts(panel, x, y);
    double bottom = y - 4;
    Labelling columns(panel.columns, sizes.width, true), rows(panel.rows, sizes.height, false);
    for (int64_t c = 0; columns.every && c < panel.columns.extent; c += columns.every)
      put(x + (double(c) + 0.5) * sizes.width, bottom, labelSize, Words::Middle, faded,
          panel.columns.labels[size_t(c)]);
    bottom -= columns.every ? labelSize + 4 : 0;
    if (columns.spans)
      for (const Span &span : panel.columns.spans) {
        bracket(x + double(span.begin) * sizes.width, x + double(span.end) * sizes.width,
                bottom + 2.5, true);
        put(x + double(span.begin + span.end) / 2 * sizes.width, bottom, labelSize, Words::Middle,
            ink, span.text);
      }
    bottom -= columns.spans ? labelSize + 5 : 0;
    bottom -= 2;
    if (!panel.detail.empty()) {
      put(x, bottom, textSize, Words::Start, faded, panel.detail);
      bottom -= textSize * 1.4;
    }
    if (!panel.caption.empty())
      put(x, bottom, captionSize, Words::Start, ink, panel.caption, true);

    double side = x - 5;
    for (int64_t r = 0; rows.every && r < panel.rows.extent; r += rows.every)
      put(side, y + (double(r) + 0.5) * sizes.height + labelSize * 0.36, labelSize, Words::End,
          faded, panel.rows.labels[size_t(r)]);
    side -= rows.every ? longest(panel.rows.labels, labelSize) + 6 : 0;
    if (rows.spans)
      for (const Span &span : panel.rows.spans) {
        bracket(y + double(span.begin) * sizes.height, y + double(span.end) * sizes.height,
                side + 2.5, false);
        put(side, y + double(span.begin + span.end) / 2 * sizes.height + labelSize * 0.36,
            labelSize, Words::End, ink, span.text);
      }
  }

  /// A line beside the labels of a span.
  void bracket(double begin, double end, double at, bool horizontal) {
    begin += 3;
    end -= 3;
    if (horizontal)
      scene.strokes.push_back({begin, at, end, at, 0.8, faded});
    else
      scene.strokes.push_back({at, begin, at, end, 0.8, faded});
  }

  /// One box for neighbours of one colour, and for rows that repeat the row above.
  void colours(const Panel &panel, double x, double y) {
    struct Run {
      int64_t begin, end;
      Colour colour;
      bool operator==(const Run &) const = default;
    };
    std::vector<Run> previous;
    size_t first = scene.boxes.size();
    for (int64_t r = 0; r < panel.rows.extent; ++r) {
      std::vector<Run> runs;
      for (int64_t c = 0; c < panel.columns.extent; ++c) {
        Colour colour = panel.at(r, c).colour;
        if (!runs.empty() && runs.back().colour == colour)
          ++runs.back().end;
        else
          runs.push_back({c, c + 1, colour});
      }
      if (runs == previous) {
        for (size_t i = first; i < scene.boxes.size(); ++i)
          scene.boxes[i].height += sizes.height;
        continue;
      }
      first = scene.boxes.size();
      for (const Run &run : runs)
        if (run.colour.kind != Colour::None)
          scene.boxes.push_back({x + double(run.begin) * sizes.width, y + double(r) * sizes.height,
                                 double(run.end - run.begin) * sizes.width, sizes.height,
                                 fill(run.colour)});
      previous = std::move(runs);
    }
  }

  void lines(const Panel &panel, double x, double y) {
    // Finer where cells are small, so that colours stay in front.
    const double fine = std::clamp(std::min(sizes.width, sizes.height) / 12, 0.4, 1.0);
    constexpr double frameWidth = 1.2;
    const double widths[] = {0.6 * fine, frameWidth * fine, 2.4 * fine};
    double width = double(panel.columns.extent) * sizes.width,
           height = double(panel.rows.extent) * sizes.height;
    for (uint8_t weight = 0; weight <= Axis::thickest; ++weight) {
      if (weight == 0 && std::min(sizes.width, sizes.height) < smallestLine)
        continue;
      Rgb colour = weight ? ink : thinLine;
      for (int64_t c = 1; c < panel.columns.extent; ++c)
        if (double at = x + double(c) * sizes.width; panel.columns.lines[size_t(c)] == weight)
          scene.strokes.push_back({at, y, at, y + height, widths[weight], colour});
      for (int64_t r = 1; r < panel.rows.extent; ++r)
        if (double at = y + double(r) * sizes.height; panel.rows.lines[size_t(r)] == weight)
          scene.strokes.push_back({x, at, x + width, at, widths[weight], colour});
    }
    frame(x, y, width, height, frameWidth, ink);
  }

  void texts(const Panel &panel, double x, double y) {
    for (int64_t r = 0; r < panel.rows.extent; ++r)
      for (int64_t c = 0; c < panel.columns.extent; ++c) {
        const Cell &cell = panel.at(r, c);
        double middle = x + (double(c) + 0.5) * sizes.width;
        double base = y + (double(r) + 0.5) * sizes.height + sizes.text * 0.36;
        double half = cell.detail.empty() ? 0 : sizes.text * 0.56;
        Rgb colour = inkOn(cell.colour);
        if (!cell.text.empty())
          put(middle, base - half, sizes.text, Words::Middle, colour, cell.text);
        if (!cell.detail.empty())
          put(middle, base + half, sizes.text, Words::Middle, colour, cell.detail);
      }
  }

  const Picture &picture;
  Sizes sizes;
  Scene scene;
  double right = 0;
};
} // namespace

Scene arrange(const Picture &picture) { return Arranger(picture).arranged(); }

} // namespace tessera::render
