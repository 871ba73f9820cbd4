// Element: the values that the bits of an element of a tile stand for.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A *code* is the bit pattern of an element in the low bits of a uint64_t, as in number/Code.h;
// tf32 is held as an f32 whose low 13 bits are zero. Numbers of all floating-point types are
// doubles without rounding.
#pragma once

#include "tessera/number/Code.h"
#include "tessera/tile_bytecode/Types.h"

#include <span>
#include <vector>

namespace tessera::tile_eval {

using tile_bytecode::TypeKind;

/// The elements of a tile in row-major order.
using Codes = std::vector<uint64_t>;

constexpr unsigned bitsOf(TypeKind kind) { return rowOf(kind).bits; }
constexpr uint64_t lowBits(unsigned bits) {
  return bits < 64 ? (uint64_t(1) << bits) - 1 : ~uint64_t(0);
}
/// Sign-extended.
constexpr int64_t signedOf(uint64_t code, unsigned bits) {
  return bits < 64 ? int64_t(code << (64 - bits)) >> (64 - bits) : int64_t(code);
}

/// The value of a code of a floating-point type.
double decode(TypeKind, uint64_t code);
std::vector<double> decodeAll(TypeKind, std::span<const uint64_t> codes);

/// The code of a number, rounded once. Types of 8 and 4 bits saturate, infinity too, as all
/// instructions that convert to them do (PTX ISA 9.0, 9.7.9.22: .satfinite); a NaN becomes the
/// type's NaN, or the largest number of f4E2M1FN. Unsigned types take NaN for numbers below zero.
uint64_t encode(TypeKind, double value, number::Rounding = number::Rounding::NearestEven);

/// Whether a code is a NaN.
bool isNan(TypeKind, uint64_t code);
/// The NaN of a floating-point type; the largest number of a type that has none.
uint64_t nanOf(TypeKind);
/// Infinity with a sign; NaN, or the largest number, of a type that has none.
uint64_t infinityOf(TypeKind, bool isNegative);
/// The sign bit; 0 of an unsigned type.
uint64_t signBitOf(TypeKind);

} // namespace tessera::tile_eval
