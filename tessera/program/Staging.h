// Staging: tensors of a call where the kernel sees them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/program/Device.h"
#include "tessera/run/View.h"

namespace tessera::program {

/// On a GPU and for the interpreter tensors stay where they are. The simulator gets copies:
/// tensors that overlap on the host do so there too.
class Staging {
public:
  explicit Staging(Device &device) : device(device) {}

  /// Takes all tensors of a call, whose argument i is for parameters[i]. Fails where one is in
  /// memory that its reader does not see: the device, or the host function for what is not in gmem.
  Status take(std::span<const run::CallArgument>,
              std::span<const run::Parameter *const> parameters);
  /// Where its reader sees element 0 of a tensor that was taken.
  run::Address addressOf(const run::DlTensor &, const run::Parameter &) const;
  /// The ranges of the host that were taken, none overlapping another.
  const std::vector<run::ByteRange> &ranges() const { return merged; }
  /// Copies back what the kernels changed.
  Status bringBack();

private:
  Status copyIn();

  Device &device;
  std::vector<run::ByteRange> merged;
  std::vector<run::DeviceBuffer> buffers; // of the simulator, one for each range
};

} // namespace tessera::program
