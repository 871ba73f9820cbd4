// Gives out ranges of global addresses.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/sim/Memory.h"

#include "tessera/base/Guarded.h"
#include "tessera/sim/Observer.h"
#include "tessera/sim/Program.h"

#include <cstdlib>
#include <cstring>
#include <sys/mman.h>

namespace tessera::sim {

namespace {
/// Above, systems place stacks, libraries and what mmap gives without an address.
constexpr uint64_t end = uint64_t(1) << 44;
constexpr uint64_t pageBytes = 65536; // at least the system's

uint64_t alignUp(uint64_t value, uint64_t align) { return (value + align - 1) / align * align; }

/// Zeroed pages at an address that the process does not use, or null; for 0, at an address that the
/// system chooses.
std::byte *mapAt(uint64_t address, uint64_t bytes) {
  void *wanted = reinterpret_cast<void *>(address);
  void *got = ::mmap(wanted, bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (got != MAP_FAILED && (got == wanted || !wanted))
    return static_cast<std::byte *>(got);
  if (got != MAP_FAILED)
    ::munmap(got, bytes);
  return nullptr;
}

/// Pages for device and host: from `start` on, so that addresses are the same in every run, else
/// where the system chooses. Something in the process may take all of the range (AddressSanitizer's
/// shadow does), so the steps double.
std::byte *mapForBoth(uint64_t start, uint64_t bytes) {
  for (uint64_t step = pageBytes; bytes < end && start < end - bytes; step *= 2) {
    if (std::byte *pages = mapAt(start, bytes))
      return pages;
    start += step;
  }
  std::byte *pages = mapAt(0, bytes);
  uint64_t address = reinterpret_cast<uint64_t>(pages);
  if (!pages || (address >= end && address + bytes <= window::shared))
    return pages;
  ::munmap(pages, bytes);
  return nullptr;
}
} // namespace

GlobalMemory::~GlobalMemory() {
  for (auto &[start, allocation] : allocations)
    release(allocation);
}

void GlobalMemory::release(const Allocation &a) {
  if (a.residence == Residence::Device)
    std::free(a.host);
  else if (a.residence == Residence::Both)
    ::munmap(a.host, a.size + 1);
}

void GlobalMemory::add(const Allocation &a) {
  try {
    allocations[a.start] = a;
    if (observer)
      observer->onHost({HostMemory::Allocated, a.start, a.size});
    if (a.residence != Residence::Device)
      wrote(a.start, a.size); // nobody tells of the host's own stores
  } catch (...) {             // no memory to note it in: nobody will free what was not given
    allocations.erase(a.start);
    if (a.residence != Residence::Borrowed)
      held.give(a.size);
    release(a);
    throw;
  }
}

Result<uint64_t> GlobalMemory::allocate(uint64_t bytes, Residence residence) {
  return guarded([&]() -> Result<uint64_t> {
    constexpr uint64_t gap = 256;
    uint64_t align = residence == Residence::Device ? gap : pageBytes;
    uint64_t start = alignUp(next, align);
    bool fits = bytes < end && start < end - bytes - 2 * align;
    if (!fits || !held.take(bytes))
      return fail(Error::NoMemory, bytes, held.used(), held.limit);
    std::byte *host = nullptr;
    // calloc takes large blocks from the system, which gives zeroed pages when they are touched.
    if (residence == Residence::Device)
      host = static_cast<std::byte *>(std::calloc(1, bytes + 1));
    if (residence == Residence::Both && (host = mapForBoth(start, bytes + 1)))
      start = reinterpret_cast<uint64_t>(host);
    if (!host) { // not the limit of the machine, of which there is enough
      held.give(bytes);
      return Reason{outOfMemoryId,
                    cat("memory ran out: this machine has no ", bytes, " bytes more for a kernel")};
    }
    if (start < end)
      next = alignUp(start + bytes + gap, align);
    add({start, bytes, host, residence});
    return start;
  });
}

Status GlobalMemory::borrow(std::span<std::byte> ofHost) {
  return guarded([&]() -> Status {
    uint64_t start = reinterpret_cast<uint64_t>(ofHost.data());
    auto after = allocations.lower_bound(start);
    bool meets = after != allocations.end() && after->first < start + ofHost.size();
    if (const Allocation *before = find(start))
      meets |= start < before->start + before->size;
    if (meets || ofHost.empty() || start + ofHost.size() > window::shared)
      return fail(Error::HostRange, ofHost.size(), hex(start));
    add({start, ofHost.size(), ofHost.data(), Residence::Borrowed});
    return Done{};
  });
}

Status GlobalMemory::free(uint64_t start) {
  auto found = allocations.find(start);
  if (found == allocations.end())
    return fail(Error::NotAllocated, hex(start));
  if (found->second.residence != Residence::Borrowed)
    held.give(found->second.size);
  release(found->second);
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
