// Gives out pieces of the heap.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/sim/Heap.h"

#include <algorithm>
#include <iterator>

namespace tessera::sim {

uint64_t Heap::allocate(uint64_t bytes) {
  std::lock_guard lock(mutex);
  if (bytes > size)
    return 0;
  bytes = std::max<uint64_t>(16, (bytes + 15) / 16 * 16);
  auto fitting = [&](uint64_t least) {
    return std::find_if(unused.begin(), unused.end(),
                        [&](const auto &piece) { return piece.second >= least; });
  };
  constexpr uint64_t gap = 32, large = 1 << 16; // from which size on there is no gap
  auto found = bytes < large ? fitting(bytes + gap) : unused.end();
  if (found != unused.end())
    bytes += gap;
  else
    found = fitting(bytes);
  if (found == unused.end())
    return 0;
  auto [start, room] = *found;
  unused.erase(found);
  if (room > bytes)
    unused[start + bytes] = room - bytes;
  used[start] = bytes;
  return start;
}

bool Heap::free(uint64_t address) {
  std::lock_guard lock(mutex);
  auto found = used.find(address);
  if (found == used.end())
    return address == 0;
  auto piece = unused.emplace(*found).first;
  used.erase(found);
  auto merge = [&](auto first, auto second) {
    if (first->first + first->second != second->first)
      return second;
    first->second += second->second;
    unused.erase(second);
    return first;
  };
  if (piece != unused.begin())
    piece = merge(std::prev(piece), piece);
  if (auto next = std::next(piece); next != unused.end())
    merge(piece, next);
  return true;
}

} // namespace tessera::sim
