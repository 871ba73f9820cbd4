// Palette: the appearance of a picture's colours.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The hues are those of Paul Tol's qualitative scheme "light" (SRON/EPS/TN/09-002), which is made
// for dark text on coloured cells and for readers who see red and green alike.
#pragma once

#include "tessera/render/Picture.h"

namespace tessera::render {

struct Rgb {
  uint8_t red = 0, green = 0, blue = 0;
  friend constexpr bool operator==(const Rgb &, const Rgb &) = default;
};

inline constexpr Rgb paper{255, 255, 255}, ink{31, 41, 55}, faded{107, 114, 128},
    thinLine{176, 182, 190};

/// The fill of a cell; that of None is `paper`.
Rgb fill(Colour);
/// The text on such a cell.
Rgb inkOn(Colour);
/// "#77aadd".
std::string hex(Rgb);
/// The nearest of the 6 x 6 x 6 colours 16 to 231 of a terminal with 256.
int ansi(Rgb);

} // namespace tessera::render
