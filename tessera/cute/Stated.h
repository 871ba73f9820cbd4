// Stated: how a reader of edited files marks what uses of a value state of it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/ADT/StringRef.h"

namespace tessera::cute {

/// A unit attribute of `builtin.unrealized_conversion_cast`. The operand has the type that its
/// definition states, the result the type that uses state, which were written before the
/// definition was edited. `--cute-reinfer` takes these casts away; no other pass knows them.
inline constexpr llvm::StringLiteral statedName = "cute.stated";

} // namespace tessera::cute
