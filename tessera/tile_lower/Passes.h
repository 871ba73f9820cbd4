// The pass that compiles tile programs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace tessera::tile_lower {

#define GEN_PASS_DECL
#include "tessera/tile_lower/Passes.h.inc"

/// Makes it known to pipelines by its name.
void registerPasses();

} // namespace tessera::tile_lower
