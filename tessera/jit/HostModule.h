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

/// Prefix of the wrappers that HostCode calls, and of the runtime's functions. A host part may
/// neither define nor declare names with the first; with the second it may only declare them.
inline constexpr char wrapperPrefix[] = "tessera_packed_", runtimePrefix[] = "tessera_rt_";

/// The `llvm.func`s at the top level of a module that the pipeline has lowered; its `gpu.module`s
/// are skipped, and the module is not changed. Null if it does not translate, has inline assembly
/// or uses a name of ours; the handlers of its context get the error.
std::unique_ptr<llvm::Module> hostModule(mlir::ModuleOp lowered, const llvm::DataLayout &,
                                         const llvm::Triple &, llvm::LLVMContext &);

/// Appends errors that LLVM reports for modules of this context, which would otherwise end the
/// process, to `reports`. That text must live as long as the context compiles.
void keepErrors(llvm::LLVMContext &, std::string &reports);

} // namespace tessera::jit
