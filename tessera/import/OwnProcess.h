// OwnProcess: work on untrusted input, in a process that can do nothing else.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/base/Result.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <algorithm>
#include <cstdint>
#include <string>

namespace tessera::import {

/// Limits of such a process. Exceeding one is an error of the input.
struct ProcessLimits {
  double seconds = 60; // of processor time, and three times as long by the clock
  uint64_t memoryBytes = uint64_t(4) << 30; // beside the memory of the caller
  uint64_t textBytes = uint64_t(1) << 30;   // of the result
};

/// Seconds for reading so many bytes. MLIR reads megabytes in one; damaged bytecode, whose places
/// name each other, may keep it forever, and is refused sooner where it is small.
constexpr double secondsFor(uint64_t bytes) { return std::min(60.0, 10 + double(bytes) / 100'000); }

/// Runs `work` in a child of this process, which sees a copy of all memory of the caller, and
/// returns its result. The child has limits of time and memory. On Linux it may use only the system
/// calls that computing needs: it opens, writes and starts nothing, even if its memory is
/// overwritten. `work` must not rely on other threads, as the child has none. If it crashes or
/// exceeds a limit the reason says so, with the ids Crashed, TooLong, TooLarge and NoProcess.
Result<std::string> inOwnProcess(llvm::function_ref<Result<std::string>()> work,
                                 const ProcessLimits &limits = {});

} // namespace tessera::import
