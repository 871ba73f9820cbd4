// Reasons of the kernels room: the rows of Errors.def.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/base/Sentence.h"

namespace tessera::kernels {

#define TESSERA_ERRORS "tessera/kernels/Errors.def"
#include "tessera/base/Errors.inc"

} // namespace tessera::kernels
