// VirtualMemory: addresses that programs reserve, memory that they create, and what is mapped
// where.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory is an unnamed file, mapped where the program says, even twice. Kernels see adjacent pieces
// as one range, since copies and vectors may cross from one piece to the next.
#pragma once

#include "tessera/cuda_driver/Types.h"
#include "tessera/sim/Memory.h"

#include <map>
#include <memory>

namespace tessera::cuda_driver {

/// The result of cuMemCreate: CUmemGenericAllocationHandle is its address.
class PhysicalMemory {
public:
  /// Null if the system or the machine does not have that much left.
  static std::shared_ptr<PhysicalMemory> make(size_t bytes, const MemoryProperties &,
                                              sim::Budget &);
  PhysicalMemory(const PhysicalMemory &) = delete;
  ~PhysicalMemory();

  const size_t bytes;
  const MemoryProperties properties;
  unsigned handles = 1; // number of times that programs hold it

private:
  friend class VirtualMemory;
  PhysicalMemory(size_t bytes, const MemoryProperties &properties, sim::Budget &budget, int file)
      : bytes(bytes), properties(properties), budget(budget), file(file) {}
  sim::Budget &budget;
  int file;
};

class VirtualMemory {
public:
  /// The granularity of sizes and addresses on GPUs.
  static constexpr size_t granularity = 2 << 20;

  explicit VirtualMemory(sim::GlobalMemory &memory) : memory(memory) {}
  VirtualMemory(const VirtualMemory &) = delete;

  /// 0: the system has none.
  DevicePointer reserve(size_t bytes, size_t alignment, DevicePointer wished);
  /// Frees the addresses. False unless these are all of one reservation, with nothing mapped.
  bool unreserve(DevicePointer, size_t bytes);

  /// Maps memory. False unless the range is reserved and nothing is mapped there.
  bool map(DevicePointer, size_t bytes, size_t offset, std::shared_ptr<PhysicalMemory>);
  /// Unmaps memory. False unless the range consists of whole pieces.
  bool unmap(DevicePointer, size_t bytes);
  /// Makes the pieces of a range accessible or not; false if a part of it has no piece.
  bool allow(DevicePointer, size_t bytes, int flags);
  /// The CUmemAccess_flags at an address; none if nothing is mapped there.
  int access(DevicePointer) const;
  std::shared_ptr<PhysicalMemory> at(DevicePointer) const;

private:
  struct Piece {
    size_t bytes, offset;
    std::shared_ptr<PhysicalMemory> memory;
    int flags; // CUmemAccess_flags
  };
  std::map<DevicePointer, Piece>::const_iterator find(DevicePointer) const;
  /// Whether pieces cover the whole range.
  bool isFilled(DevicePointer, size_t bytes) const;
  /// Makes the accessible ranges known to kernels.
  void publish();

  sim::GlobalMemory &memory;
  std::map<DevicePointer, size_t> reserved;
  std::map<DevicePointer, Piece> pieces;
  std::map<DevicePointer, size_t> published;
};

} // namespace tessera::cuda_driver
