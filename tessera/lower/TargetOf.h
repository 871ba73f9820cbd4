// What an op is compiled for, for the few ops that targets spell in different ways.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/atom/Target.h"

#include "mlir/IR/Operation.h"

#include <optional>

namespace tessera::lower {

/// The target that --tessera-check-target left on the op's `gpu.module`, if it did.
std::optional<atom::Target> targetOf(mlir::Operation *);
/// Whether that target converts two numbers of 8 bits at a time, e4m3 or e5m2: one of them or their
/// vector is the type.
bool convertsInPairs(mlir::Operation *, mlir::Type);

} // namespace tessera::lower
