// The pass that compiles tile programs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/tile_lower/Explanation.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace tessera::tile_lower {

#define GEN_PASS_DECL
#include "tessera/tile_lower/Passes.h.inc"

/// The same pass; it also adds the decisions for each kernel to `told`, unless that is null.
std::unique_ptr<mlir::Pass> createLowerTilePrograms(const LowerTileProgramsOptions &,
                                                    std::vector<Explanation> *told);

/// Registers the pass by its name for pipelines.
void registerPasses();

} // namespace tessera::tile_lower
