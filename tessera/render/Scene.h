// Scene: a picture as boxes, strokes and words at places, which SVG and LaTeX write in their own
// ways.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lengths are in pixels of 1/96 inch, y goes down.
#pragma once

#include "tessera/render/Palette.h"

namespace tessera::render {

struct Box {
  double x, y, width, height;
  Rgb colour;
};

/// A horizontal or vertical line.
struct Stroke {
  double x1, y1, x2, y2, width;
  Rgb colour;
};

/// A line of text; `y` is where its baseline lies.
struct Words {
  enum Anchor : uint8_t {
    Start,
    Middle,
    End
  };
  double x, y, size;
  Anchor anchor;
  bool bold;
  Rgb colour;
  std::string text;
};

struct Scene {
  double width = 0, height = 0;
  std::vector<Box> boxes;      // first,
  std::vector<Stroke> strokes; // then, in order,
  std::vector<Words> words;    // and on top
};

/// Chooses the size of the cells by their number and their texts, and drops texts that would be too
/// small to read.
Scene arrange(const Picture &);

} // namespace tessera::render
