// Layouts of tensor memory: those of CuTe C++ ($TESSERA_ORACLE, tmem.tsv), and which there are not.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/atom/TensorMemory.h"

#include "Table.h"

#include "tessera/atom/Registry.h"
#include "tessera/layout/Domains.h"
#include "tessera/layout/Text.h"

#include <gtest/gtest.h>

#include <regex>

using namespace tessera;
using namespace tessera::atom;
using namespace tessera::atom::test;

namespace {

int64_t bitsOf(const std::string &type) {
  static const std::map<std::string, int64_t> bits = {{"float", 32},    {"tfloat32_t", 32},
                                                      {"int32_t", 32},  {"half_t", 16},
                                                      {"uint32_t", 32}, {"float_e4m3_t", 8}};
  return bits.at(type);
}

TEST(TensorMemory, EqualsCuteCpp) {
  std::vector<Record> rows = readTable("tmem.tsv");
  if (rows.empty())
    GTEST_SKIP() << "set TESSERA_ORACLE to the folder that holds tmem.tsv";
  const std::regex form(
      R"(UMMA::tmem_frg<value=(\w+),storage=(\w+),N_SM=(\d),(\w+)>::make\((.*)\))");
  int compared = 0;
  for (const Record &row : rows) {
    if (row.at("kind") != "tmem_frg")
      continue;
    std::smatch match;
    std::string config = row.at("config");
    ASSERT_TRUE(std::regex_match(config, match, form)) << config;
    TensorPlacement placement{.ctas = std::stoi(match[3]),
                              .tiling = match[4] == "Interleaved"  ? TensorTiling::Interleaved
                                        : match[4] == "Duplicated" ? TensorTiling::Duplicated
                                                                   : TensorTiling::Apart,
                              .valueBits = bitsOf(match[1]),
                              .storageBits = bitsOf(match[2])};
    auto shape = layout::parseTree(match[5].str(), layout::TreeKind::Shape);
    ASSERT_TRUE(shape) << match[5];
    std::optional<layout::Layout> made = tensorLayout(placement, *shape);
    ASSERT_TRUE(made) << config;
    EXPECT_EQ(layout::str(*made), row.at("result")) << config;
    ++compared;
  }
  EXPECT_EQ(compared, 231);
}

// What CUTLASS' make_tmem_copy makes of a tensor, and of its tiled copy.
TEST(TensorMemory, TiledCopiesEqualCuteCpp) {
  std::vector<Record> rows = readTable("tmem.tsv");
  if (rows.empty())
    GTEST_SKIP() << "set TESSERA_ORACLE to the folder that holds tmem.tsv";
  const std::regex form(R"(make_tmem_copy\((\w+?b)(\d+)x, tmem_frg_1sm<f32>\((.*)\)\))");
  layout::Const arith;
  constexpr int64_t bits = 32;
  std::map<std::string, int> compared;
  for (const Record &row : rows) {
    if (row.at("kind") != "make_tmem_copy")
      continue;
    std::smatch match;
    std::string config = row.at("config"), what = row.at("what");
    SCOPED_TRACE(cat(config, " ", what));
    ASSERT_TRUE(std::regex_match(config, match, form));
    const CopyRow &copy = **findCopy(match[1].str());
    int64_t repeats = std::stoi(match[2]);
    layout::Layout tensor = *tensorLayout(
        {}, *layout::parseTree(cat("(", match[3].str(), ")"), layout::TreeKind::Shape));
    Result<TensorCopyTiling> tiling = tensorCopyTiling(copy, repeats, bits, tensor);
    ASSERT_TRUE(tiling) << tiling.reason().text;
    layout::TiledCopy tiled{*layouts(copy, repeats, bits), tiling->layoutTV, tiling->tiler};
    // The fragments of all threads, of a tensor that stands for the tile or is given.
    auto fragments = [&](layout::CopySide side, const layout::Layout &of) {
      return layout::str(*layout::threadFragments(arith, tiled, side, of));
    };
    auto byMode = [&](const layout::Layout &l) {
      return layout::str(*layout::coalesce(arith, l, layout::Tree::of({1, 1})));
    };
    // Those of the tile itself, its elements in the order of its modes.
    auto ofTile = [&](layout::CopySide side) {
      std::vector<layout::Tree> extents;
      layout::TiledCopy plain = tiled;
      for (layout::Tile &mode : plain.tiler.modes) {
        extents.emplace_back(layout::size(arith, mode.single).value);
        mode = layout::Tile(layout::compactMajor(arith, extents.back()));
      }
      layout::Layout tile = layout::compactMajor(arith, layout::Tree(extents));
      layout::AnyLayout all = *layout::threadFragments(arith, plain, side, tile);
      return layout::str(*layout::take(all.outer(), 0, 2));
    };
    std::string have;
    if (what == "tmem_layout")
      have = layout::str(tensor);
    else if (what == "TiledLayout_TV")
      have = layout::str(tiling->layoutTV);
    else if (what == "Tiler_MN")
      for (const layout::Tile &mode : tiling->tiler.modes)
        have += (have.empty() ? "(" : ",") + layout::str(mode.single);
    else if (what == "size")
      have = layout::str(layout::size(arith, tiling->layoutTV[0]));
    else if (what == "AtomValLayoutSrc")
      have = byMode(tiled.atom.src);
    else if (what == "AtomValLayoutDst")
      have = byMode(tiled.atom.dst);
    else if (what == "AtomValLayoutRef")
      have = byMode(tiled.atom.ref);
    else if (what == "layoutS_TV")
      have = ofTile(layout::CopySide::Src);
    else if (what == "layoutD_TV")
      have = ofTile(layout::CopySide::Dst);
    else if (what == "tidfrg_S")
      have = fragments(layout::CopySide::Src, tensor);
    else if (what == "tidfrg_D")
      have = fragments(layout::CopySide::Dst, *layout::parseLayout(row.at("input")));
    if (what == "Tiler_MN")
      have += ")";
    std::string expected = row.at("result");
    if (what.starts_with("AtomVal")) // ours keep a mode for one repetition
      expected = byMode(*layout::parseLayout(expected));
    EXPECT_EQ(have, expected);
    ++compared[what];
  }
  for (const auto &[what, count] : compared)
    EXPECT_EQ(count, 26) << what;
  EXPECT_EQ(compared.size(), 11u);
}

// An instruction needs every address that it moves.
TEST(TensorMemory, TiledCopiesRefuse) {
  const CopyRow &copy = **findCopy("SM100_TMEM_LOAD_32dp32b");
  layout::Layout narrow = *layout::parseLayout("(128,16):(65536,1)");
  Result<TensorCopyTiling> tiling = tensorCopyTiling(copy, 32, 32, narrow);
  ASSERT_FALSE(tiling);
  EXPECT_EQ(tiling.reason().text,
            "SM100_TMEM_LOAD_32dp32b expects a tensor that has every address that it moves, but "
            "(128,16):(65536,1) lacks some; choose another instruction or fewer repetitions");
}

// Where the rows of M = 64 go, without the oracle. PTX ISA 9.7.16.10.5.
TEST(TensorMemory, HalvesOfDataPaths) {
  auto made = [](const TensorPlacement &placement, std::string_view shape) {
    return layout::str(
        *tensorLayout(placement, *layout::parseTree(shape, layout::TreeKind::Shape)));
  };
  // The second tile along M is 16 lanes further, or in columns of its own.
  EXPECT_EQ(made({}, "((64,128),2,1)"), "(((16,4),128),2,1):(((65536,2097152),1),1048576,0)");
  EXPECT_EQ(made({.tiling = TensorTiling::Apart}, "((64,128),2,1)"),
            "(((16,4),128),2,1):(((65536,2097152),1),128,0)");
  // Sums of 16 bits have a column each, A two in a column.
  EXPECT_EQ(made({.valueBits = 16}, "((128,64),1,1)"), "((128,64),1,1):((131072,2),0,0)");
  EXPECT_EQ(made({.valueBits = 16, .storageBits = 16}, "((128,16),1,4)"),
            "((128,16),1,4):((131072,1),0,16)");
  // Two CTAs: the second half of N is in lanes 64 to 127.
  EXPECT_EQ(made({.ctas = 2}, "((64,128),1,1)"), "((64,(64,2)),1,1):((65536,(1,4194304)),0,0)");
}

TEST(TensorMemory, NoSuchTile) {
  auto has = [](const TensorPlacement &placement, std::string_view shape) {
    return tensorLayout(placement, *layout::parseTree(shape, layout::TreeKind::Shape)).has_value();
  };
  EXPECT_TRUE(has({}, "((64,8),1,1)"));
  EXPECT_FALSE(has({}, "((32,8),1,1)"));
  EXPECT_FALSE(has({.tiling = TensorTiling::Duplicated}, "((64,8),1,1)"));
  EXPECT_FALSE(has({.ctas = 2, .tiling = TensorTiling::Apart}, "((128,8),1,1)"));
  EXPECT_FALSE(has({.ctas = 2}, "((32,6),1,1)"));
  EXPECT_FALSE(has({}, "(64,8,1)"));
}

} // namespace
