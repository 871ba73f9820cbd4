// Every atom of the tables can be drawn, and its cells are owned by whom the fragments say.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Brute.h"

#include "tessera/atom/Registry.h"
#include "tessera/render/Draw.h"

#include <map>

using namespace tessera;
using namespace tessera::render;
using namespace tessera::render::test;

namespace {
/// Index of the tile -> "T3 V1" of its owners, by loops.
std::multimap<int64_t, std::string> brutalOwners(const layout::Layout &tv,
                                                 const layout::Layout *threads) {
  std::multimap<int64_t, std::string> owners;
  for (int64_t t = 0; t < brutalSize(tv.shape[0]); ++t)
    for (int64_t v = 0; v < brutalSize(tv.shape[1]); ++v)
      owners.emplace(brutalIndex(tv[0], t) + brutalIndex(tv[1], v),
                     cat("T", threads ? brutalIndex(*threads, t) : t, " V", v));
  return owners;
}

void expectOwners(const Panel &panel, const layout::Layout &tv, const layout::Layout *threads,
                  bool transposed) {
  auto owners = brutalOwners(tv, threads);
  for (int64_t r = 0; r < panel.rows.extent; ++r)
    for (int64_t c = 0; c < panel.columns.extent; ++c) {
      const Cell &cell = panel.at(r, c);
      int64_t index = transposed ? c + r * panel.columns.extent : r + c * panel.rows.extent;
      ASSERT_EQ(owners.count(index), 1u) << panel.caption << ": " << index;
      ASSERT_EQ(cat(cell.text, " ", cell.detail), owners.find(index)->second) << panel.caption;
    }
}
} // namespace

TEST(DrawMma, EveryRowHasItsPanels) {
  for (const atom::MmaRow &row : atom::mmaRows()) {
    Result<Picture> picture = drawMma(row);
    ASSERT_TRUE(picture) << row.name << ": " << picture.reason().text;
    ASSERT_EQ(picture->panels.size(), 3u) << row.name;
    const Panel &a = picture->panels[0], &b = picture->panels[1], &c = picture->panels[2];
    // A stands left of the product, B above it.
    EXPECT_EQ(a.placeRow, c.placeRow);
    EXPECT_EQ(b.placeColumn, c.placeColumn);
    EXPECT_LT(a.placeColumn, c.placeColumn);
    EXPECT_LT(b.placeRow, c.placeRow);
    EXPECT_EQ(a.rows.extent, c.rows.extent) << row.name;
    EXPECT_EQ(b.columns.extent, c.columns.extent) << row.name;
    EXPECT_EQ(a.columns.extent, b.rows.extent) << row.name;
    EXPECT_TRUE(row.m.contains(c.rows.extent) && row.n.contains(c.columns.extent)) << row.name;
  }
}

TEST(DrawMma, EachElementOfTheProductHasOneOwner) {
  int drawn = 0;
  for (const atom::MmaRow &row : atom::mmaRows()) {
    if (row.d.where != atom::Residency::Rmem)
      continue;
    Result<Picture> picture = drawMma(row);
    ASSERT_TRUE(picture) << row.name;
    const Panel &b = picture->panels[1], &c = picture->panels[2];
    layout::MmaAtomLayouts atom = *layouts(row, c.rows.extent, c.columns.extent);
    expectOwners(c, atom.c, &atom.threads, false);
    bool scattered = brutalSize(atom.b.shape) == atom.n * atom.k;
    if (row.b.where == atom::Residency::Rmem && scattered && b.rows.extent == atom.k)
      expectOwners(b, atom.b, &atom.threads, true);
    ++drawn;
  }
  EXPECT_GT(drawn, 100);
}

TEST(DrawMma, LongKIsDrawnInRunsOfOneThread) {
  Result<Picture> picture = drawMma(**atom::findMma("SM80_16x8x256_S32U1U1S32_TN_XORPOPC"));
  ASSERT_TRUE(picture);
  const Panel &a = picture->panels[0], &b = picture->panels[1];
  ASSERT_EQ(a.columns.extent, 8);
  ASSERT_EQ(b.rows.extent, 8);
  // PTX ISA: lane 4g + t has bits 32t to 32t + 31 of rows g and g + 8, then the same 128 bits
  // later.
  for (int64_t m = 0; m < 16; ++m)
    for (int64_t k = 0; k < 8; ++k) {
      int64_t first = (m / 8 + k / 4 * 2) * 32;
      EXPECT_EQ(a.at(m, k).text, cat("T", m % 8 * 4 + k % 4));
      EXPECT_EQ(a.at(m, k).detail, cat("V", first, "–", first + 31));
    }
  EXPECT_EQ(a.columns.labels[3], "96");
  EXPECT_EQ(b.at(5, 2).text, "T9");
  EXPECT_EQ(b.at(5, 2).detail, "V32–63");
}

TEST(DrawMma, LegendsNameTheLanesOfAQuadPair) {
  Result<Picture> picture = drawMma(**atom::findMma("SM70_8x8x4_F32F16F16F32_NT"));
  ASSERT_TRUE(picture);
  const std::vector<Cell> &cells = picture->legends[0].cells;
  ASSERT_EQ(cells.size(), 8u);
  EXPECT_EQ(cells[4].text, "16");
  EXPECT_EQ(cells[4].colour, Colour::group(16));
}

TEST(DrawMma, OperandsAfterDescriptorsAreGrey) {
  Result<Picture> picture = drawMma(**atom::findMma("SM90_64xNx16_F32F16F16_SS"), 64, 128);
  ASSERT_TRUE(picture);
  EXPECT_EQ(picture->title, "SM90_64x128x16_F32F16F16_SS");
  EXPECT_EQ(picture->panels[1].columns.extent, 128);
  EXPECT_EQ(picture->panels[0].at(3, 3).colour, (Colour{Colour::Neutral, 0}));
  EXPECT_EQ(picture->panels[0].at(3, 3).text, "");
  EXPECT_EQ(picture->panels[2].at(0, 2).text, "T1");
}

TEST(DrawMma, RefusesIllegalExtents) {
  Result<Picture> picture = drawMma(**atom::findMma("SM90_64xNx16_F32F16F16_SS"), 64, 12);
  ASSERT_FALSE(picture);
  EXPECT_EQ(picture.reason().id, "ExtentNotLegal");
}

TEST(DrawCopy, EveryRowHasSourceAndDestination) {
  for (const atom::CopyRow &row : atom::copyRows()) {
    Result<Picture> picture = drawCopy(row);
    ASSERT_TRUE(picture) << row.name << ": " << picture.reason().text;
    ASSERT_EQ(picture->panels.size(), 2u) << row.name;
    EXPECT_EQ(picture->panels[0].placeColumn, 0);
    EXPECT_EQ(picture->panels[1].placeColumn, 1);
    EXPECT_EQ(picture->panels[0].rows.extent, picture->panels[1].rows.extent) << row.name;
    EXPECT_EQ(picture->title, row.name);
  }
}

TEST(DrawCopy, LdmatrixGivesRowsToLanesAndPairsToQuads) {
  const atom::CopyRow &row = **atom::findCopy("SM75_U32x4_LDSM_N");
  Result<Picture> picture = drawCopy(row);
  ASSERT_TRUE(picture);
  const Panel &source = picture->panels[0], &destination = picture->panels[1];
  ASSERT_EQ(source.rows.extent, 32);
  ASSERT_EQ(source.columns.extent, 8);
  for (int64_t r = 0; r < 32; ++r)
    for (int64_t c = 0; c < 8; ++c) {
      EXPECT_EQ(source.at(r, c).text, cat("T", r));
      // PTX ISA: lane i holds row i / 4, elements 2 * (i % 4) and the next, of each matrix.
      EXPECT_EQ(destination.at(r, c).text, cat("T", r % 8 * 4 + c / 2));
      EXPECT_EQ(destination.at(r, c).detail, cat("V", r / 8 * 2 + c % 2));
    }
  layout::CopyAtomLayouts atom = *layouts(row, 0, 16);
  expectOwners(source, atom.src, nullptr, true);
  expectOwners(destination, atom.dst, nullptr, true);
}

TEST(DrawCopy, AmountsAndValueBits) {
  const atom::CopyRow &row = **atom::findCopy("UniversalCopy");
  Result<Picture> picture = drawCopy(row, 64, 8);
  ASSERT_TRUE(picture) << picture.reason().text;
  EXPECT_EQ(picture->panels[0].columns.extent, 8);
  EXPECT_EQ(drawCopy(row, 24, 8).reason().id, "AmountNotLegal");
}

// PTX ISA 9.7.9.13: each thread stores registers of its own to the other block.
TEST(DrawCopy, AStoreToAnotherBlockIsOfThreads) {
  Result<Picture> store = drawCopy(**atom::findCopy("SM90_ST_ASYNC"));
  ASSERT_TRUE(store) << store.reason().text;
  EXPECT_EQ(store->panels[0].at(0, 0).text, "T0");
  EXPECT_EQ(store->panels[0].caption, "source · registers");
  Result<Picture> bulk = drawCopy(**atom::findCopy("SM90_BULK_COPY_S2S"));
  ASSERT_TRUE(bulk);
  EXPECT_EQ(bulk->panels[0].at(0, 0).text, "bytes in a row");
  EXPECT_EQ(bulk->panels[1].caption, "shared memory of the cluster");
}

TEST(DrawAtom, UsualChoicesAreLegal) {
  for (const atom::MmaRow &row : atom::mmaRows())
    EXPECT_TRUE(row.n.contains(usualN(row)) && (usualN(row) <= 32 || usualN(row) == row.n.first))
        << row.name;
  for (const atom::CopyRow &row : atom::copyRows())
    EXPECT_TRUE(usualAmount(row) == 0 || row.amounts.contains(usualAmount(row))) << row.name;
}

TEST(DrawMma, TwoCtasDifferInHue) {
  Result<Picture> picture =
      drawMma(**atom::findMma("SM100_MMA_F16BF16_2x1SM_SS<f16,f16,f16>"), 128, 64);
  ASSERT_TRUE(picture);
  const Panel &b = picture->panels[1], &c = picture->panels[2];
  // Each has half of M of the product, and half of N of B.
  EXPECT_EQ(c.at(63, 63).text, "CTA0");
  EXPECT_EQ(c.at(64, 0).text, "CTA1");
  EXPECT_EQ(b.at(0, 31).colour, Colour::group(0));
  EXPECT_EQ(b.at(0, 32).colour, Colour::group(4));
  EXPECT_EQ(picture->legends[0].cells[1].colour, Colour::group(4));
  EXPECT_TRUE(picture->notes.empty());
}
