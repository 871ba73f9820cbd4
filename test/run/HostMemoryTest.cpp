// Arrays of the host on a device: alone, side by side, overlapping, constant; ranges beside sets of
// bytes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/run/HostMemory.h"
#include "tessera/run/SimDevice.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <numeric>
#include <random>
#include <set>

using namespace tessera;
using namespace tessera::run;

namespace {

using Bytes8 = std::vector<uint8_t>;

ByteRange part(Bytes8 &of, size_t first, size_t count) {
  auto begin = reinterpret_cast<uint64_t>(of.data()) + first;
  return {begin, begin + count};
}
Bytes8 upTo(uint8_t count) {
  Bytes8 out;
  for (uint8_t i = 0; i < count; ++i)
    out.push_back(i);
  return out;
}

TEST(HostMemory, ArraysSideBySideAreTwo) {
  SimDevice device;
  Bytes8 x = upTo(64);
  ByteRange first = part(x, 0, 32), second = part(x, 32, 32);
  // In either order, as the one that ends there must not be taken for the one that begins there.
  for (const auto &arrays :
       {std::vector<HostMemory::Array>{{first}, {second}}, {{second}, {first}}}) {
    Result<HostMemory> memory = HostMemory::copy(device, arrays);
    ASSERT_TRUE(memory);
    ASSERT_TRUE(device.fill(memory->onDevice(second), 7, 32));
    EXPECT_FALSE(device.fill(memory->onDevice(second), 7, 33)); // nobody's memory
    ASSERT_TRUE(memory->copyBack());
    for (size_t i = 0; i < 64; ++i)
      EXPECT_EQ(x[i], i < 32 ? i : 7) << i;
    std::iota(x.begin(), x.end(), 0);
  }
}

TEST(HostMemory, ArraysThatOverlapStayTogether) {
  SimDevice device;
  Bytes8 x = upTo(128);
  ByteRange a = part(x, 4, 60), b = part(x, 16, 100), c = part(x, 126, 2);
  Result<HostMemory> memory = HostMemory::copy(device, {{b}, {c}, {a}});
  ASSERT_TRUE(memory);
  EXPECT_EQ(memory->onDevice(b) - memory->onDevice(a), 12u);
  // Both are aligned as on the host; one that is alone begins at the most that kernels may know.
  EXPECT_EQ(memory->onDevice(a) % 256, a.begin % 256);
  EXPECT_EQ(memory->onDevice(c) % 256, 0u);
  ASSERT_TRUE(device.fill(memory->onDevice(b), 200, 100));
  ASSERT_TRUE(memory->copyBack());
  for (size_t i = 0; i < 128; ++i)
    EXPECT_EQ(x[i], i >= 16 && i < 116 ? 200 : i) << i;
}

TEST(HostMemory, ConstantArraysAreNotWritten) {
  SimDevice device;
  Bytes8 x = upTo(64);
  ByteRange a = part(x, 0, 40), b = part(x, 32, 32);
  auto filled = [&](uint64_t at, size_t count) -> Status {
    TESSERA_TRY(HostMemory memory,
                HostMemory::copy(device, {{.range = a, .isConst = true, .argument = 3}, {b}}));
    TESSERA_CHECK(device.fill(memory.onDevice(a) + at, 9, count));
    return memory.copyBack();
  };
  Status status = filled(30, 2);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.reason().id, "ReadOnly");
  EXPECT_EQ(status.reason().text, "argument 3: the kernel writes its byte 30, but it is constant: "
                                  "pass an array that may be written");
  EXPECT_EQ(x, upTo(64));
  // Bytes of another array may be written, whether a constant one has them too or not.
  EXPECT_TRUE(filled(32, 8));
  for (size_t i = 0; i < 64; ++i)
    EXPECT_EQ(x[i], i >= 32 && i < 40 ? 9 : i) << i;
}

TEST(HostMemory, ArraysMayBeEmpty) {
  SimDevice device;
  Bytes8 x = upTo(32);
  ByteRange none = part(x, 16, 0), all = part(x, 0, 16), after = part(x, 16, 16);
  Result<HostMemory> memory = HostMemory::copy(device, {{none}, {all}, {after}, {{0, 0}}});
  ASSERT_TRUE(memory);
  EXPECT_NE(memory->onDevice(none), 0u);
  EXPECT_NE(memory->onDevice({0, 0}), 0u);
  EXPECT_TRUE(memory->copyBack());
  EXPECT_EQ(x, upTo(32));
}

std::set<uint64_t> bytesIn(const std::vector<ByteRange> &ranges) {
  std::set<uint64_t> out;
  for (const ByteRange &range : ranges)
    for (uint64_t at = range.begin; at < range.end; ++at)
      out.insert(at);
  return out;
}
TEST(Ranges, AreSetsOfBytes) {
  std::mt19937 random(1);
  for (int round = 0; round < 5000; ++round) {
    auto any = [&] {
      uint64_t begin = random() % 24;
      return ByteRange{begin, begin + random() % 8};
    };
    std::vector<ByteRange> ranges;
    for (size_t n = random() % 6; n-- > 0;)
      ranges.push_back(any());
    std::vector<ByteRange> all = joined(ranges);
    EXPECT_EQ(bytesIn(all), bytesIn(ranges));
    for (size_t i = 1; i < all.size(); ++i)
      EXPECT_LE(all[i - 1].end, all[i].begin);
    // Each lies within one, so that no array is torn.
    for (const ByteRange &range : ranges)
      EXPECT_TRUE(std::any_of(all.begin(), all.end(), [&](const ByteRange &one) {
        return range.begin >= one.begin && range.end <= one.end;
      }));
    ByteRange of = any();
    std::set<uint64_t> want;
    for (uint64_t at : bytesIn({of}))
      if (!bytesIn(ranges).count(at))
        want.insert(at);
    EXPECT_EQ(bytesIn(without(of, all)), want);
  }
}

} // namespace
