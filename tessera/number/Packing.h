// Packing: codes next to each other in memory, even if they are smaller than a byte.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bytes are little-endian, as the GPU's are: bit 0 of a buffer is the lowest of its first byte, and
// the first of two elements in a byte has the low half (PTX ISA 9.0, 5.2.3: e2m1x2).
#pragma once

#include "tessera/number/Format.h"

#include <cstddef>

namespace tessera::number {

/// Element `index` of elements of `bits` bits, 1 to 64, that lie densely. Reads no byte beyond the
/// element's last.
uint64_t loadBits(const std::byte *buffer, int64_t index, int bits);
/// Stores the low bits of the code; neighbours in the same byte keep theirs.
void storeBits(std::byte *buffer, int64_t index, int bits, uint64_t code);

/// The code of element `index` of a buffer, whose elements have bufferBits.
inline uint64_t loadCode(Format format, const std::byte *buffer, int64_t index) {
  return loadBits(buffer, index, bufferBits(format));
}
inline void storeCode(Format format, std::byte *buffer, int64_t index, uint64_t code) {
  storeBits(buffer, index, bufferBits(format), code);
}

/// Bytes of `count` elements of `bits` bits, rounded up; nothing beyond int64.
std::optional<int64_t> bytesOf(int64_t count, int bits);

} // namespace tessera::number
