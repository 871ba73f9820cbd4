// Codes in memory against a stream of bits.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/number/Packing.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace tessera::number {

namespace {

bool bitOf(const std::vector<std::byte> &bytes, size_t at) {
  return (uint8_t(bytes[at / 8]) >> (at % 8)) & 1;
}

TEST(Packing, OfEverySizeIsAStreamOfBits) {
  std::mt19937_64 random(1);
  for (int bits = 1; bits <= 64; ++bits) {
    int64_t count = 37;
    // No byte more than they take: the address sanitizer sees what is read beyond.
    std::vector<std::byte> bytes(size_t(*bytesOf(count, bits)));
    std::vector<bool> stream(bytes.size() * 8);
    for (size_t i = 0; i < stream.size(); ++i) {
      stream[i] = random() & 1;
      bytes[i / 8] |= std::byte(stream[i] << (i % 8));
    }
    for (int round = 0; round < 200; ++round) {
      auto index = int64_t(random() % uint64_t(count));
      uint64_t code = random(); // its upper bits are not stored
      storeBits(bytes.data(), index, bits, code);
      for (int bit = 0; bit < bits; ++bit)
        stream[size_t(index * bits + bit)] = code >> bit & 1;
    }
    for (size_t i = 0; i < stream.size(); ++i)
      ASSERT_EQ(bitOf(bytes, i), stream[i]) << bits << " bits, bit " << i;
    for (int64_t index = 0; index < count; ++index) {
      uint64_t code = 0;
      for (int bit = 0; bit < bits; ++bit)
        code |= uint64_t(stream[size_t(index * bits + bit)]) << bit;
      ASSERT_EQ(loadBits(bytes.data(), index, bits), code) << bits << " bits, element " << index;
    }
  }
}

TEST(Packing, OfBuffersIsByTheirBits) {
  std::byte bytes[4] = {};
  storeCode(Format::e2m1, bytes, 0, 0x3);
  storeCode(Format::e2m1, bytes, 1, 0xc); // the high half of the first byte
  storeCode(Format::b1, bytes, 1, 1);     // a byte each
  storeCode(Format::u16, bytes, 1, 0xabcd);
  EXPECT_EQ(uint8_t(bytes[0]), 0xc3);
  EXPECT_EQ(uint8_t(bytes[1]), 1);
  EXPECT_EQ(uint8_t(bytes[2]), 0xcd);
  EXPECT_EQ(loadCode(Format::u16, bytes, 1), 0xabcdu);
  EXPECT_EQ(loadCode(Format::s4, bytes, 1), 0xcu);
}

TEST(Packing, TakesBytesRoundedUp) {
  EXPECT_EQ(bytesOf(5, 4), 3);
  EXPECT_EQ(bytesOf(0, 64), 0);
  EXPECT_EQ(bytesOf(4, 6), 3);
  EXPECT_FALSE(bytesOf(int64_t(1) << 60, 64));
}

} // namespace

} // namespace tessera::number
