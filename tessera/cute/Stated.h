// Stated: the mark with which a reader of edited files records the types that uses of a value
// state.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/ADT/StringRef.h"

namespace tessera::cute {

/// A unit attribute of `builtin.unrealized_conversion_cast`. The operand has the type that its
/// definition states, the result the type that uses state, which were written before the definition
/// was edited. `--cute-reinfer` removes these casts; no other pass knows them.
inline constexpr llvm::StringLiteral statedName = "cute.stated";

} // namespace tessera::cute
