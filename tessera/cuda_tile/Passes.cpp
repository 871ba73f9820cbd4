// Registration of the passes over tile programs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cuda_tile/Passes.h"

namespace tessera::cuda_tile {
namespace {
#define GEN_PASS_REGISTRATION
#include "tessera/cuda_tile/Passes.h.inc"
} // namespace

void registerPasses() { registerCudaTilePasses(); }
} // namespace tessera::cuda_tile
