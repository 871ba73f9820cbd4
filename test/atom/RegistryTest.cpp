// Looking rows up by name, by type and by key, and what is said when there is none.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/atom/Registry.h"

#include <gtest/gtest.h>

#include <set>

using namespace tessera;
using namespace tessera::atom;

namespace {
template <class Row> std::string nameOrReason(const Result<const Row *> &found) {
  return found ? (*found)->name : "refused: " + found.reason().text;
}
/// A query that a type verifier would make from the row's own columns.
MmaQuery queryOf(const MmaRow &row) {
  return {.family = row.family,
          .m = row.m.last,
          .n = row.n.last,
          .k = row.k,
          .a = row.a.element,
          .b = row.b.element,
          .c = row.c.element,
          .aMajor = row.a.majors == Major::MN ? Major::MN : Major::K,
          .bMajor = row.b.majors == Major::MN ? Major::MN : Major::K,
          .metadata = row.sparsity.metadata,
          .scale = row.scale.element,
          .vec = row.scale.vec,
          .ctas = row.ctas,
          .overflow = row.overflow,
          .bitOp = row.bitOp,
          .weightStationary = row.weightStationary,
          .aFrom = row.a.where,
          .kind = row.kind};
}
} // namespace

TEST(Registry, NamesAreUnique) {
  std::set<std::string_view> names;
  for (const MmaRow &row : mmaRows()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    if (!row.alias.empty())
      EXPECT_TRUE(names.insert(row.alias).second) << row.alias;
  }
  for (const CopyRow &row : copyRows()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    if (!row.alias.empty())
      EXPECT_TRUE(names.insert(row.alias).second) << row.alias;
  }
}

TEST(Registry, EveryMmaRowIsFoundByWhatItDoes) {
  for (const MmaRow &row : mmaRows())
    EXPECT_EQ(nameOrReason(find(queryOf(row))), row.name);
}

TEST(Registry, EveryCopyRowIsFoundByItsKey) {
  for (const CopyRow &row : copyRows()) {
    Result<const CopyRow *> found = find(row.key);
    ASSERT_TRUE(found) << row.name;
    // Wide loads and stores differ only in direction.
    EXPECT_TRUE((*found)->name == row.name || row.key.columns == 256) << row.name;
  }
}

TEST(Registry, FindsByNameAliasAndConcreteN) {
  for (std::string_view name : {"SM80_16x8x16_F32F16F16F32_TN", "SM75_16x8x8_F32F16F16F32_TN",
                                "SM120_16x8x32_TN<e2m1,e3m2,f32>"})
    EXPECT_EQ(nameOrReason(findMma(name)), name);
  EXPECT_EQ(nameOrReason(findMma("SM80_16x8x8_F32F16F16F32_TN")), "SM75_16x8x8_F32F16F16F32_TN");
  EXPECT_EQ(nameOrReason(findMma("SM90_64x128x16_F32F16F16_SS")), "SM90_64xNx16_F32F16F16_SS");
  EXPECT_EQ(nameOrReason(findCopy("SM80_CP_ASYNC_CACHEALWAYS_ZFILL")), "SM80_CP_ASYNC_CACHEALWAYS");
}

TEST(Registry, RefusesUnknownNamesWithNeighbours) {
  EXPECT_EQ(nameOrReason(findMma("SM80_16x8x16_F32F16F16F16_TN")),
            "refused: no MMA atom is called \"SM80_16x8x16_F32F16F16F16_TN\"; the nearest are "
            "SM80_16x8x16_F32F16F16F32_TN, SM80_16x8x16_F32BF16BF16F32_TN and "
            "SM80_16x8x16_F16F16F16F16_TN");
  EXPECT_EQ(nameOrReason(findMma("SM90_64x12x16_F32F16F16_SS")),
            "refused: SM90_64xNx16_F32F16F16_SS takes N = 8 to 256 in steps of 8, but got 12");
  EXPECT_EQ(findMma("").reason().id, "UnknownMmaAtom");
  EXPECT_EQ(findCopy("SM75_U32x3_LDSM_N").reason().id, "UnknownCopyAtom");
}

TEST(Registry, SaysWhatIsLegalInstead) {
  using enum Element;
  auto refused = [](const MmaQuery &query) { return nameOrReason(find(query)); };
  EXPECT_EQ(
      refused(
          {.family = MmaFamily::Sm80Mma, .m = 16, .n = 8, .k = 32, .a = f64, .b = f64, .c = f64}),
      "refused: sm80.mma has no 16x8x32 with a = f64, b = f64, c = f64; shape may be 8x8x4, "
      "16x8x4, 16x8x8 or 16x8x16");
  EXPECT_EQ(
      refused(
          {.family = MmaFamily::Sm80Mma, .m = 16, .n = 8, .k = 16, .a = bf16, .b = bf16, .c = f16}),
      "refused: sm80.mma has no 16x8x16 with a = bf16, b = bf16, c = f16; c may be f32");
  EXPECT_EQ(
      refused(
          {.family = MmaFamily::Sm90Mma, .m = 64, .n = 40, .k = 32, .a = s8, .b = u8, .c = s32}),
      "refused: sm90.mma has no 64x40x32 with a = s8, b = u8, c = s32; shape may be 64x(8, 16, 24, "
      "32, then to 256 in steps of 16)x32");
  EXPECT_EQ(
      refused({.family = MmaFamily::Sm90Mma,
               .m = 64,
               .n = 128,
               .k = 32,
               .a = e4m3,
               .b = e4m3,
               .c = f32,
               .bMajor = Major::MN}),
      "refused: sm90.mma has no 64x128x32 with a = e4m3, b = e4m3, c = f32, b major = mn; b major "
      "may be k");
  EXPECT_EQ(
      refused({.family = MmaFamily::Sm80SparseMma,
               .m = 16,
               .n = 8,
               .k = 32,
               .a = f16,
               .b = f16,
               .c = f32}),
      "refused: sm80.sparse_mma has no 16x8x32 with a = f16, b = f16, c = f32; metadata may be "
      "tid or ordered");
  // No single change helps: the first column that leaves nothing is named.
  EXPECT_EQ(
      refused({.family = MmaFamily::Sm89Mma, .m = 5, .n = 5, .k = 5, .a = f16, .b = f16, .c = f16}),
      "refused: sm89.mma has no 5x5x5 with a = f16, b = f16, c = f16; shape may be 16x8x16 or "
      "16x8x32");
}

TEST(Registry, SaysWhichCopiesThereAre) {
  EXPECT_EQ(
      nameOrReason(find({.family = CopyFamily::Ldsm,
                         .rows = 16,
                         .columns = 16,
                         .matrices = 4,
                         .transpose = true})),
      "refused: atom.ldsm has no (16,16) with matrices = 4, transpose = yes; shape may be (8,8); "
      "matrices may be 1 or 2");
  EXPECT_EQ(
      nameOrReason(find({.family = CopyFamily::Ldsm, .rows = 16, .columns = 16, .matrices = 1})),
      "refused: atom.ldsm has no (16,16) with matrices = 1; shape may be (8,8); transpose may be "
      "yes");
  EXPECT_EQ(nameOrReason(find({.family = CopyFamily::TmaStore, .mode = TmaMode::Gather4})),
            "refused: atom.tma_store has no atom with mode = gather4; mode may be tiled, im2col or "
            "scatter4");
}

TEST(Registry, PrefersTheKindThatCuTeUses) {
  using enum Element;
  MmaQuery query{.family = MmaFamily::Sm120MmaBs,
                 .m = 16,
                 .n = 8,
                 .k = 64,
                 .a = e2m1,
                 .b = e2m1,
                 .c = f32,
                 .scale = ue8m0,
                 .vec = 32};
  EXPECT_EQ(nameOrReason(find(query)), "SM120_16x8x64_TN_VS<e2m1,e2m1,f32,ue8m0,32>");
  query.kind = MmaKind::Mxf4;
  EXPECT_EQ(nameOrReason(find(query)), "SM120_16x8x64_TN_VS_MXF4<e2m1,e2m1,f32,ue8m0,32>");
}
