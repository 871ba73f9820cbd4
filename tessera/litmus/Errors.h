// Reasons why a text is not a litmus test: the rows of Errors.def.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/base/Sentence.h"
#include "tessera/base/Status.h"

namespace tessera::litmus {

#define TESSERA_ERRORS "tessera/litmus/Errors.def"
#include "tessera/base/Errors.inc"

} // namespace tessera::litmus
