// HostMemory: arrays of the host, copied to a device for a call and back.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/run/Device.h"
#include "tessera/run/Ranges.h"

namespace tessera::run {

/// Arrays that overlap on the host overlap in the copies: what a kernel writes through one of them,
/// it reads through the other. A copy begins at a multiple of 256 bytes, and that of arrays that
/// overlap as far from one as they do: each is aligned as on the host, up to that.
class HostMemory {
public:
  struct Array {
    ByteRange range;
    bool isConst = false; // kernels must not write it
    size_t argument = 0;  // its number from 1, for sentences
  };
  static Result<HostMemory> copy(Device &, std::vector<Array>);

  /// Where an array that was given lies.
  Address onDevice(const ByteRange &array) const;
  /// Gives the host what kernels wrote. Nothing is given back if they wrote bytes of which all
  /// arrays are constant (ReadOnly).
  Status copyBack();

private:
  /// Bytes of one array, or of several that overlap.
  struct Piece {
    ByteRange range;
    uint64_t before; // bytes of the buffer
    DeviceBuffer buffer = {};

    Address address() const { return buffer.address() + before; }
    std::byte *host() const { return reinterpret_cast<std::byte *>(range.begin); }
  };
  HostMemory(Device &device, std::vector<Array> arrays)
      : device(&device), arrays(std::move(arrays)) {}
  Status copyIn();
  Status checkConst(const std::vector<ByteRange> &parts, const Piece &, const std::byte *now) const;

  Device *device;
  std::vector<Array> arrays;
  std::vector<Piece> pieces;
};

} // namespace tessera::run
