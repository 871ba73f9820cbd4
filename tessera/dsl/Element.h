// Element: a number format of tensors and registers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/dsl/Context.h"
#include "tessera/number/Format.h"

#include <concepts>
#include <optional>
#include <string_view>

namespace tessera::dsl {

class Num;

/// A number format that has a type in the IR: one of those below. Calling it with a number makes
/// that constant: `f32(0.5)`, `i64(n)`.
class Element {
public:
  constexpr Element(number::Format format) : which(format) {}
  /// The element with this name in the IR: "f16", "f8E4M3FN", "ui8".
  static std::optional<Element> named(std::string_view);

  constexpr number::Format format() const { return which; }
  constexpr std::string_view name() const { return number::mlirName(which); } // its name in the IR
  constexpr int bits() const { return number::storedBits(which); }            // in memory
  constexpr bool isFloat() const { return number::kindOf(which) == number::Kind::Float; }
  mlir::Type type(mlir::MLIRContext *) const;

  template <std::integral T> Num operator()(T value, Place at = Place::current()) const;
  template <std::floating_point T> Num operator()(T value, Place at = Place::current()) const;
  friend constexpr bool operator==(Element, Element) = default;

private:
  number::Format which;
};

inline constexpr Element i1 = number::Format::b1, i2 = number::Format::s2, u2 = number::Format::u2,
                         i4 = number::Format::s4, u4 = number::Format::u4, i8 = number::Format::s8,
                         u8 = number::Format::u8, i16 = number::Format::s16,
                         u16 = number::Format::u16, i32 = number::Format::s32,
                         u32 = number::Format::u32, i64 = number::Format::s64,
                         u64 = number::Format::u64, f16 = number::Format::f16,
                         bf16 = number::Format::bf16, tf32 = number::Format::tf32,
                         f32 = number::Format::f32, f64 = number::Format::f64,
                         f8E4M3FN = number::Format::e4m3, f8E5M2 = number::Format::e5m2,
                         f8E8M0FNU = number::Format::ue8m0, f6E2M3FN = number::Format::e2m3,
                         f6E3M2FN = number::Format::e3m2, f4E2M1FN = number::Format::e2m1;

} // namespace tessera::dsl
