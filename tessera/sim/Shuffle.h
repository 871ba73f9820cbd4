// Shuffle: the source lane of each lane. PTX ISA 9.7.9.6.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

namespace tessera::sim {

/// The modes.choice of shfl. Its operands are d, p, a, b, c and the members.
enum class Shuffle : uint8_t {
  Up,
  Down,
  Bfly,
  Idx
};

/// The lane that a lane gets its value from, or -1 if that is out of range.
constexpr int shuffleSource(Shuffle mode, int lane, uint32_t b, uint32_t c) {
  int segment = int(c >> 8 & 31), clamp = int(c & 31), n = int(b & 31);
  int last = (lane & segment) | (clamp & ~segment), first = lane & segment;
  switch (mode) {
  case Shuffle::Up: return lane - n >= last ? lane - n : -1;
  case Shuffle::Down: return lane + n <= last ? lane + n : -1;
  case Shuffle::Bfly: return (lane ^ n) <= last ? lane ^ n : -1;
  case Shuffle::Idx: break;
  }
  int from = first | (n & ~segment);
  return from <= last ? from : -1;
}

} // namespace tessera::sim
