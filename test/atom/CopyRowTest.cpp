// Every copy row: layouts cover what is moved, and matrix copies move each byte where PTX says.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/atom/Registry.h"

#include "Evaluate.h"

#include <gtest/gtest.h>

#include <set>

using namespace tessera;
using namespace tessera::atom;
using namespace tessera::atom::test;

namespace {
std::vector<int64_t> samples(const Amounts &amounts) {
  if (amounts.isFixed())
    return {amounts.first};
  int64_t middle = amounts.step ? amounts.first * 8 : amounts.first * 4;
  return amounts.contains(middle) ? std::vector<int64_t>{amounts.first, middle}
                                  : std::vector<int64_t>{amounts.first};
}

size_t distinct(const layout::Layout &tv) {
  std::vector<int64_t> indices = values(tv);
  return std::set<int64_t>(indices.begin(), indices.end()).size();
}

/// Where a byte comes from: the lane that gave the address of a 16-byte row, and the byte of that
/// row.
struct Source {
  int lane, byte;
};

/// The byte of shared memory that lane `lane` gets in byte `byte` of register `reg`. PTX
/// ISA 9.7.14.5.15.
Source ldmatrixByte(const CopyKey &key, int lane, int reg, int byte) {
  int row = lane / 4, group = lane % 4;
  if (key.rows == 8 && !key.transpose) // row lane/4 of matrix `reg`, 4 bytes from 4*(lane%4) on
    return {reg * 8 + row, group * 4 + byte};
  if (key.rows == 8) // 16-bit element e of the register: row 2*(lane%4)+e, column lane/4
    return {reg * 8 + group * 2 + byte / 2, row * 2 + byte % 2};
  // 16x16 bytes, transposed: four columns from 4*(lane%4) on, of row lane/4 (first register of a
  // matrix) or lane/4+8 (second); columns of the transposed matrix are the rows that lanes 0-15
  // point to.
  int matrix = reg / 2, half = reg % 2;
  return {matrix * 16 + group * 4 + byte, half * 8 + row};
}

/// The byte of shared memory to which byte `byte` of register `reg` of a lane goes. PTX
/// ISA 9.7.14.5.16.
Source stmatrixByte(const CopyKey &key, int lane, int reg, int byte) {
  if (key.rows == 8)
    return ldmatrixByte(key, lane, reg, byte);
  // 16x8 bytes, transposed: bytes 0 and 1 are row lane/4, bytes 2 and 3 row lane/4+8, of columns
  // 2*(lane%4) and the next; lanes point to columns.
  return {reg * 8 + lane % 4 * 2 + byte % 2, lane / 4 + (byte / 2) * 8};
}

/// CuTe's byte order after InterleaveBytes: {b0,b1,b4,b5}, {b2,b3,b6,b7} of each pair of registers.
std::pair<int, int> interleaved(int reg, int byte) {
  int pair = reg / 2, from = reg % 2;
  return {pair * 2 + byte / 2, from * 2 + byte % 2};
}
} // namespace

TEST(CopyRow, SourceAndDestinationHoldTheSameBits) {
  for (const CopyRow &row : copyRows())
    for (int64_t amount : samples(row.amounts)) {
      Result<layout::CopyAtomLayouts> atom = bitLayouts(row, amount);
      ASSERT_TRUE(atom) << row.name;
      bool blockOfTmem = row.from == AddressSpace::Tmem ||
                         (row.to == AddressSpace::Tmem && row.from == AddressSpace::Rmem);
      std::set<size_t> bitCounts = {distinct(atom->src), distinct(atom->dst)};
      bool broadcasts = row.key.broadcast != Broadcast::None;
      // Each lane of a warp names a block of tensor memory whole; a broadcast reads bits several
      // times.
      if (!broadcasts)
        EXPECT_EQ(bitCounts.size(), 1u) << row.name;
      layout::Const none;
      int64_t threads = layout::size(none, *layout::parseLayout(row.threads)).value;
      EXPECT_EQ(threadsOf(atom->src), threads) << row.name;
      EXPECT_EQ(threadsOf(atom->dst), threads) << row.name;
      EXPECT_TRUE(atom->ref == atom->src || atom->ref == atom->dst) << row.name;
      if (blockOfTmem) {
        layout::Layout address = layoutOf(row.address, {.repeat = amount});
        EXPECT_EQ(layout::size(none, address).value, int64_t(*bitCounts.begin())) << row.name;
      }
    }
}

TEST(CopyRow, RegistersHoldTheirSide) {
  for (const CopyRow &row : copyRows()) {
    if (row.from != AddressSpace::Rmem && row.to != AddressSpace::Rmem)
      continue;
    for (int64_t amount : samples(row.amounts)) {
      layout::CopyAtomLayouts atom = *bitLayouts(row, amount);
      const layout::Layout &lanes = row.from == AddressSpace::Rmem ? atom.src : atom.dst;
      EXPECT_EQ(valuesOf(lanes), 32 * row.registersFor(amount)) << row.name;
    }
  }
}

TEST(CopyRow, MatricesMoveEveryByteWherePtxSays) {
  for (const CopyRow &row : copyRows()) {
    bool loads = row.key.family == CopyFamily::Ldsm;
    if (!loads && row.key.family != CopyFamily::Stsm)
      continue;
    layout::CopyAtomLayouts atom = *bitLayouts(row, 0);
    std::vector<int64_t> memory = values(loads ? atom.src : atom.dst);
    std::vector<int64_t> lanes = values(loads ? atom.dst : atom.src);
    for (int lane = 0; lane < 32; ++lane)
      for (int reg = 0; reg < row.registers; ++reg)
        for (int byte = 0; byte < 4; ++byte) {
          Source at = loads ? ldmatrixByte(row.key, lane, reg, byte)
                            : stmatrixByte(row.key, lane, reg, byte);
          auto [holder, position] =
              row.fixup == Fixup::InterleaveBytes ? interleaved(reg, byte) : std::pair(reg, byte);
          for (int bit = 0; bit < 8; ++bit)
            ASSERT_EQ(lanes[size_t(lane * 32 * row.registers + holder * 32 + position * 8 + bit)],
                      memory[size_t(at.lane * 128 + at.byte * 8 + bit)])
                << row.name << ", lane " << lane << ", register " << reg << ", byte " << byte;
        }
  }
}

// On sm_75 lanes without an address of their own must repeat those of lower lanes.
TEST(CopyRow, IdleLanesRepeatAddresses) {
  for (Fragment rows : {Fragment::Rows8, Fragment::Rows16, Fragment::Rows32}) {
    int used = rows == Fragment::Rows8 ? 8 : rows == Fragment::Rows16 ? 16 : 32;
    std::vector<int64_t> indices = values(layoutOf(rows, {}));
    for (int lane = 0; lane < 32; ++lane)
      EXPECT_EQ(indices[size_t(lane * 128)], lane % used * 128);
  }
}

// Which data path and column a register of a lane is, from PTX's figures 183 to 187.
TEST(CopyRow, TensorMemoryRegistersAreWherePtxDrawsThem) {
  struct Cell {
    int64_t dataPath, column; // 32-bit columns
  };
  struct Shape {
    Fragment lanes, address;
    int registers; // per repetition
    Cell (*cell)(int lane, int reg, int repeats);
  };
  constexpr Shape shapes[] = {
      {Fragment::Tmem32x32, Fragment::Address32x32, 1,
       [](int lane, int reg, int) { return Cell{lane, reg}; }},
      {Fragment::Tmem16x64, Fragment::Address16x64, 1,
       [](int lane, int reg, int) {
         return Cell{lane / 4 + lane % 2 * 8, reg * 2 + lane / 2 % 2};
       }},
      {Fragment::Tmem16x128, Fragment::Address16x128, 2,
       [](int lane, int reg, int) { return Cell{lane / 4 + reg % 2 * 8, reg / 2 * 4 + lane % 4}; }},
      {Fragment::Tmem16x256, Fragment::Address16x256, 4,
       [](int lane, int reg, int) {
         return Cell{lane / 4 + reg / 2 % 2 * 8, reg / 4 * 8 + lane % 4 * 2 + reg % 2};
       }},
      // The second half of the columns is where the instruction's immediate says; CuTe puts it
      // next.
      {Fragment::Tmem16x32x2, Fragment::Address16x64, 1,
       [](int lane, int reg, int repeats) { return Cell{lane % 16, lane / 16 * repeats + reg}; }},
  };
  for (const Shape &shape : shapes)
    for (int repeats : {1, 2, 8}) {
      Extents extents{.repeat = repeats};
      std::vector<int64_t> lanes = values(layoutOf(shape.lanes, extents));
      layout::Layout address = layoutOf(shape.address, extents);
      layout::Const none;
      int registers = shape.registers * repeats;
      for (int lane = 0; lane < 32; ++lane)
        for (int reg = 0; reg < registers; ++reg) {
          int64_t bit = lanes[size_t((lane * registers + reg) * 32)];
          layout::Tree at = *layout::crd2idx(none, layout::Tree(bit), address);
          Cell cell = shape.cell(lane, reg, repeats);
          ASSERT_EQ(at.leaf().value.value, (cell.dataPath << 21) + cell.column * 32)
              << row(shape.lanes).name << ", lane " << lane << ", register " << reg;
        }
    }
}

// PTX ISA 9.7.9.25.5.2 (tensor copies: 128 bytes in shared memory), 9.7.9.25.4 (bulk: 16 bytes),
// 9.7.14.5.15 (rows of matrices: 16 bytes), 9.7.9.25.3 and 9.7.9.8 (as wide as the access).
TEST(CopyRow, MemorySidesAreAlignedAsPtxAsks) {
  auto bits = [](std::string_view name) {
    const CopyRow &row = **findCopy(name);
    return std::pair<int, int>(row.alignFrom, row.alignTo);
  };
  EXPECT_EQ(bits("SM90_TMA_LOAD"), std::pair(128, 1024));
  EXPECT_EQ(bits("SM90_TMA_STORE"), std::pair(1024, 128));
  EXPECT_EQ(bits("SM100_TMA_2SM_LOAD"), std::pair(128, 1024));
  EXPECT_EQ(bits("SM100_TMA_STORE_SCATTER4"), std::pair(1024, 128));
  EXPECT_EQ(bits("SM90_BULK_COPY_G2S"), std::pair(128, 128));
  EXPECT_EQ(bits("SM75_U32x4_LDSM_N"), std::pair(128, 32));
  EXPECT_EQ(bits("SM80_CP_ASYNC_CACHEALWAYS"), std::pair(0, 0));
}

TEST(CopyRow, LayoutsInElements) {
  auto src = [](std::string_view name, int64_t amount, int64_t bits) {
    Result<layout::CopyAtomLayouts> atom = layouts(**findCopy(name), amount, bits);
    return atom ? layout::str(atom->src) + " " + layout::str(atom->dst) : atom.reason().text;
  };
  EXPECT_EQ(src("UniversalCopy", 128, 16), "(1,8):(0,1) (1,8):(0,1)");
  EXPECT_EQ(src("SM75_U32x4_LDSM_N", 0, 16), "(32,8):(8,1) (32,(2,4)):(2,(1,64))");
  EXPECT_EQ(src("SM75_U16x8_LDSM_T", 0, 16), "(32,8):(8,1) ((4,8),(1,2,4)):((16,1),(1,8,64))");
  EXPECT_EQ(src("UniversalCopy", 24, 8),
            "UniversalCopy takes one of 8, 16, 32, 64, 128 or 256 bits, but got 24");
  EXPECT_EQ(layouts(**findCopy("SM75_U16x8_LDSM_T"), 0, 3).reason().id, "BitsNotWhole");
  for (int bits : {3, 32})
    EXPECT_EQ(src("SM75_U16x8_LDSM_T", 0, bits),
              cat("SM75_U16x8_LDSM_T moves runs of bits that are not a whole number of ", bits,
                  "-bit values"));
}

TEST(CopyRow, MnemonicsTakeTheirNumber) {
  EXPECT_EQ(mnemonicFor(**findCopy("SM100_TMEM_LOAD_32dp32b"), 64),
            "tcgen05.ld.sync.aligned.32x32b.x64.b32");
  EXPECT_EQ(mnemonicFor(**findCopy("SM90_TMA_LOAD"), 3),
            "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes");
  for (const CopyRow &row : copyRows()) {
    EXPECT_FALSE(row.source.empty()) << row.name;
    EXPECT_EQ(mnemonicFor(row, 2).find('{'), std::string::npos) << row.name;
    EXPECT_EQ(row.rank.last > 0, row.mnemonic.find("{D}") != std::string::npos) << row.name;
  }
}
