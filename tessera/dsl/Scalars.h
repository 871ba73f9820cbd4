// Numbers: arithmetic, comparisons, functions, vectors, what a thread is and what lanes exchange.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/dsl/Values.h"

#include <functional>
#include <string_view>

namespace tessera::dsl {

/// An operand: a number, or a literal, which takes the type of the number that it meets (i32 or f32
/// where it meets none); and where it is written.
class Operand {
public:
  Operand(Num number, Place at = Place::current()) : what(number), at(at) {}
  template <std::integral T>
  Operand(T literal, Place at = Place::current()) : what(int64_t(literal)), at(at) {}
  template <std::floating_point T>
  Operand(T literal, Place at = Place::current()) : what(double(literal)), at(at) {}

  const Num *number() const & { return std::get_if<Num>(&what); }
  const Num *number() const && = delete; // it would be gone
  /// The number, or the literal as a constant of the type of `like`.
  Num as(const Num *like) const;
  Place place() const { return at; }

private:
  std::variant<Num, int64_t, double> what;
  Place at;
};

//===--- operators: both sides of one type ----------------------------------------------------===//

// Floating-point sums and products may be contracted to one fma; add_rn and mul_rn may not.
Num operator+(Operand, Operand);
Num operator-(Operand, Operand);
Num operator*(Operand, Operand);
Num operator/(Operand, Operand); // of whole numbers that are not negative
Num operator%(Operand, Operand); // likewise
Num operator&(Operand, Operand);
Num operator|(Operand, Operand);
Num operator^(Operand, Operand);
Num operator<<(Operand, Operand);
Num operator>>(Operand, Operand); // keeps the sign
// Signed; of floating-point numbers no NaN passes, but in !=.
Num operator<(Operand, Operand);
Num operator<=(Operand, Operand);
Num operator>(Operand, Operand);
Num operator>=(Operand, Operand);
Num operator==(Operand, Operand);
Num operator!=(Operand, Operand);

Num add_rn(Num, Num, Place = Place::current()); // rounded on its own, as CUDA's __fadd_rn
Num mul_rn(Num, Num, Place = Place::current());
Num min(Operand, Operand); // signed; of floating-point numbers the one that is not a NaN
Num max(Operand, Operand);
Num maximum(Num, Num, Place = Place::current()); // a NaN if either is one
Num select(Num condition, Num yes, Num no, Place = Place::current());

//===--- functions ----------------------------------------------------------------------------===//

Num exp2(Num, Place = Place::current());  // 2^x by the hardware's approximation, subnormals flushed
Num log2(Num, Place = Place::current());  // likewise
Num rsqrt(Num, Place = Place::current()); // likewise
/// A function of mathematics, as the libraries of C have it. `abs` takes whole numbers too.
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
  Round, // to the even one of two that are as near
  Sin,
  Sqrt,
  Tan,
  Tanh,
  Trunc
};
Num apply(Function, Num, Place = Place::current());
Num power(Num x, Num y, Place = Place::current());
Num fma(Num x, Num y, Num z, Place = Place::current()); // x y + z, rounded once
Num divide_approx(Num, Num, Place = Place::current());  // to 2 ulp

/// The number in another format: floating-point ones are rounded to nearest, whole ones are cut off
/// or keep their sign, from one kind to the other they are rounded towards 0. What is too large for
/// a floating-point format of 8 bits, which only f32 becomes, is the largest number of that.
Num convert(Num, Element, Place = Place::current());
/// The bits as those of a format of the same width.
Num bitcast(Num, Element, Place = Place::current());
/// Four bytes of eight, those of x and after them those of y: each is chosen by a half byte of the
/// selector. CUDA's __byte_perm.
Num byte_perm(Num x, Num y, Num selector, Place = Place::current());
/// As an i64, of a number that is not negative.
Num wide(Num, Place = Place::current());

//===--- vectors ------------------------------------------------------------------------------===//

/// Numbers of a vector; 1 of a number.
int64_t count(const Num &);
Num broadcast(Num, int64_t count, Place = Place::current()); // a vector of equal numbers
Num vector_of(llvm::ArrayRef<int32_t>, Place = Place::current());
Num vector_of(llvm::ArrayRef<Num>, Place = Place::current());
/// A vector's numbers, combined pairwise in a tree: sums differ in rounding from those taken one
/// after the other.
Num reduce(Num vector, const std::function<Num(Num, Num)> &combine, Place = Place::current());

//===--- threads ------------------------------------------------------------------------------===//

/// A special register, under NVVM's name for it: "tid.x", "cluster.ctarank".
Num special_register(std::string_view name, Place = Place::current());
// Axis 0 is x.
Num thread_idx(int axis = 0, Place = Place::current());
Num block_idx(int axis = 0, Place = Place::current());
Num grid_dim(int axis = 0, Place = Place::current());
Num block_rank_in_cluster(Place = Place::current());
/// The same number, of which all lanes of the warp have the same.
Num warp_uniform(Num, Place = Place::current());
/// Whether it is true in some lane of the warp. By the whole warp.
Num any_lane(Num, Place = Place::current());
/// True in one lane of the warp.
Num elect_one(Place = Place::current());
enum class Shuffle : uint8_t {
  Index,
  Up,
  Down,
  Xor
};
/// What the lane of this index holds, or the lane so many below, above, or whose index differs in
/// these bits. By the whole warp.
Num shfl(Shuffle, Num x, Num lanes, Place = Place::current());
/// What the lane holds whose index differs in the bits of `lanes`.
Num shfl_xor(Num, int lanes, Place = Place::current());

} // namespace tessera::dsl
