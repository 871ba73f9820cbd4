// A GEMM for tensor memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/kernels/gemm/Gemm.h"

namespace tessera::kernels {

inline GemmConfig blackwell(const char *target = "sm_100a") {
  GemmConfig c;
  c.target = *atom::Target::parse(target);
  return c;
}

} // namespace tessera::kernels
