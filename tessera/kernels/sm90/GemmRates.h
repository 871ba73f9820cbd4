// GemmRates: what the model of the GEMM knows of a GPU, built in or of a file.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file, as `tessera calibrate` writes it, has a line for each number: "memory = 3984". Lines that
// begin with # are comments.
#pragma once

#include "tessera/base/Result.h"

#include <array>
#include <string>

namespace tessera::kernels {

/// A row of Gpus.def. GemmRates.def says what each number is.
struct GpuRates {
  /// As the driver says it.
  std::string name;
  /// Multiprocessors, and how many clusters of 1 to 8 blocks run at once where each block needs one
  /// for itself.
  int sms = 0;
  std::array<int, 8> clusters = {};
#define RATE(Name, Who) double Name = 0;
#include "tessera/kernels/sm90/GemmRates.def"
#undef RATE

  /// Of a file. A reason names the line, or the number that is missing.
  static Result<GpuRates> parse(std::string_view);
  std::string str() const;
  /// The same for a GPU with another name and number of multiprocessors, of which clusters reach as
  /// large a part.
  GpuRates of(std::string_view name, int multiprocessors) const;
  bool operator==(const GpuRates &) const = default;
};

/// The row of a GPU, or of the one that most was measured on.
const GpuRates &ratesOf(std::string_view name = "");
/// "NVIDIA H200 or ...": those with a row.
std::string knownGpus();

} // namespace tessera::kernels
