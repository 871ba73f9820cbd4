// TargetOf: the target that an op is compiled for, for the few ops whose spelling depends on it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/atom/Target.h"

#include "mlir/IR/Operation.h"

#include <optional>

namespace tessera::lower {

/// The target that --tessera-check-target recorded on the op's `gpu.module`, if any.
std::optional<atom::Target> targetOf(mlir::Operation *);
/// Whether the destination of a bulk copy can only be the block itself: SM120 and 121 have no
/// clusters. There .shared::cta is the instruction; for .shared::cluster ptxas 13.0 calls a
/// function, and leaves out setmaxnreg as there is a call (C7506). CUTLASS:
/// CUTE_ARCH_TMA_SM120_ENABLED.
bool hasNoClusters(mlir::Operation *);
/// Whether that target converts two 8-bit numbers, e4m3 or e5m2, at a time. The type is such a
/// number or a vector of them.
bool convertsInPairs(mlir::Operation *, mlir::Type);

} // namespace tessera::lower
