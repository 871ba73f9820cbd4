// Reasons of the cache room: the rows of Errors.def.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/base/Sentence.h"

namespace tessera::cache {

#define TESSERA_ERRORS "tessera/cache/Errors.def"
#include "tessera/base/Errors.inc"

} // namespace tessera::cache
