// GlobalMemory: the allocations of a machine, each with its own range of addresses.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/sim/Errors.h"

#include <cstddef>
#include <map>
#include <memory>
#include <span>

namespace tessera::sim {

class Observer;

struct Allocation {
  uint64_t start = 0, size = 0;
  std::byte *host = nullptr;

  /// Whether [address, address + bytes) lies within; bytes is at most 2^63.
  bool contains(uint64_t address, uint64_t bytes) const {
    return address - start <= size && bytes <= size - (address - start);
  }
};

/// Addresses are given out once only and with gaps, so that an access past an end, or after a free,
/// meets nothing. The host's memory is taken as it is touched.
class GlobalMemory {
public:
  /// `observer` hears of what the host does; it may be null.
  explicit GlobalMemory(uint64_t limit, Observer *observer = nullptr)
      : limit(limit), observer(observer) {}
  GlobalMemory(const GlobalMemory &) = delete;
  ~GlobalMemory();

  /// Zeroed memory, aligned to 256 bytes.
  Result<uint64_t> allocate(uint64_t bytes);
  Status free(uint64_t start);
  /// The allocation at or before an address, or null.
  const Allocation *find(uint64_t address) const;
  Status write(uint64_t to, std::span<const std::byte> from);
  Status read(std::span<std::byte> to, uint64_t from) const;
  /// The host has written these bytes by its own means.
  void wrote(uint64_t address, uint64_t count);
  /// The bytes at an address, or a reason when they are not within one allocation.
  Result<std::span<std::byte>> bytes(uint64_t address, uint64_t count) const;

private:
  std::map<uint64_t, Allocation> allocations;
  uint64_t next = 0x700000000, used = 0, limit;
  Observer *observer;
};

} // namespace tessera::sim
