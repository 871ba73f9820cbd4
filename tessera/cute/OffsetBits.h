// OffsetBits: known bits of a swizzled pointer's offset, as an attribute.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/ADT/StringRef.h"

namespace tessera::cute {

/// On a `cute.add_offset` of a swizzled pointer, two 64-bit numbers: the bits that may be set in
/// the offset, and the bits that are set. Readers of the pointer then swizzle no more than needed.
inline constexpr llvm::StringLiteral offsetBitsAttrName = "cute.offset_bits";

} // namespace tessera::cute
