// The passes of tessera/lower.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace tessera::lower {

/// What --tessera-check-target leaves on a `gpu.module`: the lowest PTX version, major * 10 +
/// minor, that has all its instructions.
inline constexpr llvm::StringLiteral ptxVersionAttrName = "tessera.ptx_version";
/// And the target, such as "sm_90a", for the few ops that targets spell in different ways.
inline constexpr llvm::StringLiteral targetAttrName = "tessera.target";

#define GEN_PASS_DECL
#include "tessera/lower/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "tessera/lower/Passes.h.inc"

} // namespace tessera::lower
