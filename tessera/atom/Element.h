// Element: the number formats that tensor cores, converters and copies know.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/base/Result.h"

#include <cstdint>
#include <span>

namespace tessera::atom {

/// A number format. `none` marks an absent operand. tf32 is stored in 32 bits, of which 19 count.
enum class Element : uint8_t {
  none,
  f64,
  f32,
  tf32,
  f16,
  bf16,
  e4m3,
  e5m2,
  e2m3,
  e3m2,
  e2m1,
  ue8m0,
  ue4m3,
  s32,
  s8,
  u8,
  s4,
  u4,
  b1
};

/// How the bits of a format are read.
enum class NumberKind : uint8_t {
  None,
  Float,
  Signed,
  Unsigned,
  Bits
};

/// One format. `ptx` is its type suffix without the dot, also our own name for it; `cute` is how it
/// appears in the names of CuTe atoms (`SM80_16x8x16_F32F16F16F32_TN`).
struct ElementRow {
  Element element;
  std::string_view ptx, cute;
  uint8_t bits; // of storage, when packed densely
  NumberKind kind;
};

/// All formats, in the order of the enum.
std::span<const ElementRow> elements();

const ElementRow &row(Element);
inline int bits(Element element) { return row(element).bits; }
inline std::string_view ptxName(Element element) { return row(element).ptx; }
inline std::string_view name(Element element) { return row(element).ptx; }
inline std::string_view cuteName(Element element) { return row(element).cute; }
inline NumberKind kindOf(Element element) { return row(element).kind; }

/// The format with this PTX spelling, or a reason that lists all of them.
Result<Element> parseElement(std::string_view);

} // namespace tessera::atom
