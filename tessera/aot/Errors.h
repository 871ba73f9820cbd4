// Reasons of the aot room: the rows of Errors.def.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/base/Sentence.h"

namespace tessera::aot {

#define TESSERA_ERRORS "tessera/aot/Errors.def"
#include "tessera/base/Errors.inc"

} // namespace tessera::aot
