// Reasons of the room tile_dsl: the rows of Errors.def.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/base/Sentence.h"
#include "tessera/base/Status.h"

namespace tessera::tile::detail {

#define TESSERA_ERRORS "tessera/tile_dsl/Errors.def"
#include "tessera/base/Errors.inc"

} // namespace tessera::tile::detail
