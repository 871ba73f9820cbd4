// Reasons of programs: the rows of Errors.def.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/base/Sentence.h"

namespace tessera::program {

#define TESSERA_ERRORS "tessera/program/Errors.def"
#include "tessera/base/Errors.inc"

} // namespace tessera::program
