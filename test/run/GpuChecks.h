// What a real GPU must do through Device: for the tests, and for the stand-alone tessera-gpu-smoke.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/run/Device.h"

namespace tessera::run {

/// Runs kernels and compares numbers: one line that says what was measured, or what went wrong.
struct GpuCheck {
  const char *name;
  Result<std::string> (*run)(Device &);
};

/// All checks. Those that a device is too old for say so and pass.
std::span<const GpuCheck> gpuChecks();

} // namespace tessera::run
