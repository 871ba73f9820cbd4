// Reasons of the expression language: the rows of Errors.def.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/base/Sentence.h"

namespace tessera::eval {

#define TESSERA_ERRORS "tessera/eval/Errors.def"
#include "tessera/base/Errors.inc"

} // namespace tessera::eval
