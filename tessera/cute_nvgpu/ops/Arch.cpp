// Architecture ops of no family.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute_nvgpu/CuteNvgpu.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute_nvgpu;

#define GET_OP_CLASSES
#include "tessera/cute_nvgpu/ops/Arch.cpp.inc"
