// The passes of tessera/lower.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace tessera::lower {

/// The attribute that --tessera-check-target sets on a `gpu.module`: the lowest PTX version, major
/// * 10 + minor, that has all its instructions.
inline constexpr llvm::StringLiteral ptxVersionAttrName = "tessera.ptx_version";
/// The target as an attribute, such as "sm_90a", for the few ops whose spelling depends on it.
inline constexpr llvm::StringLiteral targetAttrName = "tessera.target";

#define GEN_PASS_DECL
#include "tessera/lower/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "tessera/lower/Passes.h.inc"

} // namespace tessera::lower
