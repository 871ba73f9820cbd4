// Generic: properties that the generic form states for an op that has none here.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace tessera::import {

/// The generic form states the sizes of operand groups, even if all but the first are empty:
/// `"cute.memref.load_vec"(%t) <{operandSegmentSizes = array<i32: 1, 0, 0>}>` in CuTe DSL 4.8,
/// whose op may have a mask. Ours has one operand and no properties, and MLIR's parser refuses any.
/// This returns the text with blanks in place of such properties, so that columns stay the same;
/// nothing if there are none.
std::optional<std::string> withoutEmptyGroups(llvm::StringRef text);

} // namespace tessera::import
