// Reasons of the atom tables: the rows of Errors.def.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/base/Sentence.h"

namespace tessera::atom {

#define TESSERA_ERRORS "tessera/atom/Errors.def"
#include "tessera/base/Errors.inc"

} // namespace tessera::atom
