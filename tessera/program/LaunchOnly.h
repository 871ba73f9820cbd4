// LaunchOnly: whether a host function only computes with numbers and layouts, and launches.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/base/Result.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>

namespace tessera::program {

/// Nothing where all that the function can do is to compute extents and arguments and to launch.
/// Otherwise what else it does, where, and what to do instead: it touches no memory, calls nothing
/// and has no loops.
std::optional<Reason> moreThanLaunches(mlir::func::FuncOp);

} // namespace tessera::program
