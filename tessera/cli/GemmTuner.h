// GemmTuner: times of configurations of the GEMM, for `tessera tune gemm` and `tessera calibrate`.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/cli/Cli.h"
#include "tessera/kernels/choice/GemmTable.h"

#include "llvm/ADT/ArrayRef.h"

#include <deque>
#include <future>

namespace tessera::cli {

struct GemmTiming {
  std::string device = "gpu"; // or sim
  int calls = 30;             // the median counts
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
  bool anyWrong = false; // whether other configurations were wrong
};

/// Schedules of products of one kind. Some threads compile them while others are timed.
class GemmCompiler {
public:
  struct Compiled;

  GemmCompiler(const GemmTiming &, const kernels::GemmConfig &like, const run::Device &,
               std::vector<kernels::GemmSchedule>);
  ~GemmCompiler();

  /// The next one, in order.
  Result<std::unique_ptr<Compiled>> next();

private:
  using One = Result<std::unique_ptr<Compiled>>;
  const GemmTiming &timing;
  const kernels::GemmConfig &like;
  const run::Device &device;
  std::vector<kernels::GemmSchedule> schedules;
  size_t begun = 0;
  std::deque<std::future<One>> ahead;

  One compiled(const kernels::GemmSchedule &) const;
  void begin();
};

/// Times of a shape with these schedules, the next ones of the compiler. Each prints a line on
/// stderr. Their elements of D are compared with products in f64.
Result<GemmTimes> timesOf(const GemmTiming &, const kernels::GemmConfig &,
                          const kernels::GemmShape &, llvm::ArrayRef<kernels::GemmSchedule>,
                          GemmCompiler &, run::Device &);

/// --timeout, --bench, --device, and where compiled configurations are kept.
void addGemmTiming(CLI::App &, GemmTiming &);

} // namespace tessera::cli
