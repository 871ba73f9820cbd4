// The ops that are permitted in host code that only launches kernels.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/program/LaunchOnly.h"

#include "tessera/program/Errors.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace {

/// Launches with their parts, and ops that compute values from values. An op of any other dialect,
/// which may do anything (calls, pointers, inline assembly), does not pass, nor does one with a
/// region, which may loop.
bool passes(Operation &op) {
  llvm::StringRef dialect = op.getName().getDialectNamespace();
  if (op.getNumRegions() || op.getNumSuccessors())
    return false;
  if (dialect == "cuda" || isa<func::ReturnOp>(op))
    return true;
  constexpr llvm::StringLiteral pure[] = {"arith", "cute", "cute_nvgpu"};
  return llvm::is_contained(pure, dialect) && isMemoryEffectFree(&op);
}

} // namespace

std::optional<tessera::Reason> tessera::program::moreThanLaunches(ModuleOp module) {
  auto refusal = [](const std::string &where, Operation &op) {
    std::string place;
    llvm::raw_string_ostream(place) << op.getLoc();
    return fail(Error::HostCode, where, op.getName().getStringRef().str(), place);
  };
  for (Operation &op : *module.getBody()) {
    if (auto function = dyn_cast<func::FuncOp>(op)) {
      for (Block &block : function.getBody())
        for (Operation &inside : block)
          if (!passes(inside))
            return refusal(function.getSymName().str(), inside);
      continue;
    }
    auto declared = dyn_cast<LLVM::LLVMFuncOp>(op);
    if (!isa<gpu::GPUModuleOp>(op) && !(declared && declared.isExternal()))
      return refusal("the file", op);
  }
  return std::nullopt;
}
