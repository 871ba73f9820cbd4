// Gpu: the device that the stand-in claims to be, chosen by TESSERA_GPU.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/atom/Occupancy.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tessera::cuda_driver {

struct Gpu {
  std::string_view key, name;
  int major, minor, multiprocessors, clock; // MHz
  uint64_t memory;                          // GiB
  int memoryClock, busBits, l2;             // MHz, bits, MiB

  /// The properties of all GPUs with its compute capability.
  const atom::Multiprocessor &multiprocessor() const {
    return atom::multiprocessorOf(10 * major + minor);
  }
  bool hasClusters() const { return major >= 9; }
  uint64_t bytes() const { return memory << 30; }
};

/// A row of Gpus.def, or null.
const Gpu *findGpu(std::string_view key);
/// "a100, h100, ...".
std::string gpuNames();
/// The value of a CUdevice_attribute; none for an unknown number.
std::optional<int> attribute(const Gpu &, int number);

} // namespace tessera::cuda_driver
