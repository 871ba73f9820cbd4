// Numbers: arithmetic, comparisons, functions, vectors, thread indices and exchange between lanes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/dsl/Values.h"

#include <functional>
#include <string_view>

namespace tessera::dsl {

/// An operand: a number, or a literal, which takes the type of the number that it is combined with
/// (i32 or f32 if there is none). It also knows its place.
class Operand {
public:
  Operand(Num number, Place at = Place::current()) : what(number), at(at) {}
  template <std::integral T>
  Operand(T literal, Place at = Place::current()) : what(int64_t(literal)), at(at) {}
  template <std::floating_point T>
  Operand(T literal, Place at = Place::current()) : what(double(literal)), at(at) {}

  const Num *number() const & { return std::get_if<Num>(&what); }
  const Num *number() const && = delete; // the reference would dangle
  /// The number, or the literal as a constant of the type of `like`.
  Num as(const Num *like) const;
  Place place() const { return at; }

private:
  std::variant<Num, int64_t, double> what;
  Place at;
};

//===--- operators: both sides of one type ----------------------------------------------------===//

// Whole numbers of u8, u16, u32 and u64 have no sign; those of i8, i16, i32 and i64 have one.
// Floating-point sums and products may be contracted to one fma; add_rn and mul_rn may not.
Num operator+(Operand, Operand);
Num operator-(Operand, Operand);
Num operator*(Operand, Operand);
Num operator/(Operand, Operand); // of integers that are not negative
Num operator%(Operand, Operand); // likewise
// Of signed integers, rounded towards 0, as C++'s / and %.
Num quotient(Operand, Operand);
Num remainder(Operand, Operand);
Num operator&(Operand, Operand);
Num operator|(Operand, Operand);
Num operator^(Operand, Operand);
Num operator<<(Operand, Operand);
Num operator>>(Operand, Operand); // keeps the sign
// With a floating-point NaN only != is true.
Num operator<(Operand, Operand);
Num operator<=(Operand, Operand);
Num operator>(Operand, Operand);
Num operator>=(Operand, Operand);
Num operator==(Operand, Operand);
Num operator!=(Operand, Operand);

Num add_rn(Num, Num, Place = Place::current()); // rounded on its own, as CUDA's __fadd_rn
Num mul_rn(Num, Num, Place = Place::current());
Num min(Operand, Operand); // if one floating-point number is a NaN, the other
Num max(Operand, Operand);
Num maximum(Num, Num, Place = Place::current()); // a NaN if either is one
Num select(Num condition, Num yes, Num no, Place = Place::current());

//===--- functions ----------------------------------------------------------------------------===//

Num exp2(Num, Place = Place::current());  // 2^x approximated by the hardware, subnormals flushed
Num log2(Num, Place = Place::current());  // likewise
Num rsqrt(Num, Place = Place::current()); // likewise
/// A function of mathematics, as in C's libraries. `abs` takes integers too.
enum class Function : uint8_t {
  Abs,
  Ceil,
  Cos,
  Erf,
  Exp,
  Floor,
  Log,
  Log10,
  Log1p,
  Round, // to nearest, ties to even
  Sin,
  Sqrt,
  Tan,
  Tanh,
  Trunc
};
Num apply(Function, Num, Place = Place::current());
Num power(Num x, Num y, Place = Place::current());
Num fma(Num x, Num y, Num z, Place = Place::current()); // x y + z, rounded once
Num divide_approx(Num, Num, Place = Place::current());  // with an error of up to 2 ulp

/// The number in another format, as C++ converts: to floating-point numbers rounded to nearest,
/// from them to integers towards 0, and integers modulo 2^bits; an i1 is 0 or 1, and becomes
/// true of what is not 0. Floating-point formats of 8 bits can only be converted to from f32 and
/// from integers; a number too large becomes their largest.
Num convert(Num, Element, Place = Place::current());
/// The same bits as a number of another format of the same width.
Num bitcast(Num, Element, Place = Place::current());
/// Bits of an integer, counted in a number of its type.
enum class BitCount : uint8_t {
  Ones,
  LeadingZeros, // from the most significant bit on
  TrailingZeros
};
Num count_bits(BitCount, Num, Place = Place::current());
/// Four of eight bytes, those of x followed by those of y. Each half byte of the selector chooses
/// one. CUDA's __byte_perm.
Num byte_perm(Num x, Num y, Num selector, Place = Place::current());
/// A number that is not negative, as an i64.
Num wide(Num, Place = Place::current());

//===--- vectors ------------------------------------------------------------------------------===//

/// Number of elements of a vector; 1 for a number.
int64_t count(const Num &);
Num broadcast(Num, int64_t count, Place = Place::current()); // a vector of equal numbers
Num vector_of(llvm::ArrayRef<int32_t>, Place = Place::current());
Num vector_of(llvm::ArrayRef<Num>, Place = Place::current());
/// Combines the numbers of a vector pairwise in a tree. Sums are rounded differently from sums
/// taken one element after the other.
Num reduce(Num vector, const std::function<Num(Num, Num)> &combine, Place = Place::current());

//===--- threads ------------------------------------------------------------------------------===//

/// A special register, under NVVM's name for it: "tid.x", "cluster.ctarank".
Num special_register(std::string_view name, Place = Place::current());
// Axis 0 is x.
Num thread_idx(int axis = 0, Place = Place::current());
Num block_idx(int axis = 0, Place = Place::current());
Num grid_dim(int axis = 0, Place = Place::current());
Num block_rank_in_cluster(Place = Place::current());
/// The same number, with a promise that all lanes of the warp have the same value.
Num warp_uniform(Num, Place = Place::current());
/// Whether it is true in any lane of the warp. The whole warp calls it.
Num any_lane(Num, Place = Place::current());
/// True in exactly one lane of the warp.
Num elect_one(Place = Place::current());
enum class Shuffle : uint8_t {
  Index,
  Up,
  Down,
  Xor
};
/// The value of x in the lane with this index, or in the lane this many below or above, or in the
/// lane whose index differs in these bits. The whole warp calls it.
Num shfl(Shuffle, Num x, Num lanes, Place = Place::current());
/// The value of x in the lane whose index differs in the bits of `lanes`.
Num shfl_xor(Num, int lanes, Place = Place::current());

} // namespace tessera::dsl
