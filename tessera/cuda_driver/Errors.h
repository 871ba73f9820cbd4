// Reasons of the stand-in for the CUDA driver: the rows of Errors.def.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/base/Sentence.h"
#include "tessera/base/Status.h"

namespace tessera::cuda_driver {

#define TESSERA_ERRORS "tessera/cuda_driver/Errors.def"
#include "tessera/base/Errors.inc"

} // namespace tessera::cuda_driver
