// Reasons of the jit room: the rows of Errors.def.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/base/Sentence.h"

namespace tessera::jit {

#define TESSERA_ERRORS "tessera/jit/Errors.def"
#include "tessera/base/Errors.inc"

} // namespace tessera::jit
