// Every MMA row against itself: layouts cover tiles, registers hold fragments, text fits.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/atom/Registry.h"

#include "Evaluate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

using namespace tessera;
using namespace tessera::atom;
using namespace tessera::atom::test;

namespace {
/// Extents to try: all of a short range, both ends and a middle of a long one.
std::vector<int> samples(const Range &range) {
  std::vector<int> all = range.values();
  if (all.size() <= 3)
    return all;
  return {all.front(), all[all.size() / 2], all.back()};
}

template <class F> void forEachInstance(F &&f) {
  for (const MmaRow &row : mmaRows())
    for (int m : samples(row.m))
      for (int n : samples(row.n))
        f(row, m, n);
}

/// Every number of [0, extent) once.
bool isPermutation(const std::vector<int64_t> &indices, int64_t extent) {
  std::vector<bool> seen(static_cast<size_t>(extent));
  for (int64_t index : indices) {
    if (index < 0 || index >= extent || seen[size_t(index)])
      return false;
    seen[size_t(index)] = true;
  }
  return int64_t(indices.size()) == extent;
}

/// Shared and tensor memory operands of warpgroups: every thread sees the whole tile.
bool isBroadcast(const Operand &operand) {
  return operand.fragment == Fragment::GroupMK || operand.fragment == Fragment::GroupNK;
}

void expectCovers(const MmaRow &row, const Operand &operand, layout::Layout tv, int64_t extent) {
  static std::set<std::pair<std::string, int64_t>> done; // many rows share a layout
  if (!done.emplace(layout::str(tv), extent).second)
    return;
  std::vector<int64_t> indices = values(tv);
  if (isBroadcast(operand))
    indices.resize(size_t(valuesOf(tv)));
  EXPECT_TRUE(isPermutation(indices, extent)) << row.name << " " << layout::str(tv);
}
} // namespace

TEST(MmaRow, FragmentsAreBijectionsOntoTheTile) {
  forEachInstance([](const MmaRow &row, int m, int n) {
    Result<layout::MmaAtomLayouts> atom = layouts(row, m, n);
    ASSERT_TRUE(atom) << row.name;
    expectCovers(row, row.a, atom->a, int64_t(m) * row.k);
    expectCovers(row, row.b, atom->b, int64_t(n) * row.k);
    expectCovers(row, row.c, atom->c, int64_t(m) * n);
  });
}

TEST(MmaRow, LayoutsAgreeOnTheNumberOfThreads) {
  forEachInstance([](const MmaRow &row, int m, int n) {
    layout::MmaAtomLayouts atom = *layouts(row, m, n);
    layout::Const none;
    int64_t threads = layout::size(none, atom.threads).value;
    for (const layout::Layout &tv : {atom.a, atom.b, atom.c})
      EXPECT_EQ(threadsOf(tv), threads) << row.name;
  });
}

TEST(MmaRow, RegistersHoldTheFragments) {
  forEachInstance([](const MmaRow &row, int m, int n) {
    layout::MmaAtomLayouts atom = *layouts(row, m, n);
    auto expectHolds = [&](const Operand &operand, const layout::Layout &tv, bool sparse) {
      if (operand.where != Residency::Rmem)
        return;
      int64_t bitsOfThread = valuesOf(tv) * operand.storedBits() / (sparse ? 2 : 1);
      EXPECT_EQ(operand.registers.at(n) * bits(operand.registers.type), bitsOfThread) << row.name;
    };
    expectHolds(row.a, atom.a, row.sparsity.isSparse());
    expectHolds(row.b, atom.b, false);
    expectHolds(row.c, atom.c, false);
  });
}

TEST(MmaRow, MetadataDescribesEveryElementOfA) {
  forEachInstance([](const MmaRow &row, int m, int n) {
    if (row.sparsity.fragment == Fragment::None)
      return;
    layout::Layout tv = layoutOf(row.sparsity.fragment, {.m = m, .n = n, .k = row.k});
    // 32 bits a lane; lanes that the selector leaves out repeat what others say.
    EXPECT_EQ(valuesOf(tv), 4 * row.sparsity.elementsPerByte) << row.name;
    std::vector<int64_t> indices = values(tv);
    std::vector<int64_t> distinct = indices;
    std::sort(distinct.begin(), distinct.end());
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    EXPECT_TRUE(isPermutation(distinct, int64_t(m) * row.k)) << row.name;
    EXPECT_EQ(indices.size(), distinct.size() * row.sparsity.selectors) << row.name;
  });
}

TEST(MmaRow, ScaleFactorsCoverRowsAndColumns) {
  for (const MmaRow &row : mmaRows()) {
    if (row.scale.a == Fragment::None)
      continue;
    Extents extents{.m = row.m.first, .n = row.n.first, .k = row.k};
    EXPECT_EQ(row.k % row.scale.vec, 0) << row.name;
    auto distinct = [](std::vector<int64_t> indices) {
      std::sort(indices.begin(), indices.end());
      indices.erase(std::unique(indices.begin(), indices.end()), indices.end());
      return indices;
    };
    EXPECT_TRUE(isPermutation(distinct(values(layoutOf(row.scale.a, extents))), extents.m * row.k));
    EXPECT_TRUE(isPermutation(distinct(values(layoutOf(row.scale.b, extents))), extents.n * row.k));
  }
}

TEST(MmaRow, MnemonicsAgreeWithTheColumns) {
  for (const MmaRow &row : mmaRows()) {
    std::string text = mnemonicFor(row, row.n.last) + ".";
    auto has = [&](std::string_view part) { return text.find(part) != std::string::npos; };
    if (row.recipe != Recipe::Umma && row.recipe != Recipe::Fma) {
      EXPECT_TRUE(has(cat(".m", row.m.last, "n", row.n.last, "k", row.k, "."))) << text;
      EXPECT_TRUE(has(cat(".", ptxName(row.c.element), ".", ptxName(row.a.element), ".",
                          ptxName(row.b.element), ".")))
          << text;
    }
    if (row.recipe != Recipe::Umma) // which has it in the descriptor
      EXPECT_EQ(has(".satfinite."), row.overflow == Overflow::Satfinite) << text;
    EXPECT_EQ(has(".xor.popc."), row.bitOp == BitOp::XorPopc) << text;
    EXPECT_EQ(has(".and.popc."), row.bitOp == BitOp::AndPopc) << text;
    EXPECT_EQ(has(".sp.") || has(".sp::"), row.sparsity.isSparse()) << text;
    EXPECT_EQ(has("::ordered_metadata."), row.sparsity.metadata == Metadata::Ordered) << text;
    EXPECT_EQ(has(".block_scale."), row.scale.isScaled()) << text;
    EXPECT_EQ(has(".kind::"), row.kind != MmaKind::None) << text;
    EXPECT_EQ(has(".cta_group::2."), row.ctas == 2) << text;
    EXPECT_TRUE(row.kind == MmaKind::None || has(cat(".kind::", name(row.kind), "."))) << text;
    EXPECT_FALSE(has("{")) << text;
  }
}

TEST(MmaRow, ColumnsAreFilledIn) {
  for (const MmaRow &row : mmaRows()) {
    EXPECT_FALSE(row.source.empty()) << row.name;
    EXPECT_FALSE(row.mnemonic.empty()) << row.name;
    EXPECT_FALSE(row.needs.targets().empty()) << row.name;
    EXPECT_GE(row.ptx, 60) << row.name;
    EXPECT_FALSE(row.m.values().empty() || row.n.values().empty()) << row.name;
  }
}

TEST(MmaRow, RefusesExtentsThatItLacks) {
  const MmaRow &row = **findMma("SM90_64xNx32_S32S8S8_SS_TN");
  EXPECT_TRUE(layouts(row, 64, 24));
  EXPECT_EQ(
      layouts(row, 64, 40).reason().text,
      "SM90_64xNx32_S32S8S8_SS_TN takes N = 8, 16, 24, 32, then to 256 in steps of 16, but got 40");
  EXPECT_EQ(layouts(row, 128, 24).reason().text,
            "SM90_64xNx32_S32S8S8_SS_TN takes M = 64, but got 128");
}

TEST(Range, HoldsTheValuesOfPtx) {
  EXPECT_EQ(Range(8, 256, 16, 32).values(),
            (std::vector<int>{8, 16, 24, 32, 48, 64, 80, 96, 112, 128, 144, 160, 176, 192, 208, 224,
                              240, 256}));
  EXPECT_EQ(Range(64, 128, 64).values(), (std::vector<int>{64, 128}));
  EXPECT_EQ(Range(8, 256, 8).values().size(), 32u);
  EXPECT_EQ(Range(16).str(), "16");
  EXPECT_EQ(Range(64, 128, 64).str(), "64 or 128");
}
