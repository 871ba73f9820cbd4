// TargetOf: the target that an op is compiled for, for the few ops whose spelling depends on it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/atom/Target.h"

#include "mlir/IR/Operation.h"

#include <optional>

namespace tessera::lower {

/// The target that --tessera-check-target recorded on the op's `gpu.module`, if any.
std::optional<atom::Target> targetOf(mlir::Operation *);
/// Whether that target converts two 8-bit numbers, e4m3 or e5m2, at a time. The type is such a
/// number or a vector of them.
bool convertsInPairs(mlir::Operation *, mlir::Type);

} // namespace tessera::lower
