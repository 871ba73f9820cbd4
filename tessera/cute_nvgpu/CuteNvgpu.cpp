// Registration of the `cute_nvgpu` dialect, and its sentences.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute_nvgpu/CuteNvgpu.h"
#include "tessera/cute_nvgpu/Diagnostics.h"

using namespace mlir;
using namespace tessera::cute_nvgpu;

#include "tessera/cute_nvgpu/Dialect.cpp.inc"

void CuteNvgpuDialect::initialize() {
  registerTypes();
  addOperations<
#define GET_OP_LIST
#include "tessera/cute_nvgpu/ops/Arch.cpp.inc"
      ,
#define GET_OP_LIST
#include "tessera/cute_nvgpu/ops/Bulk.cpp.inc"
      ,
#define GET_OP_LIST
#include "tessera/cute_nvgpu/ops/Desc.cpp.inc"
      ,
#define GET_OP_LIST
#include "tessera/cute_nvgpu/ops/Tma.cpp.inc"
      ,
#define GET_OP_LIST
#include "tessera/cute_nvgpu/ops/TmaCopies.cpp.inc"
      ,
#define GET_OP_LIST
#include "tessera/cute_nvgpu/ops/Tmem.cpp.inc"
      ,
#define GET_OP_LIST
#include "tessera/cute_nvgpu/ops/Umma.cpp.inc"
      >();
}
