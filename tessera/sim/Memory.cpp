// Gives out ranges of global addresses.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/sim/Memory.h"

#include "tessera/base/Guarded.h"
#include "tessera/sim/Observer.h"
#include "tessera/sim/Program.h"

#include <cstdlib>
#include <cstring>

namespace tessera::sim {

GlobalMemory::~GlobalMemory() {
  for (auto &[start, allocation] : allocations)
    std::free(allocation.host);
}

Result<uint64_t> GlobalMemory::allocate(uint64_t bytes) {
  return guarded([&]() -> Result<uint64_t> {
    constexpr uint64_t gap = 256;
    // Above begins the window of shared memory.
    bool fits = bytes < window::shared && next < window::shared - bytes - 2 * gap;
    if (!fits || !held.take(bytes))
      return fail(Error::NoMemory, bytes, held.used(), held.limit);
    // calloc takes large blocks from the system, which gives zeroed pages when they are touched.
    auto *host = static_cast<std::byte *>(std::calloc(1, bytes + 1));
    if (!host) {
      held.give(bytes);
      return fail(Error::NoMemory, bytes, held.used(), held.limit);
    }
    uint64_t start = next;
    allocations[start] = {start, bytes, host};
    next = (start + bytes + gap + gap - 1) / gap * gap;
    if (observer)
      observer->onHost({HostMemory::Allocated, start, bytes});
    return start;
  });
}

Status GlobalMemory::free(uint64_t start) {
  auto found = allocations.find(start);
  if (found == allocations.end())
    return fail(Error::NotAllocated, hex(start));
  held.give(found->second.size);
  std::free(found->second.host);
  allocations.erase(found);
  if (observer)
    observer->onHost({HostMemory::Freed, start, 0});
  return Done{};
}

const Allocation *GlobalMemory::find(uint64_t address) const {
  auto after = allocations.upper_bound(address);
  return after == allocations.begin() ? nullptr : &std::prev(after)->second;
}

Result<std::span<std::byte>> GlobalMemory::bytes(uint64_t address, uint64_t count) const {
  const Allocation *allocation = find(address);
  if (!allocation || !allocation->contains(address, count))
    return fail(Error::HostAccess, count, hex(address));
  return std::span(allocation->host + (address - allocation->start), count);
}

Status GlobalMemory::write(uint64_t to, std::span<const std::byte> from) {
  TESSERA_TRY(std::span<std::byte> place, bytes(to, from.size()));
  std::copy(from.begin(), from.end(), place.begin());
  wrote(to, from.size());
  return Done{};
}

void GlobalMemory::wrote(uint64_t address, uint64_t count) {
  if (observer)
    observer->onHost({HostMemory::Written, address, count});
}

Status GlobalMemory::read(std::span<std::byte> to, uint64_t from) const {
  TESSERA_TRY(std::span<std::byte> place, bytes(from, to.size()));
  std::copy(place.begin(), place.end(), to.begin());
  return Done{};
}

} // namespace tessera::sim
