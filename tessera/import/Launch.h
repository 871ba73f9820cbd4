// Launch: kernels and launches as CuTe DSL wrote them before `cuda.kernel` existed.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace tessera::import {

/// Until 4.2 a kernel is a `func.func` with the attribute `cute.kernel`, and a host function
/// launches it with `gpu.launch_func`, on a stream that is a `!gpu.async.token`:
///
///   %t = gpu.launch_func async [%stream] @kernels::@k blocks in (%x, %c1, %c1)
///            threads in (%c128, %c1, %c1) dynamic_shared_memory_size %n args(%a : T) {use_pdl =
///            false}
///
/// becomes what 4.3 writes: `cuda.kernel`, `cuda.launch_cfg.create`, `cuda.launch_ex`, and the
/// result of the launch, which the host function returns if it is not 0. Returns whether there was
/// such a launch; fails with a report where one launches a function that is not a kernel.
llvm::FailureOr<bool> rewriteLaunches(mlir::ModuleOp module);

} // namespace tessera::import
