// Staging: tensors of a call where the kernel sees them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/program/Device.h"
#include "tessera/run/Bytes.h"
#include "tessera/run/View.h"

namespace tessera::program {

/// On a GPU tensors stay where they are, and for the interpreter and host code all that they may
/// write. The simulator gets copies, and so does whoever is not to write what he gets: tensors that
/// overlap on the host do so there too.
class Staging {
public:
  explicit Staging(Device &device) : device(device) {}

  /// Takes all tensors of a call, whose argument i is for parameters[i]. Fails where one is in
  /// memory that its reader does not see: the device, or the host function for what is not in gmem.
  Status take(std::span<const run::CallArgument>,
              std::span<const run::Parameter *const> parameters);
  /// Where its reader sees element 0 of a tensor that was taken.
  run::Address addressOf(const run::DlTensor &, const run::Parameter &) const;
  /// The ranges that the kernel sees, none overlapping another.
  std::vector<run::ByteRange> ranges() const;
  /// Copies back what was changed; nothing where that is in a tensor that may only be read.
  Status bringBack();

private:
  /// Bytes of the host, and their copy where there is one.
  struct Block {
    run::ByteRange range;
    std::optional<run::DeviceBuffer> onDevice{};
    run::Bytes onHost{}; // or what was on the device, once it is brought back

    run::Address address() const;
  };
  struct ReadOnly {
    size_t argument;
    const run::DlTensor *tensor;
    run::ByteRange range;
  };
  /// Tensors with one reader.
  struct Seen {
    std::vector<run::ByteRange> all, writable;
    std::vector<ReadOnly> readOnly;
    std::vector<Block> blocks;

    Status checkReadOnly(const Block &) const;
  };

  Status copyIn(Seen &, bool toSimulator);

  Device &device;
  Seen kernel, hostCode;
};

} // namespace tessera::program
