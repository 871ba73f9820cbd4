// Registration of the `cute_nvgpu` dialect, and its sentences.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute_nvgpu/CuteNvgpu.h"
#include "tessera/cute_nvgpu/Diagnostics.h"

using namespace mlir;
using namespace tessera::cute_nvgpu;

#include "tessera/cute_nvgpu/Dialect.cpp.inc"
#include "tessera/cute_nvgpu/OpInterfaces.cpp.inc"

void CuteNvgpuDialect::initialize() {
  registerTypes();
  addOperations<
#include "tessera/cute_nvgpu/OpList.cpp.inc"
      >();
}
