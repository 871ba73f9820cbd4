// VirtualMemory: addresses that programs reserve, memory that they make, and what of it lies where.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory is a file without a name, which is mapped where the program says: twice, if it wants.
// Kernels find what adjoins as one range, as copies and vectors may cross from one piece to the
// next.
#pragma once

#include "tessera/cuda_driver/Types.h"
#include "tessera/sim/Memory.h"

#include <map>
#include <memory>

namespace tessera::cuda_driver {

/// What cuMemCreate makes: CUmemGenericAllocationHandle is its address.
class PhysicalMemory {
public:
  /// Null where the system or the machine has not so much left.
  static std::shared_ptr<PhysicalMemory> make(size_t bytes, const MemoryProperties &,
                                              sim::Budget &);
  PhysicalMemory(const PhysicalMemory &) = delete;
  ~PhysicalMemory();

  const size_t bytes;
  const MemoryProperties properties;
  unsigned handles = 1; // how often programs hold it

private:
  friend class VirtualMemory;
  PhysicalMemory(size_t bytes, const MemoryProperties &properties, sim::Budget &budget, int file)
      : bytes(bytes), properties(properties), budget(budget), file(file) {}
  sim::Budget &budget;
  int file;
};

class VirtualMemory {
public:
  /// Of sizes and addresses, as GPUs have it.
  static constexpr size_t granularity = 2 << 20;

  explicit VirtualMemory(sim::GlobalMemory &memory) : memory(memory) {}
  VirtualMemory(const VirtualMemory &) = delete;

  /// 0: the system has none.
  DevicePointer reserve(size_t bytes, size_t alignment, DevicePointer wished);
  /// Whether these are all addresses of one reservation in which nothing lies; then they are free.
  bool unreserve(DevicePointer, size_t bytes);

  /// Whether the range is reserved and nothing lies there yet.
  bool map(DevicePointer, size_t bytes, size_t offset, std::shared_ptr<PhysicalMemory>);
  /// Whether the range is whole pieces that lie there.
  bool unmap(DevicePointer, size_t bytes);
  /// Makes the pieces of a range accessible or not; false where a part of it has none.
  bool allow(DevicePointer, size_t bytes, int flags);
  /// CUmemAccess_flags at an address; none if nothing lies there.
  int access(DevicePointer) const;
  std::shared_ptr<PhysicalMemory> at(DevicePointer) const;

private:
  struct Piece {
    size_t bytes, offset;
    std::shared_ptr<PhysicalMemory> memory;
    int flags; // CUmemAccess_flags
  };
  std::map<DevicePointer, Piece>::const_iterator find(DevicePointer) const;
  /// Whether pieces fill the range from their first byte to their last.
  bool isFilled(DevicePointer, size_t bytes) const;
  /// Gives kernels the ranges that are accessible now.
  void publish();

  sim::GlobalMemory &memory;
  std::map<DevicePointer, size_t> reserved;
  std::map<DevicePointer, Piece> pieces;
  std::map<DevicePointer, size_t> published;
};

} // namespace tessera::cuda_driver
