// Reserves, maps and publishes memory of virtual memory management.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cuda_driver/VirtualMemory.h"

#include <algorithm>
#include <sys/mman.h>
#include <unistd.h>

namespace tessera::cuda_driver {

namespace {
void *pointer(DevicePointer address) { return reinterpret_cast<void *>(address); }
} // namespace

std::shared_ptr<PhysicalMemory>
PhysicalMemory::make(size_t bytes, const MemoryProperties &properties, sim::Budget &budget) {
  if (!budget.take(bytes))
    return nullptr;
  int file = ::memfd_create("cuMemCreate", MFD_CLOEXEC);
  if (file < 0 || ::ftruncate(file, off_t(bytes))) {
    if (file >= 0)
      ::close(file);
    budget.give(bytes);
    return nullptr;
  }
  return std::shared_ptr<PhysicalMemory>(new PhysicalMemory(bytes, properties, budget, file));
}
PhysicalMemory::~PhysicalMemory() {
  ::close(file);
  budget.give(bytes);
}

DevicePointer VirtualMemory::reserve(size_t bytes, size_t alignment, DevicePointer wished) {
  alignment = std::max(alignment, granularity);
  auto take = [](void *place, size_t size) {
    void *got = ::mmap(place, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return got == MAP_FAILED ? DevicePointer(0) : reinterpret_cast<DevicePointer>(got);
  };
  DevicePointer start = wished && wished % alignment == 0 ? take(pointer(wished), bytes) : 0;
  if (start && start % alignment) {
    ::munmap(pointer(start), bytes);
    start = 0;
  }
  if (!start) {
    // Takes more than is needed, and gives both ends back.
    DevicePointer wide = take(nullptr, bytes + alignment);
    if (!wide)
      return 0;
    start = (wide + alignment - 1) / alignment * alignment;
    if (start > wide)
      ::munmap(pointer(wide), start - wide);
    if (DevicePointer end = wide + bytes + alignment; end > start + bytes)
      ::munmap(pointer(start + bytes), end - start - bytes);
  }
  reserved[start] = bytes;
  return start;
}

bool VirtualMemory::unreserve(DevicePointer start, size_t bytes) {
  auto found = reserved.find(start);
  if (found == reserved.end() || found->second != bytes)
    return false;
  auto piece = pieces.lower_bound(start);
  if (piece != pieces.end() && piece->first < start + bytes)
    return false;
  ::munmap(pointer(start), bytes);
  reserved.erase(found);
  return true;
}

bool VirtualMemory::map(DevicePointer start, size_t bytes, size_t offset,
                        std::shared_ptr<PhysicalMemory> made) {
  auto within = reserved.upper_bound(start);
  if (within == reserved.begin())
    return false;
  --within;
  bool fits = bytes && bytes <= made->bytes && offset <= made->bytes - bytes &&
              start - within->first < within->second &&
              bytes <= within->second - (start - within->first) && start % granularity == 0 &&
              bytes % granularity == 0 && offset % granularity == 0;
  if (!fits)
    return false;
  auto after = pieces.lower_bound(start);
  if ((after != pieces.end() && after->first < start + bytes) || find(start) != pieces.end())
    return false;
  void *got = ::mmap(pointer(start), bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
                     made->file, off_t(offset));
  if (got == MAP_FAILED)
    return false;
  pieces[start] = {bytes, offset, std::move(made), 0};
  return true;
}

bool VirtualMemory::unmap(DevicePointer start, size_t bytes) {
  if (!isFilled(start, bytes))
    return false;
  pieces.erase(pieces.lower_bound(start), pieces.lower_bound(start + bytes));
  publish(); // before the bytes go
  // Where the system refuses, it keeps the pages, which no kernel finds any more.
  [[maybe_unused]] void *reserved =
      ::mmap(pointer(start), bytes, PROT_NONE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  return true;
}

bool VirtualMemory::allow(DevicePointer start, size_t bytes, int flags) {
  if (!isFilled(start, bytes))
    return false;
  for (auto piece = pieces.lower_bound(start);
       piece != pieces.end() && piece->first < start + bytes; ++piece)
    piece->second.flags = flags;
  publish();
  return true;
}

int VirtualMemory::access(DevicePointer address) const {
  auto piece = find(address);
  return piece == pieces.end() ? 0 : piece->second.flags;
}
std::shared_ptr<PhysicalMemory> VirtualMemory::at(DevicePointer address) const {
  auto piece = find(address);
  return piece == pieces.end() ? nullptr : piece->second.memory;
}

std::map<DevicePointer, VirtualMemory::Piece>::const_iterator
VirtualMemory::find(DevicePointer address) const {
  auto after = pieces.upper_bound(address);
  if (after == pieces.begin())
    return pieces.end();
  --after;
  return address - after->first < after->second.bytes ? after : pieces.end();
}

bool VirtualMemory::isFilled(DevicePointer start, size_t bytes) const {
  DevicePointer at = start;
  for (auto piece = pieces.find(start); piece != pieces.end() && piece->first == at; ++piece) {
    at += piece->second.bytes;
    if (at - start >= bytes)
      return bytes && at - start == bytes;
  }
  return false;
}

void VirtualMemory::publish() {
  std::map<DevicePointer, size_t> now;
  for (const auto &[start, piece] : pieces) {
    if (!piece.flags)
      continue;
    if (!now.empty() && now.rbegin()->first + now.rbegin()->second == start)
      now.rbegin()->second += piece.bytes;
    else
      now[start] = piece.bytes;
  }
  auto isSame = [](const std::map<DevicePointer, size_t> &in, DevicePointer start, size_t bytes) {
    auto found = in.find(start);
    return found != in.end() && found->second == bytes;
  };
  for (auto [start, bytes] : published)
    if (!isSame(now, start, bytes))
      (void)bool(memory.free(start));
  for (auto [start, bytes] : now)
    if (!isSame(published, start, bytes))
      (void)bool(memory.borrow({static_cast<std::byte *>(pointer(start)), bytes}));
  published = std::move(now);
}

} // namespace tessera::cuda_driver
