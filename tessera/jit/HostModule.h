// HostModule: the host functions of a lowered module as LLVM IR.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Module.h"
#include "llvm/TargetParser/Triple.h"

#include <memory>
#include <string>

namespace tessera::jit {

/// Before the name of each wrapper that HostCode calls. A host part may neither define nor declare
/// such names, and may only declare those of the runtime, which begin with `runtimePrefix`.
inline constexpr char wrapperPrefix[] = "tessera_packed_", runtimePrefix[] = "tessera_rt_";

/// The `llvm.func`s at the top level of a module that has left the pipeline; its `gpu.module`s are
/// skipped, and the module is not changed. Null where it does not translate, has inline assembly or
/// takes a name of ours, which goes to the handlers of its context.
std::unique_ptr<llvm::Module> hostModule(mlir::ModuleOp lowered, const llvm::DataLayout &,
                                         const llvm::Triple &, llvm::LLVMContext &);

/// Errors that LLVM reports of modules of a context, which would otherwise end the process, are
/// added to a text that lives as long as something is compiled.
void keepErrors(llvm::LLVMContext &, std::string &reports);

} // namespace tessera::jit
