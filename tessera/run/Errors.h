// Reasons of the run room (the rows of Errors.def), Status, and numbers as text.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/base/Sentence.h"
#include "tessera/base/Status.h"
#include "tessera/number/Text.h"

#include <cstdint>
#include <span>

namespace tessera::run {

#define TESSERA_ERRORS "tessera/run/Errors.def"
#include "tessera/base/Errors.inc"

/// The same reason with a prefix, such as the file that it is about.
Reason prefixed(std::string_view words, Reason reason);

using tessera::Done;
using tessera::Status;

using number::decimal;
/// 0x followed by lower-case digits without leading zeros.
std::string hex(uint64_t);
/// "(3, 4)"; "()" for no numbers.
std::string tuple(std::span<const int64_t>);

} // namespace tessera::run
