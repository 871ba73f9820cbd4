// Ranges of bytes: their union, and what remains without others.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/run/Ranges.h"

#include <algorithm>

namespace tessera::run {

std::vector<ByteRange> joined(std::vector<ByteRange> ranges) {
  std::sort(ranges.begin(), ranges.end(),
            [](const ByteRange &a, const ByteRange &b) { return a.begin < b.begin; });
  std::vector<ByteRange> out;
  for (const ByteRange &range : ranges) {
    if (!out.empty() && range.begin < out.back().end)
      out.back().end = std::max(out.back().end, range.end);
    else
      out.push_back(range);
  }
  return out;
}

std::vector<ByteRange> without(ByteRange range, const std::vector<ByteRange> &others) {
  std::vector<ByteRange> out;
  for (const ByteRange &other : others) {
    if (other.end <= range.begin || other.begin >= range.end)
      continue;
    if (other.begin > range.begin)
      out.push_back({range.begin, other.begin});
    range.begin = std::min(other.end, range.end);
  }
  if (range.begin < range.end)
    out.push_back(range);
  return out;
}

uint64_t placeOf(const ByteRange &one, const std::vector<ByteRange> &all) {
  constexpr uint64_t aligned = 256; // Device::allocate
  auto count = std::count_if(all.begin(), all.end(), [&](const ByteRange &range) {
    return range.begin >= one.begin && range.end <= one.end;
  });
  return count > 1 ? one.begin % aligned : 0;
}

} // namespace tessera::run
