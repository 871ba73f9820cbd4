// Arithmetic, comparisons, functions, thread indices, and exchange between threads.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/cute_cxx/Values.h"

#include <functional>

namespace tessera::cute {

namespace detail {
/// Floats that C++ does not have, and operands that are such floats and numbers of C++.
template <class T>
concept OtherFloat = FloatType<T> && !std::floating_point<T>;
template <class A, class B>
concept HostFloats = (OtherFloat<A> && (OtherFloat<B> || std::is_arithmetic_v<B>)) ||
                     (OtherFloat<B> && std::is_arithmetic_v<A>);
} // namespace detail

/// An operand, and the author's line that states it.
class Operand {
public:
  Operand() = default; // none
  template <class T>
    requires(std::constructible_from<Num, const T &> && !FloatType<T> &&
             !std::derived_from<T, IntTuple>)
  Operand(const T &given, Place where = Place::current()) : number(given), at(where) {}
  Operand(const IntTuple &, Place = Place::current());
  /// A literal takes the type of the other operand.
  template <std::floating_point T>
  Operand(T given, Place where = Place::current())
      : literal(double(given)), format(format_of<T>), at(where) {}
  /// A number of this type: half_t(2).
  template <detail::OtherFloat T>
  Operand(T given, Place where = Place::current()) : number(given, where), at(where) {}

  Num number;     // not set for a literal, nor for a tuple
  IntTuple tuple; // only == and != take it
  double literal = 0;
  Format format = Format::none;
  Place at;
};

// Integers are converted to one type and computed with as in C++20: uint8_t and uint8_t as ints,
// int and uint32_t as uint32_t, and so on. Sums and products of floats may be contracted to one
// fma.
Num operator+(const Operand &, const Operand &);
Num operator-(const Operand &, const Operand &);
Num operator*(const Operand &, const Operand &);
Num operator/(const Operand &, const Operand &);
Num operator%(const Operand &, const Operand &);
Num operator&(const Operand &, const Operand &);
Num operator|(const Operand &, const Operand &);
Num operator^(const Operand &, const Operand &);
Num operator<<(const Operand &, const Operand &);
Num operator>>(const Operand &, const Operand &);
Num operator<(const Operand &, const Operand &);
Num operator<=(const Operand &, const Operand &);
Num operator>(const Operand &, const Operand &);
Num operator>=(const Operand &, const Operand &);
// Also of tuples: whether they have one nesting and equal leaves.
Num operator==(const Operand &, const Operand &);
Num operator!=(const Operand &, const Operand &);
// For conditions, use x & y and x | y in place of x && y and x || y. They compute both sides.
Num operator-(const Operand &);
Num operator~(const Operand &);
Num operator!(const Operand &);
// Exactly a Num, which converts to bool as well as it does to an Operand.
template <std::same_as<Num> T> Num operator!(const T &x) { return !Operand(x); }
namespace detail {
/// The value as C++ assigns it to a variable that has the value `variable`. A number wider than
/// both an int and the variable is a mistake: its upper half would be lost.
Num assigned(const Num &variable, const Num &value, const char *call, Place);
} // namespace detail
#define TESSERA_ASSIGNMENT(OP)                                                                     \
  inline Num &operator OP## = (Num & x, const Operand &y) {                                        \
    return x = detail::assigned(x, Operand(x, y.at) OP y, "operator" #OP "=", y.at);               \
  }
TESSERA_ASSIGNMENT(+)
TESSERA_ASSIGNMENT(-)
TESSERA_ASSIGNMENT(*)
TESSERA_ASSIGNMENT(/)
TESSERA_ASSIGNMENT(%)
TESSERA_ASSIGNMENT(&)
TESSERA_ASSIGNMENT(|)
TESSERA_ASSIGNMENT(^)
TESSERA_ASSIGNMENT(<<)
TESSERA_ASSIGNMENT(>>)
#undef TESSERA_ASSIGNMENT
inline Num &operator++(Num &x) { return x += 1; }
inline Num &operator--(Num &x) { return x -= 1; }

// half_t and its like among themselves, and with numbers of C++: computed by C++, as doubles.
#define TESSERA_HOST_OPERATOR(OP)                                                                  \
  template <class A, class B>                                                                      \
    requires detail::HostFloats<A, B>                                                              \
  auto operator OP(A a, B b) {                                                                     \
    return double(a) OP double(b);                                                                 \
  }
TESSERA_HOST_OPERATOR(+)
TESSERA_HOST_OPERATOR(-)
TESSERA_HOST_OPERATOR(*)
TESSERA_HOST_OPERATOR(/)
TESSERA_HOST_OPERATOR(<)
TESSERA_HOST_OPERATOR(<=)
TESSERA_HOST_OPERATOR(>)
TESSERA_HOST_OPERATOR(>=)
TESSERA_HOST_OPERATOR(==)
TESSERA_HOST_OPERATOR(!=)
#undef TESSERA_HOST_OPERATOR
template <detail::OtherFloat T> double operator-(T x) { return -double(x); }

// Numbers in types, alone or with a number of C++: computed by C++ alone.
#define TESSERA_INT_OPERATOR(OP)                                                                   \
  template <int64_t A, int64_t B> constexpr auto operator OP(Int<A>, Int<B>) {                     \
    return Int<int64_t(A OP B)>();                                                                 \
  }                                                                                                \
  template <int64_t A, std::integral T> constexpr auto operator OP(Int<A>, T b) {                  \
    return typename Int<A>::value_type(A) OP b;                                                    \
  }                                                                                                \
  template <std::integral T, int64_t B> constexpr auto operator OP(T a, Int<B>) {                  \
    return a OP typename Int<B>::value_type(B);                                                    \
  }
TESSERA_INT_OPERATOR(+)
TESSERA_INT_OPERATOR(-)
TESSERA_INT_OPERATOR(*)
TESSERA_INT_OPERATOR(/)
TESSERA_INT_OPERATOR(%)
TESSERA_INT_OPERATOR(<)
TESSERA_INT_OPERATOR(<=)
TESSERA_INT_OPERATOR(>)
TESSERA_INT_OPERATOR(>=)
TESSERA_INT_OPERATOR(==)
TESSERA_INT_OPERATOR(!=)
TESSERA_INT_OPERATOR(&)
TESSERA_INT_OPERATOR(|)
TESSERA_INT_OPERATOR(^)
TESSERA_INT_OPERATOR(<<)
TESSERA_INT_OPERATOR(>>)
TESSERA_INT_OPERATOR(&&)
TESSERA_INT_OPERATOR(||)
#undef TESSERA_INT_OPERATOR
template <int64_t N> constexpr Int<-N> operator-(Int<N>) { return {}; }
template <int64_t N> constexpr Int<!N> operator!(Int<N>) { return {}; }
template <int64_t N> constexpr Int<~N> operator~(Int<N>) { return {}; }
template <int64_t N> constexpr Int<N> operator+(Int<N>) { return {}; }
template <int64_t N> constexpr Int<(N < 0 ? -N : N)> abs(Int<N>) { return {}; }

Num min(const Operand &, const Operand &);
Num max(const Operand &, const Operand &);
inline Num min(const Operand &x, const Operand &y, const Operand &z) {
  return min(Operand(min(x, y), x.at), z);
}
inline Num max(const Operand &x, const Operand &y, const Operand &z) {
  return max(Operand(max(x, y), x.at), z);
}
/// x y + z, rounded once.
Num fma(const Operand &x, const Operand &y, const Operand &z);
/// `yes` where the condition holds, else `no`; both are computed.
Num where(const Operand &condition, const Operand &yes, const Operand &no);

// Approximations by the hardware, as CUDA's exp2f, rsqrtf and __fdividef with subnormals flushed.
Num exp2(const Operand &);
Num log2(const Operand &);
Num rsqrt(const Operand &);
Num fast_divide(const Operand &, const Operand &);
// As in C's libraries.
Num abs(const Operand &);
Num ceil(const Operand &);
Num cos(const Operand &);
Num erf(const Operand &);
Num exp(const Operand &);
Num floor(const Operand &);
Num log(const Operand &);
Num log10(const Operand &);
Num log1p(const Operand &);
Num pow(const Operand &, const Operand &);
Num rint(const Operand &);
Num sin(const Operand &);
Num sqrt(const Operand &);
Num tan(const Operand &);
Num tanh(const Operand &);
Num trunc(const Operand &);

namespace detail {
Num convert(const Num &, Format, Place);
Num bit_cast(const Num &, Format, Place);
} // namespace detail
/// The number in another format as C++ converts it: floats are rounded to nearest, to integers
/// towards 0, and integers are taken modulo 2^bits.
template <ElementType T> Num convert(const Num &x, Place at = Place::current()) {
  return detail::convert(x, format_of<T>, at);
}
template <ElementType T> Num bit_cast(const Num &x, Place at = Place::current()) {
  return detail::bit_cast(x, format_of<T>, at);
}

/// Combines the numbers of a vector pairwise in a tree.
Num reduce(const Num &vector, const std::function<Num(Num, Num)> &combine,
           Place = Place::current());
Num sum(const Num &vector, Place = Place::current());

//===--- threads ------------------------------------------------------------------------------===//

struct SpecialRegisters {
  SpecialRegister x, y, z;
};
inline constexpr SpecialRegisters threadIdx{{"tid.x"}, {"tid.y"}, {"tid.z"}},
    blockIdx{{"ctaid.x"}, {"ctaid.y"}, {"ctaid.z"}}, blockDim{{"ntid.x"}, {"ntid.y"}, {"ntid.z"}},
    gridDim{{"nctaid.x"}, {"nctaid.y"}, {"nctaid.z"}};
/// The rank of the block in its cluster.
Num block_rank_in_cluster(Place = Place::current());
Num canonical_warp_idx_sync(Place = Place::current());
// The lane in the warp, the warp and the warpgroup in the block, counted along x. With `_sync`, and
// of the warpgroup, the compiler knows that all lanes have one number.
Num canonical_lane_idx(Place = Place::current());
Num canonical_warp_idx(Place = Place::current());
Num canonical_warp_group_idx(Place = Place::current());
/// True in one lane of the warp.
Num elect_one_sync(Place = Place::current());

/// True in this thread, counted along x first, of this block; in all threads of a block.
Num thread(int thread, int block = 0, Place = Place::current());
Num block(int block, Place = Place::current());
/// True in the first thread of the first block, and in all threads of the first block.
Num thread0(Place = Place::current());
Num block0(Place = Place::current());

// The value in another lane of the warp, for numbers of 1 to 64 bits. All lanes take part.
Num shfl_sync(const Num &, const Num &lane, Place = Place::current());
Num shfl_up_sync(const Num &, const Num &lanes, Place = Place::current());
Num shfl_down_sync(const Num &, const Num &lanes, Place = Place::current());
Num shfl_xor_sync(const Num &, const Num &lanes, Place = Place::current());
// The same by CUDA's names. The mask has all lanes.
// NOLINTBEGIN(bugprone-reserved-identifier)
Num __shfl_sync(uint32_t mask, const Num &, const Num &lane, Place = Place::current());
Num __shfl_up_sync(uint32_t mask, const Num &, const Num &lanes, Place = Place::current());
Num __shfl_down_sync(uint32_t mask, const Num &, const Num &lanes, Place = Place::current());
Num __shfl_xor_sync(uint32_t mask, const Num &, const Num &lanes, Place = Place::current());
// NOLINTEND(bugprone-reserved-identifier)

/// Waits for all threads of the block, and makes their earlier writes visible.
void __syncthreads(Place = Place::current()); // NOLINT(bugprone-reserved-identifier): CUDA's name
inline void syncthreads(Place at = Place::current()) { __syncthreads(at); }
/// The same for the threads of a warp.
void __syncwarp(Place = Place::current()); // NOLINT(bugprone-reserved-identifier): CUDA's name

//===--- printing -----------------------------------------------------------------------------===//

/// Printed by each thread that reaches it, as by CUDA's printf: `%d`, `%5.2f` and the like stand
/// for the next number, of any width; `%f` takes integers too. On the host, while no kernel is
/// traced, it is C's printf.
void printf(const char *format, const Operand &first, const Operand &second = {},
            const Operand &third = {}, const Operand &fourth = {}, const Operand &fifth = {},
            const Operand &sixth = {});
namespace detail {
/// Prints at once if C++ knows all numbers, else in each thread.
void print_format(const char *format, const Operand &first, const Operand &second = {},
                  const Operand &third = {}, const Operand &fourth = {}, const Operand &fifth = {},
                  const Operand &sixth = {});
} // namespace detail
/// Unless the condition holds, ends the kernel with an error that names the line.
void device_assert(const Num &condition, const char *otherwise = "", Place = Place::current());

} // namespace tessera::cute
