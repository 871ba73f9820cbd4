// JoinDevices: the device code of a whole file as one.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/base/Status.h"

#include "mlir/IR/BuiltinOps.h"

namespace tessera::driver {

/// Puts what is in the `gpu.module`s of a lowered module into the first of them, so that one text
/// of PTX or one cubin has all kernels. Host code still launches by the names of the modules it was
/// written with, so this is for code that leaves without it. A kernel keeps its name: two of one
/// name are a reason, which names the modules. Any other symbol of a later module is renamed where
/// its name is taken, or is one with what has the name if that is the same declaration or constant.
Status joinDevices(mlir::ModuleOp lowered);

} // namespace tessera::driver
