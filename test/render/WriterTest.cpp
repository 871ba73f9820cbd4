// The three writers: what comes out is well-formed, fits, and says what the picture says.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Brute.h"
#include "Gallery.h"

#include "tessera/atom/Registry.h"
#include "tessera/render/Lines.h"
#include "tessera/render/Scene.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

using namespace tessera;
using namespace tessera::render;
using namespace tessera::render::test;

namespace {
Picture pictureOf(std::string_view text) { return *drawLayout(parsed(text)); }

/// What is wrong with an XML text of elements, attributes in double quotes and the usual entities;
/// "" if nothing.
std::string xmlFault(std::string_view text) {
  std::vector<std::string> open;
  while (!text.empty()) {
    size_t tag = text.find('<');
    std::string_view words = text.substr(0, tag);
    for (size_t at = words.find('&'); at != words.npos; at = words.find('&', at + 1))
      if (!words.substr(at).starts_with("&lt;") && !words.substr(at).starts_with("&gt;") &&
          !words.substr(at).starts_with("&amp;"))
        return "bare &";
    if (words.find('>') != words.npos)
      return "bare >";
    if (tag == text.npos)
      break;
    size_t end = text.find('>', tag);
    if (end == text.npos)
      return "open tag";
    std::string_view inside = text.substr(tag + 1, end - tag - 1);
    if (std::count(inside.begin(), inside.end(), '"') % 2 || inside.find('<') != inside.npos)
      return cat("bad tag ", inside);
    std::string name(inside.substr(0, inside.find_first_of(" \n/", 1)));
    if (inside.starts_with("/")) {
      if (open.empty() || cat("/", open.back()) != inside)
        return cat("unexpected ", inside);
      open.pop_back();
    } else if (!inside.ends_with("/")) {
      open.push_back(name);
    }
    text.remove_prefix(end + 1);
  }
  return open.empty() ? "" : cat("unclosed ", open.back());
}

int widest(const std::string &text) {
  int most = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    most = std::max(most, columns(line));
  return most;
}

/// WCAG 2.1's relative luminance.
double luminance(Rgb colour) {
  auto part = [](int value) {
    double v = value / 255.0;
    return v <= 0.03928 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * part(colour.red) + 0.7152 * part(colour.green) + 0.0722 * part(colour.blue);
}
double contrast(Rgb a, Rgb b) {
  double la = luminance(a), lb = luminance(b);
  return (std::max(la, lb) + 0.05) / (std::min(la, lb) + 0.05);
}
} // namespace

TEST(Palette, TextIsLegibleOnEveryColour) {
  std::vector<Colour> all = {{}, {Colour::Neutral, 0}, {Colour::Good, 0}, {Colour::Bad, 0}};
  for (int i = 0; i < Colour::groups; ++i)
    all.push_back(Colour::group(i));
  for (int i = 0; i < Colour::rampSteps; ++i)
    all.push_back({Colour::Ramp, uint16_t(i)});
  for (Colour colour : all)
    EXPECT_GE(contrast(fill(colour), inkOn(colour)), 4.5) << hex(fill(colour));
  // All groups look different, on paper and on a terminal's palette by hue at least.
  for (int i = 0; i < Colour::groups; ++i)
    for (int j = 0; j < i; ++j)
      EXPECT_NE(fill(Colour::group(i)), fill(Colour::group(j)));
  EXPECT_EQ(hex({0x77, 0xaa, 0xdd}), "#77aadd");
  EXPECT_EQ(ansi({0, 0, 0}), 16);
  EXPECT_EQ(ansi({255, 255, 255}), 231);
}

TEST(Svg, IsWellFormed) {
  std::vector<Picture> pictures = {pictureOf("S<3,3,3> o 0 o (8,64):(64,1)"),
                                   pictureOf("(128,128):(128,1)"), pictureOf("():()"),
                                   pictureOf("(2,3):(1@0,1@1)")};
  for (const atom::MmaRow &row : atom::mmaRows())
    if (row.n.isFixed())
      pictures.push_back(*drawMma(row));
  for (const atom::CopyRow &row : atom::copyRows())
    pictures.push_back(*drawCopy(row));
  for (const Picture &picture : pictures) {
    std::string text = svg(picture);
    EXPECT_EQ(xmlFault(text), "") << picture.title;
    EXPECT_LT(text.size(), 6u << 20) << picture.title;
    for (const char *foreign : {"<script", "href", "@import", "url("})
      EXPECT_EQ(text.find(foreign), text.npos) << picture.title;
  }
  EXPECT_NE(svg(pictures[0]).find("<title>S&lt;3,3,3&gt; o 0 o (8,64):(64,1)</title>"),
            std::string::npos);
}

TEST(Scene, NothingLeavesThePageAndNoTextItsCell) {
  for (const char *text :
       {"8:1", "((4,2),(2,4)):((2,8),(1,16))", "(64,64):(64,1)", "(16,16):(100000,1000000)"}) {
    Picture picture = pictureOf(text);
    Scene scene = arrange(picture);
    for (const Box &box : scene.boxes)
      EXPECT_TRUE(box.x >= 0 && box.y >= 0 && box.x + box.width <= scene.width &&
                  box.y + box.height <= scene.height);
    for (const Words &words : scene.words) {
      double width = columns(words.text) * words.size * 0.6;
      double left = words.x - (words.anchor == Words::Start    ? 0
                               : words.anchor == Words::Middle ? width / 2
                                                               : width);
      EXPECT_GE(left, 0) << words.text;
      EXPECT_LE(left + width, scene.width) << words.text;
      EXPECT_GE(words.size, 4) << words.text;
    }
  }
}

TEST(Scene, DropsTextThatWouldBeTooSmall) {
  // Labels and legend stay.
  EXPECT_LT(arrange(pictureOf("(128,128):(128,1)")).words.size(), 300u);
  EXPECT_GT(arrange(pictureOf("(64,64):(64,1)")).words.size(), 64u * 64);
}

TEST(Scene, EqualNeighboursAreOneBox) {
  EXPECT_LT(arrange(pictureOf("(256,256):(0,0)")).boxes.size(), 4u);
}

TEST(Terminal, PlainGridWithoutTilesHasNoLines) {
  EXPECT_EQ(terminal(pictureOf("(4,3):(3,1)")),
            "(4,3):(3,1)\n"
            "4 × 3, offsets in elements\n"
            "\n"
            "    0  1  2\n"
            "0   0  1  2\n"
            "1   3  4  5\n"
            "2   6  7  8\n"
            "3   9 10 11\n"
            "\n"
            "size 12 · cosize 12 · row-major · injective, compact\n");
}

TEST(Terminal, TilesAreFramed) {
  EXPECT_EQ(terminal(pictureOf("((2,2),(2,2,2)):((1,4),(2,8,16))")),
            "((2,2),(2,2,2)):((1,4),(2,8,16))\n"
            "4 × 8, offsets in elements\n"
            "\n"
            "     0  1   2  3   4  5   6  7\n"
            "  ┌──────┬──────┰──────┬──────┐\n"
            "0 │  0  2│  8 10┃ 16 18│ 24 26│\n"
            "1 │  1  3│  9 11┃ 17 19│ 25 27│\n"
            "  ├──────┼──────╂──────┼──────┤\n"
            "2 │  4  6│ 12 14┃ 20 22│ 28 30│\n"
            "3 │  5  7│ 13 15┃ 21 23│ 29 31│\n"
            "  └──────┴──────┸──────┴──────┘\n"
            "\n"
            "size 32 · cosize 32 · injective, compact\n");
}

TEST(Terminal, StaysWithinItsWidth) {
  for (const char *text : {"(8,200):(200,1)", "(4,(8,32)):(1,(4,32))", "(3,1024):(1,3)"})
    for (int width : {40, 80, 120}) {
      std::string out = terminal(pictureOf(text), {.width = width, .height = 100, .colour = false});
      EXPECT_LE(widest(out), width) << text;
      EXPECT_NE(out.find("…"), out.npos);
    }
  EXPECT_EQ(terminal(pictureOf("(8,8):(8,1)")).find("…"), std::string::npos);
  std::string high =
      terminal(pictureOf("(512,2):(2,1)"), {.width = 80, .height = 20, .colour = false});
  EXPECT_LT(std::count(high.begin(), high.end(), '\n'), 30);
  EXPECT_NE(high.find("⋮"), high.npos);
  EXPECT_NE(high.find("\n511"), high.npos);
}

TEST(Terminal, AtomsStandBesideOrBelowEachOther) {
  Picture picture = *drawMma(**atom::findMma("SM80_16x8x16_F32F16F16F32_TN"));
  std::string wide = terminal(picture, {.width = 220, .height = 100, .colour = false});
  std::string narrow = terminal(picture, {.width = 72, .height = 100, .colour = false});
  EXPECT_LE(widest(narrow), 72);
  // A and C share lines only where there is room.
  EXPECT_NE(wide.find("A · M 16 × K 16 · f16"), wide.npos);
  EXPECT_LT(std::count(wide.begin(), wide.end(), '\n'),
            std::count(narrow.begin(), narrow.end(), '\n'));
}

TEST(Terminal, ColoursOnlyOnRequest) {
  EXPECT_EQ(terminal(pictureOf("(8,8):(8,1)")).find('\x1b'), std::string::npos);
  std::string out =
      terminal(pictureOf("(8,8):(8,1)"), {.width = 100, .height = 100, .colour = true});
  EXPECT_NE(out.find("\x1b[48;5;"), out.npos);
  EXPECT_NE(out.find("\x1b[0m"), out.npos);
}

TEST(Gallery, IsWhatTheDocumentationShows) {
  Result<std::vector<Exhibit>> exhibits = gallery();
  ASSERT_TRUE(exhibits) << exhibits.reason().text;
  EXPECT_EQ(exhibits->size(), 6u);
  for (const Exhibit &exhibit : *exhibits) {
    std::string path = cat(TESSERA_SOURCE_DIR, "/docs/pictures/", exhibit.file, ".svg");
    std::ostringstream stored;
    stored << std::ifstream(path, std::ios::binary).rdbuf();
    EXPECT_TRUE(stored.str() == svg(exhibit.picture))
        << path << " is not what the library draws: run utils/draw-pictures.sh";
  }
}
