// Ranges of tensors of callers at the ends of what numbers hold.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/run/View.h"

#include <gtest/gtest.h>

#include <limits>

namespace tessera::run {
namespace {

constexpr int64_t most = std::numeric_limits<int64_t>::max();

/// A tensor of bytes in memory of the host.
DlTensor bytesAt(uint64_t address, const int64_t &extent, const int64_t &stride) {
  DlTensor t{};
  t.data = reinterpret_cast<void *>(address);
  t.deviceType = 1;
  t.rank = 1;
  t.code = 1;
  t.bits = 8;
  t.lanes = 1;
  t.shape = &extent;
  t.strides = &stride;
  return t;
}

TEST(View, ARangeHoldsEveryElement) {
  struct Case {
    uint64_t address;
    int64_t extent, stride;
    uint64_t end; // 0: refused
  };
  constexpr int64_t whole = (int64_t(1) << 60) - 1; // bytes whose bits 63 bits can count
  for (const Case &c :
       {Case{16, 4, 3, 16 + 10}, Case{16, 1, most, 17}, Case{16, 0, most, 16},
        Case{16, whole, 1, 16 + uint64_t(whole)}, Case{16, 2, whole - 1, 16 + uint64_t(whole)},
        Case{0, whole, 1, 0},                            // no address
        Case{16, whole + 1, 1, 0}, Case{16, 2, most, 0}, // one element more than 2^63 - 1
        Case{16, most, most, 0},                         // the product
        Case{~uint64_t(0) - 9, 9, 1, ~uint64_t(0)},
        Case{~uint64_t(0) - 9, 10, 1, 0}, // 2^64 is not an address
        Case{~uint64_t(0) - 9, 2, 100, 0}}) {
    Result<ByteRange> range = rangeOf(bytesAt(c.address, c.extent, c.stride));
    EXPECT_EQ(bool(range), c.end != 0) << c.extent << ":" << c.stride;
    if (range) {
      EXPECT_EQ(range->begin, c.address);
      EXPECT_EQ(range->end, c.end);
    } else {
      EXPECT_FALSE(range.reason().text.empty());
    }
  }
}

// 2^33 * 2^31 elements are 2^64, which a product of 64 bits takes for none.
TEST(View, CompactStridesDoNotWrap) {
  int64_t shape[] = {4, int64_t(1) << 33, int64_t(1) << 31};
  DlTensor t = bytesAt(16, shape[0], shape[0]);
  t.rank = 3;
  t.shape = shape;
  t.strides = nullptr;
  EXPECT_FALSE(rangeOf(t));
  shape[0] = 1;
  shape[1] = int64_t(1) << 28;
  ASSERT_TRUE(rangeOf(t));
  EXPECT_EQ(rangeOf(t)->end, 16 + (uint64_t(1) << 59));
}

/// Extents that are not there are said to be so, not to be too many.
TEST(View, ExtentsThatAreNotThere) {
  int64_t one = 1;
  DlTensor t = bytesAt(16, one, one);
  t.shape = nullptr;
  Result<ByteRange> range = rangeOf(t);
  ASSERT_FALSE(range);
  EXPECT_EQ(range.reason().id, "CallShape");
  EXPECT_EQ(range.reason().text,
            "expects the extents of a tensor of 1 modes, but got a null pointer");
  t.rank = 33;
  EXPECT_EQ(rangeOf(t).reason().id, "CallRank");
  t.rank = 0; // a tensor of one element has none
  EXPECT_TRUE(rangeOf(t));
}

TEST(View, AnOffsetDoesNotWrap) {
  int64_t one = 1;
  DlTensor t = bytesAt(16, one, one);
  t.byteOffset = ~uint64_t(0);
  EXPECT_FALSE(rangeOf(t));
}

} // namespace
} // namespace tessera::run
