// Staging: the tensors of a call in the memory that the kernel accesses.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/program/Device.h"
#include "tessera/run/Bytes.h"
#include "tessera/run/View.h"

namespace tessera::program {

/// On a GPU tensors stay where they are; the same for tensors that the interpreter and host code
/// may write. The simulator gets copies, and so does code that must not write a tensor: tensors
/// that overlap on the host also overlap in the copies.
class Staging {
public:
  explicit Staging(Device &device) : device(device) {}

  /// Takes all tensors of a call; argument i is for parameters[i]. Fails if one is in memory that
  /// its reader cannot access: the device, or the host function for tensors outside of gmem.
  Status take(std::span<const run::CallArgument>, std::span<const run::Parameter> parameters);
  /// The address of element 0 of a tensor in the memory of its reader.
  run::Address addressOf(const run::DlTensor &, const run::Parameter &) const;
  /// The ranges in the kernel's memory, without overlaps.
  std::vector<run::ByteRange> ranges() const;
  /// Copies changes back; tensors that may only be read are not changed.
  Status bringBack();

private:
  /// Bytes of the host, and their copy if there is one. That of tensors that overlap keeps its
  /// place in 256 bytes, so that each is aligned as on the host.
  struct Block {
    run::ByteRange range;
    uint64_t place = 0;
    std::optional<run::DeviceBuffer> onDevice{};
    run::Bytes onHost{}; // or those of the device, after they were copied back

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
