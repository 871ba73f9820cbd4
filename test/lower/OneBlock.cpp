
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/lower/OneBlock.h"

#include "tessera/lower/Passes.h"
#include "tessera/sim/Machine.h"
#include "test/driver/Reading.h"

#include "mlir/Conversion/ConvertToLLVM/ToLLVMPass.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Pass/PassManager.h"

#include <cstring>

namespace tessera::lower::test {

static bool lowerByTheBank(mlir::ModuleOp module, bool checks) {
  mlir::PassManager passes(module.getContext());
  passes.addPass(createCuteDesugar());
  passes.addPass(mlir::createSCFToControlFlowPass());
  passes.addPass(createConvertCuteToLLVM({.checkLayoutAssumptions = checks}));
  passes.addPass(mlir::createSCFToControlFlowPass()); // of assertions
  passes.addPass(createConvertCuteNvgpuToNVVM());
  passes.addPass(createCuteKernelToNVVM());
  passes.addPass(createConvertDeviceOps());
  passes.addPass(mlir::createConvertToLLVMPass());
  passes.addPass(mlir::createReconcileUnrealizedCastsPass());
  passes.addPass(createCheckLowered());
  return mlir::succeeded(passes.run(module));
}

Outcome runBlock(const std::string &text, std::span<const uint8_t> in, std::vector<uint8_t> out,
                 const Block &block) {
  Outcome outcome;
  driver::test::Reading reading(text, "kernel.mlir");
  driver::CompileOptions options{.arch = block.arch};
  options.lowering.checkLayoutAssumptions = block.checks;
  bool lowered = reading.module &&
                 (block.way == Way::Expanded ? reading.compiler.lower(*reading.module, options)
                                             : lowerByTheBank(*reading.module, block.checks));
  auto codes = lowered ? reading.compiler.translate(*reading.module, options)
                       : Result<std::vector<driver::DeviceCode>>(Reason{"Refused", ""});
  outcome.errors = reading.errors;
  if (!codes) {
    outcome.errors += codes.reason().text;
    return outcome;
  }
  auto fails = [&](const Reason &reason) {
    outcome.errors += reason.text;
    return outcome;
  };
  Result<sim::Program> program = sim::Program::parse(codes->front().ptx);
  if (!program)
    return fails(program.reason());
  sim::Limits limits{.hostThreads = 1};
  if (block.instructions)
    limits.instructions = block.instructions;
  sim::Machine machine(limits);
  uint64_t from = *machine.memory().allocate(std::max<size_t>(in.size(), 1));
  uint64_t to = *machine.memory().allocate(std::max<size_t>(out.size(), 1));
  (void)machine.memory().write(from, std::as_bytes(in));
  (void)machine.memory().write(to, std::as_bytes(std::span(out)));
  auto loaded = machine.load(std::make_shared<const sim::Program>(*std::move(program)));
  if (!loaded)
    return fails(loaded.reason());
  std::byte parameters[20];
  std::memcpy(parameters, &from, 8);
  std::memcpy(parameters + 8, &to, 8);
  std::memcpy(parameters + 16, &block.n, 4);
  sim::Status status = machine.launch(*loaded, "k", {.block = {block.threads}}, parameters);
  outcome.printed = machine.takeOutput();
  if (!status)
    return fails(status.reason());
  (void)machine.memory().read(std::as_writable_bytes(std::span(out)), to);
  outcome.out = std::move(out);
  outcome.ran = true;
  return outcome;
}

} // namespace tessera::lower::test
