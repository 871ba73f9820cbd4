// JoinDevices: the device code of a whole file as one.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/base/Status.h"

#include "mlir/IR/BuiltinOps.h"

namespace tessera::driver {

/// Moves the contents of all `gpu.module`s of a lowered module into the first of them, so that one
/// text of PTX or one cubin has all kernels. Host code still launches by the names of the original
/// modules, so this is for device code that is used without it. A kernel keeps its name: two
/// kernels with one name are an error, which names the modules. Any other symbol of a later module
/// is renamed if its name is taken, or merged if both are the same declaration or constant.
Status joinDevices(mlir::ModuleOp lowered);

} // namespace tessera::driver
