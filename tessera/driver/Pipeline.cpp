// The passes from CuTe IR and tile programs to the LLVM dialect, in order.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/driver/Pipeline.h"

#include "tessera/lower/Passes.h"
#include "tessera/lower/reinfer/TiledCopies.h"
#include "tessera/tile_lower/Passes.h"

#include "mlir/Conversion/ConvertToLLVM/ToLLVMPass.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using namespace tessera;

namespace {
/// What is done to functions one by one: host functions are in the module, kernels in its
/// gpu.modules.
void onFunctions(OpPassManager &module, function_ref<void(OpPassManager &)> add) {
  add(module.nestAny());
  add(module.nest<gpu::GPUModuleOp>().nestAny());
}

/// The steps of expansion (tessera/lower/expand/Steps.h).
void addExpansion(OpPassManager &functions, bool checks) {
  functions.addPass(lower::createCuteUnrollLoops());
  functions.addPass(lower::createCuteMakeTensorMaps({.checkLayoutAssumptions = checks}));
  functions.addPass(lower::createCuteExpandAlgebra({.checkLayoutAssumptions = checks}));
  functions.addPass(lower::createCuteExpandVectors({.checkLayoutAssumptions = checks}));
  functions.addPass(lower::createCuteExpandAtomCalls({.checkLayoutAssumptions = checks}));
}
} // namespace

void tessera::driver::addTileLowering(OpPassManager &passes, const std::string &arch,
                                      const LoweringChoices &choices) {
  passes.addPass(tile_lower::createLowerTilePrograms({.arch = arch, .level = choices.tileLevel},
                                                     choices.explanations));
}

void tessera::driver::buildPipeline(OpPassManager &passes, const std::string &arch,
                                    const LoweringChoices &choices) {
  addTileLowering(passes, arch, choices);
  passes.addPass(lower::createInlineLocals());
  passes.addPass(lower::createCheckTarget({.arch = arch}));
  onFunctions(passes, [&](OpPassManager &functions) {
    functions.addPass(lower::createMergeUniform());
    functions.addPass(lower::createCheckTmem());
    functions.addPass(lower::createCheckDescriptors());
    if (choices.holdBackLoads)
      functions.addPass(lower::createHoldBackLoads());
    functions.addPass(lower::createCuteDesugar());
    addExpansion(functions, choices.checkLayoutAssumptions);
    functions.addPass(lower::createConvertScfToCf());
  });
  passes.addPass(lower::createConvertCuteToLLVM());
  passes.addPass(lower::createConvertCuteNvgpuToNVVM());
  passes.addPass(lower::createCuteKernelToNVVM());
  passes.addPass(lower::createConvertCudaHostToLLVM());
  passes.addPass(lower::createConvertDeviceOps({.library = choices.library}));
  passes.addPass(createConvertToLLVMPass()); // with convert-nvvm-to-llvm among its interfaces
  passes.addPass(createReconcileUnrealizedCastsPass());
  passes.addPass(lower::createCheckLowered());
  onFunctions(passes, [](OpPassManager &functions) {
    functions.addPass(lower::createTieGroupAccumulators());
    functions.addPass(lower::createKeepProductLoops());
    functions.addPass(lower::createDropElections());
    functions.addPass(lower::createMergeElections());
    functions.addPass(lower::createTmemWaits());
  });
}

LogicalResult tessera::driver::reinfer(ModuleOp module) {
  PassManager passes(module.getContext());
  passes.addPass(lower::createCuteReinfer());
  if (failed(passes.run(module)))
    return failure();
  lower::warnOfUnreached(module);
  return success();
}

namespace {
struct LowerOptions : PassPipelineOptions<LowerOptions> {
  Option<std::string> arch{*this, "arch", llvm::cl::desc("the target, such as sm_90a"),
                           llvm::cl::init("sm_90a")};
  Option<bool> checks{
      *this, "check-layout-assumptions",
      llvm::cl::desc("assert at run time what the algebra assumes of dynamic leaves"),
      llvm::cl::init(false)};
  Option<bool> holdBack{
      *this, "hold-back-loads",
      llvm::cl::desc("keep two TMA loads fewer in flight than a ring of buffers has room for"),
      llvm::cl::init(false)};
};
} // namespace

void tessera::driver::registerPipelines() {
  static PassPipelineRegistration<LowerOptions> lower(
      "tessera-lower", "From CuTe IR to the LLVM dialect",
      [](OpPassManager &passes, const LowerOptions &options) {
        driver::buildPipeline(passes, options.arch, {options.checks, options.holdBack});
      });
}
