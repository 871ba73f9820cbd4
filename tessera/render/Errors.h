// Reasons why there is no picture: the rows of Errors.def.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/base/Sentence.h"

namespace tessera::render {

#define TESSERA_ERRORS "tessera/render/Errors.def"
#include "tessera/base/Errors.inc"

} // namespace tessera::render
