// BitLayout: who holds what, by counting.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/tile_lower/BitLayout.h"

#include "tessera/atom/Registry.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

using namespace tessera;
using namespace tessera::tile_lower;

namespace {

int64_t elementOf(const BitLayout &layout, int64_t thread, int64_t number) {
  return layout.threadPart(thread) | layout.registerPart(number);
}
int64_t threadsOf(const BitLayout &layout) { return int64_t(1) << layout.threads.size(); }

/// All layouts that the rules make of a tile of 2^bits elements, in a random order of bits.
BitLayout randomLayout(std::mt19937 &random, int bits, int threadBits) {
  BitList order = bitsUpTo(bits);
  std::shuffle(order.begin(), order.end(), random);
  BitLayout layout = blocked(order, threadBits, int(random() % 4));
  std::shuffle(layout.threads.begin(), layout.threads.end(), random);
  return layout;
}

} // namespace

TEST(BitLayout, BlocksHoldEachElementAsOftenAsThereAreReplicas) {
  std::mt19937 random(1);
  for (int bits = 0; bits <= 12; ++bits)
    for (int threadBits : {5, 7, 8}) {
      BitLayout layout = randomLayout(random, bits, threadBits);
      std::map<int64_t, int64_t> held;
      for (int64_t t = 0; t < threadsOf(layout); ++t)
        for (int64_t r = 0; r < layout.registerCount(); ++r)
          ++held[elementOf(layout, t, r)];
      EXPECT_EQ(held.size(), size_t(1) << bits);
      for (auto &[element, count] : held)
        EXPECT_EQ(count, threadsOf(layout) * layout.registerCount() >> bits);
      for (int64_t r = 0; r < layout.registerCount(); ++r)
        EXPECT_EQ(layout.registerOf(layout.registerPart(r)), r);
    }
}

TEST(BitLayout, TheFirstRegistersAreNeighbours) {
  BitLayout layout = blocked(bitsUpTo(10), 5, 3);
  for (int64_t t = 0; t < 32; ++t)
    for (int64_t r = 0; r < 32; ++r)
      EXPECT_EQ(elementOf(layout, t, r), r % 8 + t * 8 + r / 8 * 256);
  EXPECT_EQ(layout.vectorBits(bitsUpTo(10)), 3);
}

TEST(BitLayout, AReductionKeepsWhereTheOthersAre) {
  std::mt19937 random(2);
  for (int round = 0; round < 100; ++round) {
    int bits = int(random() % 9), threadBits = 5;
    BitLayout layout = randomLayout(random, bits, threadBits);
    int64_t removed = int64_t(random()) & ((int64_t(1) << bits) - 1);
    BitLayout left = without(layout, removed);
    // An element of the rest, from the bits that are kept.
    auto kept = [&](int64_t element) {
      int64_t out = 0;
      int next = 0;
      for (int bit = 0; bit < bits; ++bit)
        if (!(removed >> bit & 1))
          out |= (element >> bit & 1) << next++;
      return out;
    };
    for (int64_t t = 0; t < 32; ++t) {
      std::set<int64_t> before, after;
      for (int64_t r = 0; r < layout.registerCount(); ++r)
        before.insert(kept(elementOf(layout, t, r)));
      for (int64_t r = 0; r < left.registerCount(); ++r)
        after.insert(elementOf(left, t, r));
      EXPECT_TRUE(std::includes(before.begin(), before.end(), after.begin(), after.end()) ||
                  std::includes(after.begin(), after.end(), before.begin(), before.end()));
      // What a thread had of the kept bits by its number is what it has now, or less where the
      // number gave a bit that is gone.
      for (int64_t element : before)
        EXPECT_EQ(after.count(element), size_t(1));
    }
  }
}

TEST(BitLayout, StayingInThreadsIsWhatItSays) {
  std::mt19937 random(3);
  int stays = 0;
  for (int round = 0; round < 400; ++round) {
    int bits = int(random() % 4);
    BitLayout from = randomLayout(random, bits, 2), to = randomLayout(random, bits, 2);
    bool isTrue = true;
    for (int64_t t = 0; t < 4; ++t) {
      std::set<int64_t> has;
      for (int64_t r = 0; r < from.registerCount(); ++r)
        has.insert(elementOf(from, t, r));
      for (int64_t r = 0; r < to.registerCount(); ++r)
        isTrue &= has.count(elementOf(to, t, r)) == 1;
    }
    // A bit that two bits of a thread's number agree on by chance is not looked for.
    if (staysInThreads(from, to)) {
      EXPECT_TRUE(isTrue);
      ++stays;
    }
    if (from == to) {
      EXPECT_TRUE(staysInThreads(from, to));
    }
  }
  EXPECT_GT(stays, 20);
}

TEST(BitLayout, FragmentsAreThoseOfTheAlgebra) {
  for (const atom::MmaRow &row : atom::mmaRows()) {
    if (row.recipe != atom::Recipe::MmaSync || row.m.first != 16)
      continue;
    layout::MmaAtomLayouts layouts = atom::layouts(row);
    for (const layout::Layout &fragment : {layouts.a, layouts.b, layouts.c}) {
      BitLayout bits{bitsOf(fragment[0]), bitsOf(fragment[1])};
      for (int64_t lane = 0; lane < 32; ++lane)
        for (int64_t value = 0; value < bits.registerCount(); ++value) {
          // The definition: coordinates of each mode count their extents first fastest.
          int64_t index = 0;
          for (auto [mode, coordinate] : {std::pair{0, lane}, std::pair{1, value}}) {
            llvm::SmallVector<int64_t> extents, strides;
            fragment[size_t(mode)].shape.forEachLeaf(
                [&](const layout::Leaf &leaf) { extents.push_back(leaf.value.value); });
            fragment[size_t(mode)].stride.forEachLeaf(
                [&](const layout::Leaf &leaf) { strides.push_back(leaf.value.value); });
            for (size_t i = 0; i < extents.size(); ++i) {
              index += coordinate % extents[i] * strides[i];
              coordinate /= extents[i];
            }
          }
          ASSERT_EQ(elementOf(bits, lane, value), index) << row.name;
        }
    }
  }
}

TEST(BitLayout, BanksAreCounted) {
  auto lanes = [](int64_t step) {
    llvm::SmallVector<int64_t> out;
    for (int64_t lane = 0; lane < 32; ++lane)
      out.push_back(lane * step);
    return out;
  };
  EXPECT_EQ(waysOf(lanes(4), 4), 1);    // each lane a bank
  EXPECT_EQ(waysOf(lanes(0), 4), 1);    // one word for all
  EXPECT_EQ(waysOf(lanes(8), 4), 2);    // every other bank
  EXPECT_EQ(waysOf(lanes(128), 4), 32); // one bank
  EXPECT_EQ(waysOf(lanes(2), 2), 1);    // two lanes a word
  EXPECT_EQ(waysOf(lanes(16), 16), 1);  // eight lanes at a time
  EXPECT_EQ(waysOf(lanes(128), 16), 8);
}

/// Swizzles are permutations, and those of accumulators and rows have at most two ways.
TEST(BitLayout, SwizzlesMeetWithoutConflicts) {
  // The accumulator of m16n8 in rows of 128 elements of 2 bytes, and rows of 16 bytes a lane.
  BitLayout accumulator{{1, 2, 7, 8, 9, 11, 12}, {0, 10, 3, 4, 5, 6, 13}};
  BitLayout rows = blocked(bitsUpTo(14), 7, 3);
  layout::Swizzle swizzle = swizzleFor(accumulator, 1, rows, 3, 2);
  std::set<int64_t> places;
  for (int64_t element = 0; element < 1 << 14; ++element)
    places.insert(swizzle(element * 2));
  EXPECT_EQ(places.size(), size_t(1) << 14);
  for (auto [layout, bits] : {std::pair{&accumulator, 1}, std::pair{&rows, 3}}) {
    llvm::SmallVector<int64_t> addresses;
    for (int64_t lane = 0; lane < 32; ++lane)
      addresses.push_back(swizzle(layout->threadPart(lane) * 2));
    EXPECT_LE(waysOf(addresses, 2 << bits), 2);
  }
}

TEST(BitLayout, AsALayoutOfThreadsAndRegistersItSaysTheSame) {
  std::mt19937 random(7);
  // What a mode says: the index in base of its extents, times strides.
  auto valueOf = [](const layout::Layout &mode, int64_t index) {
    std::vector<int64_t> extents, strides;
    mode.shape.forEachLeaf([&](const layout::Leaf &leaf) { extents.push_back(leaf.value.value); });
    mode.stride.forEachLeaf([&](const layout::Leaf &leaf) { strides.push_back(leaf.value.value); });
    int64_t out = 0;
    for (size_t i = 0; i < extents.size(); ++i) {
      out += index % extents[i] * strides[i];
      index /= extents[i];
    }
    return out;
  };
  for (int rowBits = 0; rowBits <= 5; ++rowBits)
    for (int columnBits = 0; columnBits <= 5; ++columnBits) {
      BitLayout bits = randomLayout(random, rowBits + columnBits, 5);
      layout::Layout both = threadValues(bits, columnBits);
      for (int64_t t = 0; t < threadsOf(bits); ++t)
        for (int64_t r = 0; r < bits.registerCount(); ++r) {
          int64_t element = elementOf(bits, t, r);
          int64_t row = element >> columnBits, column = element & ((1 << columnBits) - 1);
          EXPECT_EQ(valueOf(both[0], t) + valueOf(both[1], r), row + (column << rowBits));
        }
    }
}
