// The colours and their neighbours on terminals.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/render/Palette.h"

namespace tessera::render {

namespace {
// Neighbours differ in lightness as well as in hue, so that they stay apart in grey print.
constexpr Rgb hues[] = {{0x77, 0xaa, 0xdd}, {0xee, 0xdd, 0x88}, {0x44, 0xbb, 0x99},
                        {0xff, 0xaa, 0xbb}, {0x99, 0xdd, 0xff}, {0xee, 0x88, 0x66},
                        {0xbb, 0xcc, 0x33}, {0xb9, 0xb9, 0xc6}};
// Parts of 100 of the hue in its four shades; the rest is white.
constexpr int shades[] = {100, 76, 54, 34};
constexpr Rgb rampLow{0xf4, 0xf8, 0xfc}, rampHigh{0x6a, 0xa6, 0xd8};
constexpr Rgb neutral{0xf1, 0xf2, 0xf4}, good{0xd6, 0xee, 0xe3}, bad{0xc6, 0x4a, 0x1c};

constexpr uint8_t between(int a, int b, int part, int whole) {
  return uint8_t(a + (b - a) * part / whole);
}
constexpr Rgb between(Rgb a, Rgb b, int part, int whole) {
  return {between(a.red, b.red, part, whole), between(a.green, b.green, part, whole),
          between(a.blue, b.blue, part, whole)};
}
} // namespace

Rgb fill(Colour colour) {
  switch (colour.kind) {
  case Colour::None: return paper;
  case Colour::Neutral: return neutral;
  case Colour::Group:
    return between(paper, hues[colour.index / 4 % 8], shades[colour.index % 4], 100);
  case Colour::Ramp: return between(rampLow, rampHigh, colour.index, Colour::rampSteps - 1);
  case Colour::Good: return good;
  case Colour::Bad: return bad;
  }
  return paper;
}

Rgb inkOn(Colour colour) { return colour.kind == Colour::Bad ? paper : ink; }

std::string hex(Rgb colour) {
  constexpr char digits[] = "0123456789abcdef";
  std::string out = "#";
  for (uint8_t part : {colour.red, colour.green, colour.blue})
    (out += digits[part / 16]) += digits[part % 16];
  return out;
}

int ansi(Rgb colour) {
  // The steps of the cube are 0, 95, 135, 175, 215, 255.
  auto step = [](int part) { return part < 48 ? 0 : part < 115 ? 1 : (part - 35) / 40; };
  return 16 + 36 * step(colour.red) + 6 * step(colour.green) + step(colour.blue);
}

} // namespace tessera::render
