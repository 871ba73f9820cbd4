// TensorMapKeywords: spellings of the types and swizzles of tensor maps in the IR.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/atom/Spelling.h"
#include "tessera/atom/TensorMap.h"

namespace tessera::atom {

std::span<const Spelling<TensorMapType>> spellings(TensorMapType);       // "F16_RN"
std::span<const Spelling<TensorMapSwizzle>> spellings(TensorMapSwizzle); // "b128"

} // namespace tessera::atom
