// GemmRates: properties of a GPU for the model of the GEMM, built in or from a file.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file, as `tessera calibrate` writes it, has a line for each number: "memory = 3984". Lines that
// begin with # are comments.
#pragma once

#include "tessera/base/Result.h"

#include <array>
#include <string>

namespace tessera::kernels {

/// A row of Gpus.def. GemmRates.def explains each number.
struct GpuRates {
  /// The name that the driver gives.
  std::string name;
  /// Multiprocessors, and the number of clusters of 1 to 8 blocks that run at once if each block
  /// needs a whole one.
  int sms = 0;
  std::array<int, 8> clusters = {};
#define RATE(Name, Who) double Name = 0;
#include "tessera/kernels/choice/GemmRates.def"
#undef RATE

  /// Reads a file. A reason names the line, or the missing number.
  static Result<GpuRates> parse(std::string_view);
  std::string str() const;
  /// The same for a GPU with another name and number of multiprocessors, of which clusters reach an
  /// equally large part.
  GpuRates of(std::string_view name, int multiprocessors) const;
  bool operator==(const GpuRates &) const = default;
};

/// The row of a GPU; without a name, that of the GPU with the most measurements.
const GpuRates &ratesOf(std::string_view name = "");
/// "NVIDIA H200 or ...": GPUs with a row.
std::string knownGpus();

} // namespace tessera::kernels
