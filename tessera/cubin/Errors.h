// Reasons of the cubin room: the rows of Errors.def.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/base/Sentence.h"
#include "tessera/base/Status.h"

namespace tessera::cubin {

#define TESSERA_ERRORS "tessera/cubin/Errors.def"
#include "tessera/base/Errors.inc"

} // namespace tessera::cubin
