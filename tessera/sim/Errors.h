// Reasons of the simulator: the rows of Errors.def, and Status.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/base/Sentence.h"
#include "tessera/base/Status.h"

namespace tessera::sim {

#define TESSERA_ERRORS "tessera/sim/Errors.def"
#include "tessera/base/Errors.inc"

using tessera::Done;
using tessera::Status;

/// 0x followed by lower-case digits without leading zeros.
std::string hex(uint64_t);

} // namespace tessera::sim
