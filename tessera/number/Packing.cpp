// Loads and stores codes of every size.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/number/Packing.h"

#include <bit>
#include <cstring>

namespace tessera::number {

static_assert(std::endian::native == std::endian::little,
              "buffers are little-endian, as the GPU's are");

namespace {

/// f(unsigned integer of so many bits), if there is one: a memcpy of known size is one instruction.
template <class F> bool withInteger(int bits, F &&f) {
  switch (bits) {
  case 8: f(uint8_t(0)); return true;
  case 16: f(uint16_t(0)); return true;
  case 32: f(uint32_t(0)); return true;
  case 64: f(uint64_t(0)); return true;
  default: return false;
  }
}

/// The bytes that an element shares or fills.
struct Place {
  int64_t byte; // the first of them
  int shift;    // bits of that byte below the element
  int count;    // of bytes, at most 9

  Place(int64_t index, int bits)
      : byte(index / 8 * bits + index % 8 * bits / 8), shift(int(index % 8 * bits % 8)),
        count((shift + bits + 7) / 8) {}
};

} // namespace

uint64_t loadBits(const std::byte *buffer, int64_t index, int bits) {
  uint64_t code = 0;
  if (withInteger(bits, [&](auto whole) {
        std::memcpy(&whole, buffer + index * int64_t(sizeof(whole)), sizeof(whole));
        code = whole;
      }))
    return code;
  Place place(index, bits);
  for (int i = 0; i < place.count; ++i) {
    uint64_t byte = uint64_t(buffer[place.byte + i]);
    int at = 8 * i - place.shift; // of the byte's lowest bit in the code
    code |= at < 0 ? byte >> -at : byte << at;
  }
  return code & ((uint64_t(1) << bits) - 1);
}

void storeBits(std::byte *buffer, int64_t index, int bits, uint64_t code) {
  if (withInteger(bits, [&](auto whole) {
        whole = decltype(whole)(code);
        std::memcpy(buffer + index * int64_t(sizeof(whole)), &whole, sizeof(whole));
      }))
    return;
  uint64_t mask = (uint64_t(1) << bits) - 1;
  Place place(index, bits);
  for (int i = 0; i < place.count; ++i) {
    int at = 8 * i - place.shift;
    auto part = [&](uint64_t x) { return std::byte(at < 0 ? x << -at : x >> at); };
    std::byte &byte = buffer[place.byte + i];
    byte = (byte & ~part(mask)) | part(code & mask);
  }
}

std::optional<int64_t> bytesOf(int64_t count, int bits) {
  int64_t all;
  if (__builtin_mul_overflow(count, int64_t(bits), &all) ||
      __builtin_add_overflow(all, int64_t(7), &all))
    return std::nullopt;
  return all / 8;
}

} // namespace tessera::number
