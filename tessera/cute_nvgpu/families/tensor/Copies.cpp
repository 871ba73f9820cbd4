// Copies between tensor memory and registers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute_nvgpu/CuteNvgpu.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute_nvgpu;

#define GET_OP_CLASSES
#include "tessera/cute_nvgpu/families/tensor/Copies.cpp.inc"
