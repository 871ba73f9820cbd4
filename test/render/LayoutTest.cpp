// Pictures of layouts: every cell is what a loop over the leaves computes, and lines stand where
// modes wrap around.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Brute.h"

#include "tessera/render/Draw.h"

#include <set>

using namespace tessera;
using namespace tessera::render;
using namespace tessera::render::test;

namespace {
Panel panelOf(std::string_view text) {
  Result<Picture> picture = drawLayout(parsed(text));
  EXPECT_TRUE(picture) << text << ": " << (picture ? "" : picture.reason().text);
  return picture ? picture->panels.at(0) : Panel{};
}
std::string idOf(const Result<Picture> &picture) {
  return picture ? "drawn" : std::string(picture.reason().id);
}
} // namespace

TEST(DrawLayout, CellsAreTheOffsets) {
  for (const char *text :
       {"(8,4):(4,1)", "(8,8):(1,8)", "((4,2),(2,4)):((2,8),(1,16))", "((2,(2,2)),4):((1,(4,8)),2)",
        "(3,5):(7,0)", "(1,1):(0,0)", "(128,128):(128,1)", "(2,3):(-1,10)"}) {
    layout::Layout layout = *parsed(text).affine();
    Panel panel = panelOf(text);
    ASSERT_EQ(panel.rows.extent, brutalSize(layout.shape[0])) << text;
    ASSERT_EQ(panel.columns.extent, brutalSize(layout.shape[1])) << text;
    for (int64_t r = 0; r < panel.rows.extent; ++r)
      for (int64_t c = 0; c < panel.columns.extent; ++c)
        ASSERT_EQ(panel.at(r, c).text,
                  std::to_string(brutalIndex(layout[0], r) + brutalIndex(layout[1], c)))
            << text << " at " << r << ", " << c;
  }
}

TEST(DrawLayout, RankOneIsARowAndHigherRanksAreGrouped) {
  for (const char *text : {"8", "12:3", "(2,3)", "()"})
    EXPECT_EQ(panelOf(text).rows.extent, std::string_view(text) == "(2,3)" ? 2 : 1) << text;
  EXPECT_EQ(panelOf("12:3").at(0, 11).text, "33");
  EXPECT_EQ(panelOf("():()").at(0, 0).text, "0");
  Panel panel = panelOf("(2,3,(2,2)):(1,100,(10,20))");
  ASSERT_EQ(panel.columns.extent, 12);
  for (int64_t r = 0; r < 2; ++r)
    for (int64_t i = 0; i < 3; ++i)
      for (int64_t j = 0; j < 4; ++j)
        EXPECT_EQ(panel.at(r, i + 3 * j).text, std::to_string(r + 100 * i + 10 * j));
}

TEST(DrawLayout, SwizzlesAndOffsetsAreApplied) {
  Panel panel = panelOf("S<3,3,3> o 64 o (8,64):(64,1)");
  std::set<std::string> seen;
  for (int64_t r = 0; r < 8; ++r)
    for (int64_t c = 0; c < 64; ++c) {
      EXPECT_EQ(panel.at(r, c).text, std::to_string(brutalSwizzle(3, 3, 3, 64 + 64 * r + c)));
      seen.insert(panel.at(r, c).text);
    }
  EXPECT_EQ(seen.size(), 512u);
  EXPECT_EQ(panelOf("(4,4):(4,1) o 0 o 16:1").at(0, 5).text, "5");
}

TEST(DrawLayout, BasisStridesShowCoordinates) {
  Panel panel = panelOf("(2,3):(1@0,1@1)");
  EXPECT_EQ(panel.at(0, 0).text, "(0,0)");
  EXPECT_EQ(panel.at(1, 2).text, "(1,2)");
}

TEST(DrawLayout, ThickerLinesStandWhereModesWrap) {
  Panel panel = panelOf("((2,2,2),(4,1)):((1,2,4),(8,0))");
  EXPECT_EQ(panel.rows.lines, (std::vector<uint8_t>{0, 0, 1, 0, 2, 0, 1, 0, 0}));
  EXPECT_EQ(panel.columns.lines, std::vector<uint8_t>(5, 0));
  ASSERT_EQ(panel.rows.spans.size(), 4u);
  EXPECT_EQ(panel.rows.spans[3].text, "(1,1)");
  EXPECT_EQ(panel.rows.spans[3].begin, 6);
  EXPECT_EQ(panel.rows.labels[7], "7");
}

TEST(DrawLayout, DarkerMeansFarther) {
  Panel panel = panelOf("64:1");
  for (int64_t i = 0; i < 64; ++i)
    EXPECT_EQ(panel.at(0, i).colour, (Colour{Colour::Ramp, uint16_t(i)}));
  EXPECT_EQ(panelOf("4:0").at(0, 3).colour, (Colour{Colour::Ramp, 0}));
  // The span of these offsets does not fit 64 bits.
  EXPECT_EQ(panelOf("(2,2):(-9223372036854775807,9223372036854775807)").at(0, 1).colour,
            (Colour{Colour::Ramp, Colour::rampSteps - 1}));
}

TEST(DrawLayout, FactsAreCounted) {
  auto note = [](std::string_view text) { return drawLayout(parsed(text))->notes.at(0); };
  EXPECT_EQ(note("(8,4):(4,1)"), "size 32 · cosize 32 · row-major · injective, compact");
  EXPECT_EQ(note("(8,4):(1,8)"), "size 32 · cosize 32 · column-major · injective, compact");
  EXPECT_EQ(note("(8,4):(1,9)"), "size 32 · cosize 35 · injective");
  EXPECT_EQ(note("(8,4):(0,1)"), "size 32 · cosize 4 · not injective");
  EXPECT_EQ(note("8:1"), "size 8 · cosize 8 · injective, compact");
}

TEST(DrawLayout, RefusesWhatIsTooLargeOrUnknown) {
  EXPECT_EQ(idOf(drawLayout(parsed("(256,256):(1,256)"))), "drawn");
  EXPECT_EQ(idOf(drawLayout(parsed("(256,257):(1,256)"))), "TooManyCells");
  EXPECT_EQ(idOf(drawLayout(parsed("1025:1"))), "TooManyCells");
  Result<Picture> huge = drawLayout(parsed("(1000000,1000000):(1,1000000)"));
  ASSERT_FALSE(huge);
  EXPECT_EQ(huge.reason().text,
            "expects at most 1024 rows or columns and 65536 cells to draw, but "
            "\"(1000000,1000000):(1,1000000)\" has 1000000 x 1000000; draw a part of it, such as a "
            "slice or one tile of a divide");
  EXPECT_EQ(idOf(drawLayout(parsed("(4294967296,4294967296,4294967296):(0,0,0)"))),
            "NumbersTooLarge");
  EXPECT_EQ(idOf(drawLayout(parsed("(4,4):(9223372036854775807,9223372036854775807)"))),
            "NumbersTooLarge");
  Result<Picture> dynamic = drawLayout(parsed("(?,4):(1,?)"));
  ASSERT_FALSE(dynamic);
  EXPECT_EQ(dynamic.reason().text,
            "expects a layout of known numbers to draw, but got \"(?,4):(1,?)\"");
}

TEST(DrawThreadValues, CellsNameThreadAndValue) {
  layout::Layout tv = *parsed("((4,8),(2,2)):((32,1),(16,8))").affine();
  Result<Picture> picture = drawThreadValues(tv, 16, 8);
  ASSERT_TRUE(picture);
  const Panel &panel = picture->panels[0];
  // The PTX ISA's formula of the 16x8 accumulator.
  for (int64_t lane = 0; lane < 32; ++lane)
    for (int64_t i = 0; i < 4; ++i) {
      const Cell &cell = panel.at(lane / 4 + (i < 2 ? 0 : 8), lane % 4 * 2 + i % 2);
      EXPECT_EQ(cell.text, cat("T", lane));
      EXPECT_EQ(cell.detail, cat("V", i));
      EXPECT_EQ(cell.colour, Colour::group(lane));
    }
  EXPECT_EQ(panel.rows.lines[8], 1);
  EXPECT_EQ(panel.rows.lines[7], 0);
}

TEST(DrawThreadValues, LinesBetweenWarps) {
  // Four warps, one below the other: C of a warpgroup's MMA.
  Picture picture =
      *drawThreadValues(*parsed("((4,8,4),(2,2)):((64,1,8),(32,256))").affine(), 32, 16);
  for (size_t row = 1; row < 32; ++row)
    EXPECT_EQ(picture.panels[0].rows.lines[row], row % 8 == 0) << row;
  EXPECT_EQ(picture.panels[0].columns.lines[8], 1);
}

TEST(DrawThreadValues, SharedAndMissingElements) {
  // Two threads on each element, and a column that nobody has.
  Picture picture = *drawThreadValues(*parsed("((2,2),2):((1,0),2)").affine(), 2, 3);
  const Panel &panel = picture.panels[0];
  EXPECT_EQ(picture.notes,
            std::vector<std::string>{
                "+1: another thread has the same element, or this one has it twice."});
  EXPECT_EQ(panel.at(1, 0).text, "T1");
  EXPECT_EQ(panel.at(1, 0).detail, "+1");
  EXPECT_EQ(panel.at(0, 2).text, "");
  EXPECT_EQ(panel.at(0, 2).colour, Colour{});
  Panel all = drawThreadValues(*parsed("(4,6):(0,1)").affine(), 2, 3)->panels[0];
  EXPECT_EQ(all.at(1, 2).colour, (Colour{Colour::Neutral, 0}));
}

TEST(DrawThreadValues, Refuses) {
  auto id = [](std::string_view tv, int64_t rows, int64_t columns) {
    return idOf(drawThreadValues(*parsed(tv).affine(), rows, columns));
  };
  EXPECT_EQ(id("(4,4):(1,4)", 4, 4), "drawn");
  EXPECT_EQ(id("(4,4):(1,5)", 4, 4), "OutsideTile");
  EXPECT_EQ(id("(4,4):(1,-4)", 4, 4), "OutsideTile");
  EXPECT_EQ(id("(4,4):(1,4)", 0, 4), "TileNotPositive");
  EXPECT_EQ(id("(4,4,4):(1,4,16)", 8, 8), "NotThreadValue");
  EXPECT_EQ(id("(4,4):(1@0,1@1)", 4, 4), "NotThreadValue");
  EXPECT_EQ(id("(?,4):(1,4)", 4, 4), "NotStatic");
  EXPECT_EQ(id("(65536,65536):(0,0)", 4, 4), "TooManyOwners");
  EXPECT_EQ(id("(4,4):(1,4)", 2000, 4), "TooManyCells");
  EXPECT_EQ(id("((2,2),1):((9223372036854775807,9223372036854775807),0)", 4, 4), "NumbersTooLarge");
}

TEST(Draw, ChoosesTheView) {
  EXPECT_NE(draw(parsed("(2,2):(1,2)"))->find(" 1 3"), std::string::npos);
  EXPECT_NE(draw(parsed("(2,2):(1,2)"), {}, {.kind = LayoutView::ThreadValues})->find("T1 V1"),
            std::string::npos);
  EXPECT_NE(
      draw(parsed("(2,2):(1,2)"), {Format::Svg, {}}, {.kind = LayoutView::Banks})->find(">b1<"),
      std::string::npos);
  EXPECT_FALSE(draw(parsed("S<1,0,1> o 0 o 4:1"), {}, {.kind = LayoutView::ThreadValues}));
  EXPECT_FALSE(draw(parsed("(?,2):(1,2)"), {}, {.kind = LayoutView::ThreadValues}));
}
