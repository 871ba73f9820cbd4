// LaunchOnly: whether all host code of a file only computes with numbers and layouts, and launches.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/base/Result.h"

#include "mlir/IR/BuiltinOps.h"

#include <optional>

namespace tessera::program {

/// Nothing where all that host functions of a file can do is to compute extents and arguments and
/// to launch. Otherwise what else is there, where, and what to do instead: none of them touches
/// memory, calls anything or has loops, and the file defines nothing else beside its kernels. What
/// is not called counts, as lowered code finds functions by their names (memcpy).
std::optional<Reason> moreThanLaunches(mlir::ModuleOp);

} // namespace tessera::program
