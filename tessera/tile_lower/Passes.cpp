// LowerTilePrograms: each cuda_tile.module becomes a gpu.module of kernels.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/tile_lower/Passes.h"

#include "tessera/cute/Cute.h"
#include "tessera/tile_lower/Kernel.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace tessera::cuda_tile;

namespace tessera::tile_lower {

#define GEN_PASS_DEF_LOWERTILEPROGRAMS
#define GEN_PASS_REGISTRATION
#include "tessera/tile_lower/Passes.h.inc"

namespace {

struct LowerTileProgramsPass : impl::LowerTileProgramsBase<LowerTileProgramsPass> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<TileModuleOp> programs(getOperation().getOps<TileModuleOp>());
    for (TileModuleOp program : programs) {
      if (failed(lower(program)))
        return signalPassFailure();
      program.erase();
    }
  }

  LogicalResult lower(TileModuleOp program) {
    OpBuilder b(program);
    auto module = gpu::GPUModuleOp::create(b, program.getLoc(), program.getSymName());
    for (auto global : program.getOps<GlobalOp>()) {
      auto values = cast<DenseElementsAttr>(global.getValue());
      Kernel kernel(module, arch);
      kernel.constantArray(global.getSymName(), elementOf(values.getType()), values,
                           int64_t(global.getAlignment()));
    }
    for (auto entry : program.getOps<EntryOp>())
      if (failed(lower(module, entry)))
        return failure();
    return success();
  }

  /// What the plan's code refuses, such as for want of shared memory, is compiled at level 0, which
  /// says why it cannot.
  LogicalResult lower(gpu::GPUModuleOp module, EntryOp entry) {
    if (level > 0) {
      Kernel kernel(module, arch);
      ScopedDiagnosticHandler silent(&getContext(), [](Diagnostic &) { return success(); });
      if (succeeded(kernel.lower(entry, level)))
        return success();
      kernel.discard();
    }
    return Kernel(module, arch).lower(entry, 0);
  }
};

} // namespace

void registerPasses() { registerLowerTilePrograms(); }

} // namespace tessera::tile_lower
