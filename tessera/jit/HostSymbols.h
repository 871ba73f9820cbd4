// HostSymbols: the C functions that compiled host code may call, and how a failed assertion ends.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/jit/Runtime.h"

namespace tessera::jit {

/// Printing, memory, mathematics and conversions of narrow floating-point types: all that lowered
/// host code calls besides tessera_rt_*. A list, because a stripped static program cannot look up
/// its own functions by name.
std::span<const Symbol> hostSymbols();

/// Compiled code under a uniform signature: `arguments[i]` points to parameter i.
using PackedFunction = void (*)(void **arguments, int32_t *result);

/// Calls compiled code. Null if it returned; if it called abort(), as a failed cf.assert does, the
/// text that it last gave to puts() ("" for none), which lives as long as the code.
const char *callGuarded(PackedFunction, void **arguments, int32_t *result);

} // namespace tessera::jit
