// Reasons of the C API: the rows of Errors.def.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/base/Sentence.h"

namespace tessera::program_capi {

#define TESSERA_ERRORS "tessera/program_capi/Errors.def"
#include "tessera/base/Errors.inc"

} // namespace tessera::program_capi
