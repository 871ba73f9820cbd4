// What an op is compiled for, for the few ops that targets spell in different ways.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/atom/Target.h"

#include "mlir/IR/Operation.h"

#include <optional>

namespace tessera::lower {

/// The target that --tessera-check-target left on the op's `gpu.module`, if it did.
std::optional<atom::Target> targetOf(mlir::Operation *);

} // namespace tessera::lower
