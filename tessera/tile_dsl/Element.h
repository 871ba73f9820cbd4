// Element types of tile kernels: C++ types that stand for the elements of tiles and arrays.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integers and bool are C++'s own. A tile of an unsigned type compares, divides, shifts and
// converts as unsigned, though the program's types have no signs. f16 and the like hold the bits as
// in memory. On the host they convert to and from double, rounded once to nearest even.
#pragma once

#include "tessera/tile_bytecode/Types.h"

#include <type_traits>

namespace tessera::tile {

using tile_bytecode::TypeKind;

namespace detail {
uint64_t encodeFloat(TypeKind, double value);
double decodeFloat(TypeKind, uint64_t code);
} // namespace detail

/// A number in a format that C++ does not have.
template <TypeKind kind, class Storage> struct Float {
  Storage bits{};

  Float() = default;
  Float(double value) : bits(Storage(detail::encodeFloat(kind, value))) {}
  operator double() const { return detail::decodeFloat(kind, bits); }
};

using f64 = double;
using f32 = float;
using f16 = Float<TypeKind::F16, uint16_t>;
using bf16 = Float<TypeKind::BF16, uint16_t>;
/// 32 bits, of which the low 13 are zero.
using tf32 = Float<TypeKind::TF32, uint32_t>;
using f8e4m3fn = Float<TypeKind::F8E4M3FN, uint8_t>;
using f8e5m2 = Float<TypeKind::F8E5M2, uint8_t>;
using f8e8m0fnu = Float<TypeKind::F8E8M0FNU, uint8_t>;
/// Two share a byte of memory, so only tiles can hold them.
using f4e2m1fn = Float<TypeKind::F4E2M1FN, uint8_t>;
/// Likewise.
struct i4 {
  int8_t value = 0;
};
using i1 = bool;
using i8 = int8_t;
using i16 = int16_t;
using i32 = int32_t;
using i64 = int64_t;
using u8 = uint8_t;
using u16 = uint16_t;
using u32 = uint32_t;
using u64 = uint64_t;

namespace detail {

template <class E> struct ElementTraits {
  static constexpr bool isKnown = false;
};
template <class E>
  requires std::is_integral_v<E>
struct ElementTraits<E> {
  static constexpr bool isKnown = true;
  static constexpr TypeKind kind = std::is_same_v<E, bool> ? TypeKind::I1
                                   : sizeof(E) == 1        ? TypeKind::I8
                                   : sizeof(E) == 2        ? TypeKind::I16
                                   : sizeof(E) == 4        ? TypeKind::I32
                                                           : TypeKind::I64;
  static constexpr bool isSigned = std::is_signed_v<E>;
};
template <> struct ElementTraits<float> {
  static constexpr bool isKnown = true, isSigned = true;
  static constexpr TypeKind kind = TypeKind::F32;
};
template <> struct ElementTraits<double> {
  static constexpr bool isKnown = true, isSigned = true;
  static constexpr TypeKind kind = TypeKind::F64;
};
template <TypeKind k, class Storage> struct ElementTraits<Float<k, Storage>> {
  static constexpr bool isKnown = true, isSigned = true;
  static constexpr TypeKind kind = k;
};
template <> struct ElementTraits<i4> {
  static constexpr bool isKnown = true, isSigned = true;
  static constexpr TypeKind kind = TypeKind::I4;
};

} // namespace detail

/// A type that elements of tiles and arrays may have.
template <class E>
concept Element = detail::ElementTraits<E>::isKnown;

/// The type kind that stands for it in the program.
template <Element E> inline constexpr TypeKind kindOf = detail::ElementTraits<E>::kind;

template <class E>
concept Integer = Element<E> && tile_bytecode::isInteger(detail::ElementTraits<E>::kind);
template <class E>
concept AnyFloat = Element<E> && tile_bytecode::isFloat(detail::ElementTraits<E>::kind);
/// One with arithmetic; the other formats are only for products, conversions and memory.
template <class E>
concept BaseFloat = Element<E> && (detail::ElementTraits<E>::kind == TypeKind::F16 ||
                                   detail::ElementTraits<E>::kind == TypeKind::BF16 ||
                                   detail::ElementTraits<E>::kind == TypeKind::F32 ||
                                   detail::ElementTraits<E>::kind == TypeKind::F64);
/// One with + - * and comparisons.
template <class E>
concept Arithmetic = BaseFloat<E> || (Integer<E> && !std::is_same_v<E, i4>);
template <class E>
concept Boolean = std::is_same_v<E, bool>;
template <class E>
concept Pointer = std::is_pointer_v<E> && Element<std::remove_pointer_t<E>>;
/// What a tile can hold.
template <class E>
concept TileElement = Element<E> || Pointer<E>;

template <class E> inline constexpr bool isSigned = detail::ElementTraits<E>::isSigned;

} // namespace tessera::tile
