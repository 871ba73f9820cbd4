// Reasons of the simulator: the rows of Errors.def, and Status.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/base/Sentence.h"

namespace tessera::sim {

#define TESSERA_ERRORS "tessera/sim/Errors.def"
#include "tessera/base/Errors.inc"

/// What an operation without a value returns: `return Done{};`, or a Reason.
struct Done {};
using Status = Result<Done>;

/// 0x followed by lower-case digits without leading zeros.
std::string hex(uint64_t);

} // namespace tessera::sim

/// `SIM_CHECK(step());` returns the reason to the caller if there is one.
#define SIM_CHECK(expression)                                                                      \
  do {                                                                                             \
    if (auto status_ = (expression); !status_)                                                     \
      return std::move(status_).reason();                                                          \
  } while (false)
