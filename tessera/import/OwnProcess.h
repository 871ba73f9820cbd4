// OwnProcess: work on input that nobody vouches for, in a process that can do nothing but that.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/base/Result.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <cstdint>
#include <string>

namespace tessera::import {

/// What such a process may take; more of it is an error of the input.
struct ProcessLimits {
  double seconds = 60; // of processor time, and three times as long by the clock
  uint64_t memoryBytes = uint64_t(4) << 30; // beside what the caller has
  uint64_t textBytes = uint64_t(1) << 30;   // of what it gives
};

/// What `work` gives, run in a child of this process, which sees a copy of all that the caller has.
/// The child has limits of time and memory and, on Linux, no system calls but those that computing
/// needs: it opens, writes and starts nothing, even where its memory is overwritten. `work` must
/// not rely on other threads, as there are none in the child. Where it crashes or runs out of
/// something the reason says so, with the ids Crashed, TooLong, TooLarge and NoProcess.
Result<std::string> inOwnProcess(llvm::function_ref<Result<std::string>()> work,
                                 const ProcessLimits &limits = {});

} // namespace tessera::import
