// LowerTilePrograms: each cuda_tile.module becomes a gpu.module of kernels.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/tile_lower/Passes.h"

#include "tessera/cute/Cute.h"
#include "tessera/tile_lower/Kernel.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/StringExtras.h"

#include <array>

using namespace mlir;
using namespace tessera::cuda_tile;

namespace tessera::tile_lower {

#define GEN_PASS_DEF_LOWERTILEPROGRAMS
#define GEN_PASS_REGISTRATION
#include "tessera/tile_lower/Passes.h.inc"

namespace {

bool isOfTiles(Type type) { return isa<TileType, TokenType, TensorViewType, TileView>(type); }

/// PTX ISA 9.0, 4.4: identifiers. Names that begin with % are those of registers, WARP_SZ is a
/// constant, and kernels call these two functions of the driver.
LogicalResult verifyName(EntryOp entry) {
  constexpr std::array<StringRef, 3> taken = {"WARP_SZ", "vprintf", "__assertfail"};
  StringRef name = entry.getSymName();
  char first = name.empty() ? ' ' : name.front();
  bool isIdentifier = llvm::isAlpha(first) || (name.size() > 1 && (first == '_' || first == '$'));
  isIdentifier = isIdentifier && llvm::all_of(name, [](char c) {
                   return llvm::isAlnum(c) || c == '_' || c == '$';
                 });
  if (isIdentifier && !llvm::is_contained(taken, name))
    return success();
  return refuse(entry, Diag::EntryName, llvm::join(taken, ", "));
}

/// Conditions that rows and plans rely on. The dialect allows more, as NVIDIA's does: parameters of
/// any type, and any result of an endless loop.
LogicalResult verifyTypes(EntryOp entry) {
  for (Type type : entry.getArgumentTypes())
    if (auto tile = dyn_cast<TileType>(type); !tile || tile.getRank() != 0)
      return refuse(entry, Diag::EntryParameter, type);
  WalkResult walked = entry.getBody().walk([](Operation *op) -> WalkResult {
    if (!isa_and_nonnull<CudaTileDialect>(op->getDialect()))
      return refuse(op, Diag::ForeignOp);
    for (Type type : op->getResultTypes())
      if (!isOfTiles(type))
        return refuse(op, Diag::ForeignType, type);
    for (Region &region : op->getRegions())
      for (Type type : region.getArgumentTypes())
        if (!isOfTiles(type))
          return refuse(op, Diag::ForeignType, type);
    return WalkResult::advance();
  });
  return failure(walked.wasInterrupted());
}

struct LowerTileProgramsPass : impl::LowerTileProgramsBase<LowerTileProgramsPass> {
  using Base::Base;
  LowerTileProgramsPass(const LowerTileProgramsOptions &options, std::vector<Explanation> *told)
      : Base(options), told(told) {}

  void runOnOperation() override {
    SmallVector<TileModuleOp> programs(getOperation().getOps<TileModuleOp>());
    for (TileModuleOp program : programs) {
      if (failed(lower(program)))
        return signalPassFailure();
      program.erase();
    }
  }

private:
  LogicalResult lower(TileModuleOp program) {
    OpBuilder b(program);
    std::optional<AsmState> names;
    if (told)
      names.emplace(program);
    auto module = gpu::GPUModuleOp::create(b, program.getLoc(), program.getSymName());
    makeGlobals(program, module, arch);
    for (auto entry : program.getOps<EntryOp>())
      if (failed(verifyName(entry)) || failed(verifyTypes(entry)) ||
          failed(lower(module, entry, names ? &*names : nullptr)))
        return failure();
    return success();
  }

  /// A kernel that the plan's code refuses, for lack of shared memory for example, is compiled at
  /// level 0; the result says why.
  LogicalResult lower(gpu::GPUModuleOp module, EntryOp entry, AsmState *names) {
    std::string refusal;
    if (level > 0) {
      Kernel kernel(module, arch);
      ScopedDiagnosticHandler silent(&getContext(), [&](Diagnostic &diagnostic) {
        if (refusal.empty())
          refusal = diagnostic.str();
        return success();
      });
      if (succeeded(kernel.lower(entry, level))) {
        if (told)
          told->push_back(explain(entry, kernel, *names));
        return success();
      }
      kernel.discard();
    }
    Kernel kernel(module, arch);
    if (failed(kernel.lower(entry, 0)))
      return failure();
    if (told) {
      told->push_back(explain(entry, kernel, *names));
      told->back().whyNotPlanned = refusal;
    }
    return success();
  }

  std::vector<Explanation> *told = nullptr;
};

} // namespace

std::unique_ptr<Pass> createLowerTilePrograms(const LowerTileProgramsOptions &options,
                                              std::vector<Explanation> *told) {
  return std::make_unique<LowerTileProgramsPass>(options, told);
}

void registerPasses() { registerLowerTilePrograms(); }

} // namespace tessera::tile_lower
