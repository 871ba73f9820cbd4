// The passes from CuTe IR to the LLVM dialect, in order.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/driver/Pipeline.h"

#include "tessera/lower/Passes.h"

#include "mlir/Conversion/ConvertToLLVM/ToLLVMPass.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using namespace tessera;

void tessera::driver::buildPipeline(OpPassManager &passes, const std::string &arch,
                                    const LoweringChoices &choices) {
  lower::CheckTargetOptions gate;
  gate.arch = arch;
  passes.addPass(lower::createCheckTarget(gate));
  passes.addPass(lower::createCheckTmem());
  passes.addPass(lower::createCheckDescriptors());
  if (choices.holdBackLoads)
    passes.addPass(lower::createHoldBackLoads());
  passes.addPass(lower::createCuteDesugar());
  lower::CuteExpandOpsOptions expansion;
  expansion.checkLayoutAssumptions = choices.checkLayoutAssumptions;
  passes.addPass(lower::createCuteExpandOps(expansion));
  passes.addPass(createSCFToControlFlowPass());
  passes.addPass(lower::createConvertCuteToLLVM());
  passes.addPass(lower::createConvertCuteNvgpuToNVVM());
  passes.addPass(lower::createCuteKernelToNVVM());
  passes.addPass(lower::createConvertCudaHostToLLVM());
  passes.addPass(lower::createConvertDeviceOps());
  passes.addPass(createConvertToLLVMPass()); // with convert-nvvm-to-llvm among its interfaces
  passes.addPass(createReconcileUnrealizedCastsPass());
  passes.addPass(lower::createTieGroupAccumulators());
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
      llvm::cl::init(true)};
};
} // namespace

void tessera::driver::registerPipelines() {
  static PassPipelineRegistration<LowerOptions> lower(
      "tessera-lower", "From CuTe IR to the LLVM dialect",
      [](OpPassManager &passes, const LowerOptions &options) {
        driver::buildPipeline(passes, options.arch, {options.checks, options.holdBack});
      });
}
