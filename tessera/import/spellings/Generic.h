// Generic: groups of operands that CuTe DSL's ops have, and ours do not.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace tessera::import {

/// What `respellGroups` puts after the name of an op one of whose groups has several operands.
inline constexpr llvm::StringLiteral groupedSuffix = ".grouped";

/// Since CuTe DSL 4.5 copies and products take lists of tensors, and loads a mask. The generic form
/// then states how many operands each group has, even if that is one or none:
/// `"cute.copy"(%a, %s, %d) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}>`. Ours have one
/// operand in a group and no properties, and MLIR's parser refuses any. This returns the text with
/// blanks in place of such sizes, so that columns stay the same. Where a group has several
/// operands, `<{operandSegmentSizes = array<i32: 1, 1, 2, 2, 1>}>`, or in brackets, as the custom
/// form writes them, `cute.gemm(%m, %d, [%a, %sfa], [%b, %sfb], %c)`, the op's name gets
/// `groupedSuffix`, for which `rows/Grouped.cpp` has a row. Nothing if the text has none of these.
std::optional<std::string> respellGroups(llvm::StringRef text);

} // namespace tessera::import
