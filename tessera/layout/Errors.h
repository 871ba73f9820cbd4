// Reasons of the layout algebra: the rows of Errors.def.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/base/Sentence.h"

namespace tessera::layout {

#define TESSERA_ERRORS "tessera/layout/Errors.def"
#include "tessera/base/Errors.inc"

} // namespace tessera::layout
