// HostSymbols: the C functions that compiled host code may call, and the handling of failed
// asserts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/jit/Runtime.h"

namespace tessera::jit {

/// Printing, memory, mathematics, and conversions of narrow floating-point types: everything that
/// lowered host code calls besides tessera_rt_*. It is a list because a stripped static program
/// cannot look up its own functions by name.
std::span<const Symbol> hostSymbols();

/// What compiled code calls where a division has no quotient; a name that no file may define.
inline constexpr const char *noQuotient = "tessera_rt_no_quotient";

/// Compiled code under a uniform signature: `arguments[i]` points to parameter i.
using PackedFunction = void (*)(void **arguments, int32_t *result);

/// Calls compiled code. Returns null if the code returned. If it called abort(), as a failed
/// cf.assert and a division by zero do, returns the last text that it passed to puts() ("" for
/// none), which lives as long as the code.
const char *callGuarded(PackedFunction, void **arguments, int32_t *result);

} // namespace tessera::jit
