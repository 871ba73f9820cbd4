// GemmTuner: times of configurations of the GEMM, for `tessera tune gemm` and `tessera calibrate`.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/cli/Cli.h"
#include "tessera/kernels/sm90/GemmTable.h"

#include "llvm/ADT/ArrayRef.h"

namespace tessera::cli {

struct GemmTiming {
  std::string device = "gpu"; // or sim
  int calls = 30;             // whose median counts
  double timeout = 20;        // seconds, for compiling a configuration and for a call; 0: no limit
  CacheOptions cache;
};

/// Configurations of a shape whose numbers are right.
struct GemmTimes {
  struct One {
    kernels::GemmRow row; // its comment begins with the time: "0.0133 ms"
    double milliseconds;
  };
  std::vector<One> all;
  bool anyWrong = false; // there were others
};
/// Each of them has a line on stderr. Their elements of D are compared with products in f64.
Result<GemmTimes> timesOf(const GemmTiming &, const kernels::GemmConfig &,
                          const kernels::GemmShape &, llvm::ArrayRef<kernels::GemmSchedule>,
                          run::Device &);

/// --timeout, --bench, --device, and where compiled configurations are kept.
void addGemmTiming(CLI::App &, GemmTiming &);

} // namespace tessera::cli
