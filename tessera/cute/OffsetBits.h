// OffsetBits: what is known of the bits of a swizzled pointer's offset, as an attribute.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/ADT/StringRef.h"

namespace tessera::cute {

/// On a `cute.add_offset` of a swizzled pointer: the bits that its offset may have and those that
/// it has, two numbers of 64 bits. What reads the pointer again swizzles no more than it must.
inline constexpr llvm::StringLiteral offsetBitsAttrName = "cute.offset_bits";

} // namespace tessera::cute
