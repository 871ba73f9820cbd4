// GlobalMemory: the allocations of a machine, each with its own range of addresses.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/sim/Errors.h"

#include <atomic>
#include <cstddef>
#include <map>
#include <memory>
#include <span>

namespace tessera::sim {

class Observer;

/// Whose the bytes of an allocation are, and who finds them under its address.
enum class Residence : uint8_t {
  Device,  // only kernels do
  Both,    // kernels and the host do: managed and pinned memory
  Borrowed // both; the host gave them, and takes them back
};

struct Allocation {
  uint64_t start = 0, size = 0;
  std::byte *host = nullptr;
  Residence residence = Residence::Device;

  /// Whether [address, address + bytes) lies within; bytes is at most 2^63.
  bool contains(uint64_t address, uint64_t bytes) const {
    return address - start <= size && bytes <= size - (address - start);
  }
};

/// How many bytes of the host a machine may hold. Blocks of a launch take from it at the same time.
class Budget {
public:
  explicit Budget(uint64_t limit) : limit(limit) {}
  Budget(const Budget &) = delete;

  /// Whether there are so many left; then they are taken.
  bool take(uint64_t bytes) {
    uint64_t before = taken.load(std::memory_order_relaxed);
    do
      if (bytes > limit - before)
        return false;
    while (!taken.compare_exchange_weak(before, before + bytes, std::memory_order_relaxed));
    return true;
  }
  void give(uint64_t bytes) { taken.fetch_sub(bytes, std::memory_order_relaxed); }
  uint64_t used() const { return taken.load(std::memory_order_relaxed); }

  const uint64_t limit;

private:
  std::atomic<uint64_t> taken = 0;
};

/// What someone has taken of a budget; goes back with him.
class Share {
public:
  explicit Share(Budget &budget) : budget(budget) {}
  Share(const Share &) = delete;
  ~Share() { budget.give(bytes); }
  bool grow(uint64_t more) {
    if (!budget.take(more))
      return false;
    bytes += more;
    return true;
  }
  void shrink(uint64_t less) {
    budget.give(less);
    bytes -= less;
  }
  Budget &budget;

private:
  uint64_t bytes = 0;
};

/// Addresses are given out once only and with gaps, so that an access past an end, or after a free,
/// meets nothing. The host's memory is taken as it is touched.
class GlobalMemory {
public:
  /// `observer` hears of what the host does; it may be null.
  explicit GlobalMemory(uint64_t limit, Observer *observer = nullptr)
      : held(limit), observer(observer) {}
  GlobalMemory(const GlobalMemory &) = delete;
  ~GlobalMemory();

  /// What allocations, and the local memory of blocks that run, take from.
  Budget &budget() { return held; }
  /// Zeroed memory, aligned to 256 bytes. With Residence::Both the host may use the address as a
  /// pointer, and what it writes counts as written from the start.
  Result<uint64_t> allocate(uint64_t bytes, Residence = Residence::Device);
  /// Makes memory of the host global memory under its own address, until free(); it must lie apart
  /// from every allocation.
  Status borrow(std::span<std::byte> ofHost);
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
  void add(const Allocation &);
  static void release(const Allocation &);

  std::map<uint64_t, Allocation> allocations;
  uint64_t next = 0x700000000;
  Budget held;
  Observer *observer;
};

} // namespace tessera::sim
