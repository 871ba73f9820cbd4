// Reasons of the room that reads PTX: the rows of Errors.def.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/base/Sentence.h"
#include "tessera/base/Status.h"

namespace tessera::ptx_text {

#define TESSERA_ERRORS "tessera/ptx_text/Errors.def"
#include "tessera/base/Errors.inc"

} // namespace tessera::ptx_text
