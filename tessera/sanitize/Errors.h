// Reasons of the sanitizer: the rows of Errors.def, one for each rule.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/base/Sentence.h"

namespace tessera::sanitize {

#define TESSERA_ERRORS "tessera/sanitize/Errors.def"
#include "tessera/base/Errors.inc"

} // namespace tessera::sanitize
