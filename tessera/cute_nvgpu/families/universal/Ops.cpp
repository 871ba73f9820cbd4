// cp.async: which pointers it takes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute_nvgpu/Diagnostics.h"
#include "tessera/cute_nvgpu/MmaRegisters.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute_nvgpu;

using cute::PtrType;

LogicalResult ArchCpAsyncOp::verify() {
  int64_t bits = cast<PtrType>(getDst().getType()).getElementBits();
  if (bits != 32 && bits != 64 && bits != 128)
    return refuse(*this, Diag::CpAsyncBits, bits);
  if (getCacheMode() == atom::CacheMode::Global &&
      bits != 128) // PTX ISA 9.7.9.25.3.1: .cg copies 16 bytes
    return refuse(*this, Diag::CpAsyncGlobal, bits);
  return verifySmem(*this, getDst());
}

#define GET_OP_CLASSES
#include "tessera/cute_nvgpu/families/universal/Ops.cpp.inc"
