// Element: the number formats of operands of tensor cores, converters and copies.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/number/Format.h"

namespace tessera::atom {

/// The format of an operand; `none` marks an absent one.
using Element = number::Format;
using NumberKind = number::Kind;

using number::cuteName; // "F16", as in SM80_16x8x16_F32F16F16F32_TN
using number::kindOf;
using number::ptxName; // "f16"

/// Bits of storage when packed densely: 32 for tf32, of which 19 count.
constexpr int bits(Element element) { return number::storedBits(element); }
/// PTX's name, which we also use for operands.
constexpr std::string_view name(Element element) { return number::ptxName(element); }

} // namespace tessera::atom
