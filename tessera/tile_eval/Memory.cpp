// Ranges of memory by their first address.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/tile_eval/Memory.h"

#include <algorithm>
#include <new>

namespace tessera::tile_eval {

void Memory::add(void *data, size_t bytes) {
  uint64_t begin = reinterpret_cast<uint64_t>(data), end = begin + bytes;
  auto at = ranges.upper_bound(begin);
  if (at != ranges.begin() && std::prev(at)->second > begin) {
    --at;
    begin = at->first;
    end = std::max(end, at->second);
  }
  while (at != ranges.end() && at->first < end) {
    end = std::max(end, at->second);
    at = ranges.erase(at);
  }
  ranges[begin] = end;
  last = {};
}

std::optional<uint64_t> Memory::allocate(size_t bytes) {
  constexpr size_t alignment = 256;
  std::unique_ptr<std::byte[]> block(new (std::nothrow) std::byte[bytes + alignment]());
  if (!block)
    return {};
  uint64_t address =
      (reinterpret_cast<uint64_t>(block.get()) + alignment - 1) / alignment * alignment;
  owned[address] = std::move(block);
  add(reinterpret_cast<void *>(address), std::max<size_t>(bytes, 1));
  return address;
}

void Memory::remove(uint64_t address) {
  if (auto range = ranges.find(address); range != ranges.end()) {
    // Forgets who touched these bytes: the next array here is another one.
    for (uint64_t first = address; first < range->second;) {
      uint64_t next = std::min((first / pageBytes + 1) * pageBytes, range->second);
      if (auto at = pages.find(first / pageBytes); at != pages.end())
        std::fill_n(at->second->begin() + ptrdiff_t(first % pageBytes), next - first, Touch{});
      first = next;
    }
    ranges.erase(range);
  }
  owned.erase(address);
  last = {};
}

bool Memory::find(uint64_t address, size_t bytes) const {
  auto at = ranges.upper_bound(address);
  if (at == ranges.begin())
    return false;
  --at;
  last = {at->first, at->second};
  return address <= at->second && bytes <= at->second - address;
}

} // namespace tessera::tile_eval
