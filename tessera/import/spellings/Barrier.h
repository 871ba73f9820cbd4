// Barrier: a form of LLVM 22 that its own parser cannot read.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace tessera::import {

/// After the operands of `nvvm.barrier`, LLVM 22's parser takes any attribute for the kind of a
/// reduction, even `loc(...)` and `{...}`, which its printer writes there. This returns the text
/// with such barriers in the generic form, on the same lines; nothing if there are none.
std::optional<std::string> withReadableBarriers(llvm::StringRef text);

} // namespace tessera::import
