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

/// Who owns the bytes of an allocation, and who can use its address.
enum class Residence : uint8_t {
  Device,  // only kernels use it
  Both,    // kernels and the host use it: managed and pinned memory
  Borrowed // both use it; it belongs to the host
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

/// The bytes of the host that a machine may hold. Blocks of a launch take from it concurrently.
class Budget {
public:
  explicit Budget(uint64_t limit) : limit(limit) {}
  Budget(const Budget &) = delete;

  /// Takes bytes if so many are left; returns whether it did.
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

/// Bytes taken from a budget; the destructor returns them.
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

/// An address is used only once, with gaps in between, so that an access past an end, or after a
/// free, hits nothing. Memory of the host is allocated when it is touched.
class GlobalMemory {
public:
  /// `observer` is told what the host does; it may be null.
  explicit GlobalMemory(uint64_t limit, Observer *observer = nullptr)
      : held(limit), observer(observer) {}
  GlobalMemory(const GlobalMemory &) = delete;
  ~GlobalMemory();

  /// The budget for allocations and for the local memory of running blocks.
  Budget &budget() { return held; }
  /// Zeroed memory, aligned to 256 bytes. With Residence::Both the host may use the address as a
  /// pointer, and all bytes count as written from the start.
  Result<uint64_t> allocate(uint64_t bytes, Residence = Residence::Device);
  /// Makes memory of the host global memory under its own address, until free(). It must not
  /// overlap an allocation.
  Status borrow(std::span<std::byte> ofHost);
  Status free(uint64_t start);
  /// Calls a function with each allocation.
  template <class F> void forEach(F &&f) const {
    for (const auto &[start, allocation] : allocations)
      f(allocation);
  }
  /// The allocation at or before an address, or null.
  const Allocation *find(uint64_t address) const;
  Status write(uint64_t to, std::span<const std::byte> from);
  Status read(std::span<std::byte> to, uint64_t from) const;
  /// Records that the host has written these bytes directly.
  void wrote(uint64_t address, uint64_t count);
  /// The bytes at an address, or a reason if they are not within one allocation.
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
