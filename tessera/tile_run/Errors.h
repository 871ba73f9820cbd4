// Reasons of the room tile_run: the rows of Errors.def.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/base/Sentence.h"
#include "tessera/base/Status.h"

namespace tessera::tile::run_errors {

#define TESSERA_ERRORS "tessera/tile_run/Errors.def"
#include "tessera/base/Errors.inc"

} // namespace tessera::tile::run_errors
