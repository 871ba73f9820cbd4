// LaunchOnly: whether all host code of a file only computes numbers and layouts, and launches.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/base/Result.h"

#include "mlir/IR/BuiltinOps.h"

#include <optional>

namespace tessera::program {

/// Nothing if all that host functions of a file can do is compute extents and arguments and launch.
/// Otherwise what else there is, where, and what to do instead. None may access memory, call
/// anything or have loops, and the file may define nothing else besides its kernels. Functions that
/// are not called count too, as lowered code finds functions by their names (memcpy).
std::optional<Reason> moreThanLaunches(mlir::ModuleOp);

} // namespace tessera::program
