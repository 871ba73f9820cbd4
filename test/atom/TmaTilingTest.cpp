// TMA boxes: against CuTe C++ ($TESSERA_ORACLE, tma.tsv), boxes worked out by hand, and every
// refusal.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/atom/TmaTiling.h"

#include "tessera/layout/Domains.h"
#include "tessera/layout/Text.h"

#include "Table.h"

#include <gtest/gtest.h>

using namespace tessera;
using namespace tessera::atom;
using namespace tessera::atom::test;

namespace {
using layout::Interp;
using layout::Layout;
using layout::Leaf;

Layout parse(const std::string &text) { return *layout::parseLayout(text); }

/// Extents and strides that are not 0 or 1 at run time, as most rows of the table have them.
Layout dynamic(Interp &arith, const Layout &l) {
  auto known = [&](const Leaf &leaf) {
    return Leaf(arith.input(leaf.value.value, layout::Width::I64));
  };
  return {l.shape.map(known), l.stride.map([&](const Leaf &leaf) {
            return leaf.is(0) || leaf.is(1) ? leaf : known(leaf);
          })};
}

std::string numbers(const std::vector<int64_t> &values) {
  std::string text = "(";
  for (int64_t value : values)
    text += (text.size() > 1 ? "," : "") + std::to_string(value);
  return text + ")";
}
int64_t bitsOf(const std::string &type) {
  static const std::map<std::string, int64_t> bits = {
      {"f16", 16}, {"bf16", 16}, {"f32", 32}, {"tf32", 32}, {"s8", 8},   {"u8", 8},
      {"e4m3", 8}, {"e5m2", 8},  {"f64", 64}, {"s32", 32},  {"s64", 64}, {"u16", 16}};
  auto found = bits.find(type);
  return found == bits.end() ? 0 : found->second;
}

/// A tuple of extents as a tiler: mode by mode, each with stride 1.
layout::Tile tileOf(const layout::Tree &extents) {
  if (extents.isLeaf())
    return layout::Tile(Layout{extents, layout::Tree(1)});
  std::vector<layout::Tile> modes;
  for (const layout::Tree &mode : extents.modes())
    modes.push_back(tileOf(mode));
  return layout::Tile(std::move(modes));
}

Result<TmaRequest> requestOf(Interp &arith, const Record &row) {
  TmaRequest request;
  request.elementBits = bitsOf(row.at("dtype"));
  request.internalBits =
      row.at("internal_type") == "same" ? request.elementBits : bitsOf(row.at("internal_type"));
  Layout gmem = parse(row.at("gmem_layout"));
  bool isStatic = row.at("note").rfind("static", 0) == 0;
  request.gmem = isStatic ? gmem : dynamic(arith, gmem);
  request.smem = *layout::parseAnyLayout(row.at("smem_layout"));
  request.multicast = std::stoll(row.at("cluster"));
  TESSERA_TRY(layout::Tree extents,
              layout::parseTree(row.at("cta_tiler"), layout::TreeKind::Shape));
  layout::Tile tiler = tileOf(extents);
  TESSERA_TRY(layout::AnyLayout map,
              layout::composition(
                  arith, layout::AnyLayout(layout::identityLayout(request.gmem.shape)), tiler));
  request.ctaVMap = map.outer();
  return request;
}

TEST(TmaTiling, EqualsCuteCpp) {
  std::vector<Record> rows = readTable("tma.tsv");
  if (rows.empty())
    GTEST_SKIP() << "set TESSERA_ORACLE to the folder that holds tma.tsv";
  int compared = 0, refused = 0;
  for (const Record &row : rows) {
    SCOPED_TRACE(row.at("id") + ": " + row.at("gmem_layout") + " " + row.at("smem_layout") + " " +
                 row.at("note"));
    Interp arith;
    Result<TmaRequest> request = requestOf(arith, row);
    ASSERT_TRUE(request) << request.reason().text;
    Result<TmaTiling> tiling = tmaTiling(arith, *request);
    ASSERT_TRUE(tiling) << tiling.reason().text;
    EXPECT_EQ(numbers(tiling->box), row.at("boxDim"));
    EXPECT_EQ(std::to_string(tiling->elements() * request->internalBits),
              row.at("bits_per_tma_instr"));
    Result<std::vector<TmaExtent>> modes = tmaModes(arith, *request, tiling->basis);
    if (!modes &&
        modes.reason().id == "TmaGroup") { // strides at run time: a divisor cannot be stated
      ++refused;
      continue;
    }
    ASSERT_TRUE(modes) << modes.reason().text;
    std::vector<int64_t> dims, strides;
    for (size_t i = 0; i < modes->size(); ++i) {
      dims.push_back(arith.valueOf((*modes)[i].extent));
      if (i)
        strides.push_back(arith.valueOf((*modes)[i].stride) * request->internalBits / 8);
    }
    EXPECT_EQ(numbers(dims), row.at("globalDim"));
    EXPECT_EQ(numbers(strides), row.at("globalStrides_bytes"));
    Result<Layout> coords = tmaCoordinates(arith, *request, tiling->basis);
    ASSERT_TRUE(coords) << coords.reason().text;
    Layout shown{parse(row.at("gmem_layout")).shape, coords->stride};
    EXPECT_EQ(layout::str(shown), row.at("tma_coord_tensor_layout"));
    ++compared;
  }
  std::printf("  tma.tsv: %d rows compared, %d with more than five modes at run time refused\n",
              compared, refused);
  EXPECT_EQ(refused, 1);
  EXPECT_EQ(compared + refused, int(rows.size()));
}

Result<TmaTiling> tile(const std::string &gmem, const std::string &smem, const std::string &map,
                       int64_t multicast = 1) {
  layout::Symbolic arith;
  return tmaTiling(arith,
                   {parse(gmem), *layout::parseAnyLayout(smem), parse(map), 16, 16, multicast});
}

/// 64x128 of a K-major tensor: shared memory runs along K first, so K is mode 0 of the box.
TEST(TmaTiling, TakesTheContiguousModeFirst) {
  Result<TmaTiling> tiling =
      tile("(?,?,?):(?{i64},1,?{i64})", "S<3,4,3> o 0 o ((8,16),(64,1)):((64,512),(1,0))",
           "(128,64):(1@0,1@1)");
  ASSERT_TRUE(tiling) << tiling.reason().text;
  EXPECT_EQ(layout::str(tiling->basis), "(64,128,1):(1@1,1@0,1@2)");
  EXPECT_EQ(tiling->box, (std::vector<int64_t>{64, 128, 1}));
}
TEST(TmaTiling, SharesTheLastModesAmongTheClusterFirst) {
  Result<TmaTiling> tiling = tile("(?,?):(?{i64},1)", "(128,64):(64,1)", "(128,64):(1@0,1@1)", 2);
  ASSERT_TRUE(tiling) << tiling.reason().text;
  EXPECT_EQ(tiling->box, (std::vector<int64_t>{64, 64}));
  EXPECT_EQ(tiling->elements(), 128 * 64);
}

struct Refused {
  std::string id, gmem, smem, map;
  int64_t multicast = 1;
};
class TmaTilingRefuses : public testing::TestWithParam<Refused> {};
TEST_P(TmaTilingRefuses, WithAReason) {
  const Refused &c = GetParam();
  Result<TmaTiling> tiling = tile(c.gmem, c.smem, c.map, c.multicast);
  ASSERT_FALSE(tiling) << layout::str(tiling->basis);
  EXPECT_EQ(tiling.reason().id, c.id) << tiling.reason().text;
}
INSTANTIATE_TEST_SUITE_P(All, TmaTilingRefuses,
                         testing::Values(Refused{"TmaNoRun", "(?,?):(?,1)", "(64,32):(32,1)",
                                                 "(64,32):(1@0,2@1)"},
                                         Refused{"TmaBasisMode", "((?,?),?):((1,?),?)",
                                                 "(8,8):(1,8)", "(8,8):(1@0,1@1)"},
                                         Refused{"TmaMulticast", "(?,?):(?,1)", "(3,64):(64,1)",
                                                 "(3,64):(1@0,1@1)", 2}));

/// Bytes in a tensor map of wider elements. Expected values are what CUTLASS 4.x's make_tma_copy
/// gives for these operands, with TmaInternalType uint16_t or uint32_t and a stub in place of
/// cuTensorMapEncodeTiled; the last two are scale factors as block-scaled GEMMs load them.
struct Recast {
  const char *gmem, *smem, *tiler;
  int64_t internalBits;
  const char *dims, *strides, *box, *coords, *tiles;
};
/// CuTe C++ has the stride 0 for modes of one element; ours keep one, which nothing takes.
layout::Tree withoutOnes(const layout::Tree &shape, const layout::Tree &stride) {
  if (shape.isLeaf())
    return shape.leaf().is(1) ? layout::Tree(0) : stride;
  std::vector<layout::Tree> modes;
  for (size_t i = 0; i < shape.rank(); ++i)
    modes.push_back(withoutOnes(shape[i], stride[i]));
  return modes;
}
Layout withoutOnes(const Layout &l) { return {l.shape, withoutOnes(l.shape, l.stride)}; }

class TmaTilingRecasts : public testing::TestWithParam<Recast> {};
TEST_P(TmaTilingRecasts, AsCuteCpp) {
  const Recast &c = GetParam();
  layout::Const arith;
  TmaRequest request{parse(c.gmem), layout::AnyLayout(parse(c.smem)), {}, 8, c.internalBits, 1};
  layout::Tile tiler = tileOf(*layout::parseTree(c.tiler, layout::TreeKind::Shape));
  request.ctaVMap = layout::composition(
                        arith, layout::AnyLayout(layout::identityLayout(request.gmem.shape)), tiler)
                        ->outer();
  Result<TmaTiling> tiling = tmaTiling(arith, request);
  ASSERT_TRUE(tiling) << tiling.reason().text;
  EXPECT_EQ(numbers(tiling->box), c.box);
  Result<std::vector<TmaExtent>> modes = tmaModes(arith, request, tiling->basis);
  ASSERT_TRUE(modes) << modes.reason().text;
  std::vector<int64_t> dims, strides;
  for (size_t i = 0; i < modes->size(); ++i) {
    dims.push_back((*modes)[i].extent.value);
    if (i)
      strides.push_back((*modes)[i].stride.value * request.internalBits / 8);
  }
  EXPECT_EQ(numbers(dims), c.dims);
  EXPECT_EQ(numbers(strides), c.strides);
  Result<Layout> coords = tmaCoordinates(arith, request, tiling->basis);
  ASSERT_TRUE(coords) << coords.reason().text;
  EXPECT_EQ(layout::str(*coords), c.coords);
  Result<layout::AnyLayout> tiles =
      layout::divide(arith, layout::AnyLayout(*coords), tiler, layout::Grouping::Zipped);
  ASSERT_TRUE(tiles) << tiles.reason().text;
  EXPECT_EQ(layout::str(withoutOnes(tiles->outer())), c.tiles);
}
INSTANTIATE_TEST_SUITE_P(
    All, TmaTilingRecasts,
    testing::Values(
        Recast{"(512,256):(256,1)", "(128,64):(64,1)", "(128,64)", 16, "(128,512)", "(256)",
               "(32,128)", "(512,256):(1@1,1/2@0)", "((128,64),(4,4)):((1@1,1/2@0),(128@1,32@0))"},
        Recast{"(512,256):(1,512)", "(64,32):(1,64)", "(64,32)", 16, "(256,256)", "(512)",
               "(32,32)", "(512,256):(1/2@0,1@1)", "((64,32),(8,8)):((1/2@0,1@1),(32@0,32@1))"},
        Recast{"(512,256):(256,1)", "(128,64):(64,1)", "(128,64)", 32, "(64,512)", "(256)",
               "(16,128)", "(512,256):(1@1,1/4@0)", "((128,64),(4,4)):((1@1,1/4@0),(128@1,16@0))"},
        Recast{"(((32,4),4),((16,4),8)):(((16,4),4096),((0,1),512))",
               "(((32,4),1),((16,4),1)):(((16,4),0),((0,1),0))", "(((32,4),1),((16,4),1))", 16,
               "(256,4,8)", "(4096,512)", "(256,1,1)",
               "(((32,4),4),((16,4),8)):(((8@0,2@0),1@1),((0,1/2@0),1@2))",
               "((((32,4),1),((16,4),1)),(((1,1),4),((1,1),8))):((((8@0,2@0),0),((0,1/2@0),0)),"
               "(((0,0),1@1),((0,0),1@2)))"},
        Recast{"(((32,4),4),((16,4),8)):(((16,4),4096),((0,1),512))",
               "(((32,4),1),((16,4),4)):(((16,4),0),((0,1),512))", "(((32,4),1),((16,4),4))", 16,
               "(256,8,4)", "(512,4096)", "(256,4,1)",
               "(((32,4),4),((16,4),8)):(((8@0,2@0),1@2),((0,1/2@0),1@1))",
               "((((32,4),1),((16,4),4)),(((1,1),4),((1,1),2))):((((8@0,2@0),0),((0,1/2@0),1@1)),"
               "(((0,0),1@2),((0,0),4@1)))"}));
Result<std::vector<layout::Sliced>> partition(const std::string &smem, const std::string &target,
                                              int64_t elements, int64_t cta = 0, int64_t ctas = 1) {
  layout::Const arith;
  TmaPartition p{layout::AnyLayout(parse(smem)),
                 {layout::AnyLayout(parse(target))},
                 elements,
                 {layout::Tree(ctas), layout::Tree(ctas > 1 ? 1 : 0)},
                 layout::Tree(cta)};
  return tmaPartition(arith, p);
}
/// Two boxes of 64x64 side by side in K: one instruction moves 4096 elements, of 64 rows of K each.
TEST(TmaPartition, SplitsTheTileIntoBoxesInTheOrderOfSharedMemory) {
  auto parts =
      partition("((64,(64,2)),3):((64,(1,4096)),8192)", "((64,128),5):((1@1,1@0),128@0)", 4096);
  ASSERT_TRUE(parts) << parts.reason().text;
  EXPECT_EQ(layout::str((*parts)[0].layout), "((4096,2),3):((1,4096),8192)");
  EXPECT_EQ(layout::str((*parts)[1].layout), "(((64,64),2),5):(((1@0,1@1),64@0),128@0)");
}
/// Of a box of 64x128 CTA 1 of 2 loads rows 64 to 127, half of shared memory further.
TEST(TmaPartition, SharesABoxAmongTheCluster) {
  auto parts = partition("((128,64),1):((64,1),0)", "((128,64),1):((1@1,1@0),0)", 8192, 1, 2);
  ASSERT_TRUE(parts) << parts.reason().text;
  EXPECT_EQ(layout::str((*parts)[0].offset), "4096");
  EXPECT_EQ(layout::str((*parts)[1].offset), "(0,64)");
}
TEST(TmaPartition, RefusesTensorsOfOtherSizes) {
  auto parts = partition("((64,64)):((64,1))", "((64,32)):((1@1,1@0))", 4096);
  ASSERT_FALSE(parts);
  EXPECT_EQ(parts.reason().id, "TmaPartitionSize");
}

TEST(TmaTiling, RefusesToFoldModesWithStridesAtRunTime) {
  layout::Symbolic arith;
  TmaRequest request{parse("(?,?,?,?,?,?):(1,?,?,?,?,?)"),
                     layout::AnyLayout(parse("64:1")),
                     parse("64:1@0"),
                     16,
                     16,
                     1};
  Result<TmaTiling> tiling = tmaTiling(arith, request);
  ASSERT_TRUE(tiling) << tiling.reason().text;
  Result<std::vector<TmaExtent>> modes = tmaModes(arith, request, tiling->basis);
  ASSERT_FALSE(modes);
  EXPECT_EQ(modes.reason().id, "TmaGroup");
}
} // namespace
