// The `cute_nvgpu` dialect, whole: include this to work with its ops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/atom/UmmaForm.h"
#include "tessera/cute/Cute.h"
#include "tessera/cute_nvgpu/AtomTypes.h"

#include "tessera/cute_nvgpu/OpInterfaces.h.inc"
// Included after the interfaces that the ops implement.
#include "tessera/cute_nvgpu/Ops.h.inc"

namespace tessera::cute_nvgpu {

/// Columns of an SM's tensor memory.
constexpr int64_t tmemColumns = 512;

/// The qualifiers of a tcgen05.mma op; nothing if it is another op.
std::optional<atom::UmmaForm> ummaFormOf(mlir::Operation *);

} // namespace tessera::cute_nvgpu
