// Values of kernels: numbers and tuples of numbers, known while tracing or on the device.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel is a C++ function that is traced: it runs once, and its operations on these values
// become the program. What is static in CuTe C++ (Int<8>, a plain number of the host) is a number
// here that C++ computes with while it traces; what only the device knows is a value of the
// program. Both have the same types, so one writes `for (int k = 0; k < size<2>(t); ++k)` as in
// CuTe.
//
// Every mistake is recorded with the line of the call, and the call returns a poisoned value. Calls
// that take a poisoned value report nothing.
#pragma once

#include "tessera/number/Format.h"
#include "tessera/tile_dsl/Element.h"

#include <concepts>
#include <memory>
#include <source_location>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace tessera::cute {

/// The place of a call in the author's C++: the last parameter of every function.
using Place = std::source_location;

//===--- elements -----------------------------------------------------------------------------===//

using half_t = tile::f16;
using bfloat16_t = tile::bf16;
using tfloat32_t = tile::tf32;
using float_e4m3_t = tile::f8e4m3fn;
using float_e5m2_t = tile::f8e5m2;
using float_ue8m0_t = tile::f8e8m0fnu;
namespace detail {
uint8_t encoded(number::Format, double);
double decoded(number::Format, uint8_t code);
} // namespace detail
/// An integer of 2 or 4 bits. An array of them has no byte for each: Subbyte.h.
template <number::Format F> struct NarrowInt {
  uint8_t bits = 0;

  NarrowInt() = default;
  /// The low bits of the number, as C++ converts to narrower types.
  explicit NarrowInt(int n) : bits(uint8_t(n & ((1 << number::storedBits(F)) - 1))) {}
  operator int() const {
    constexpr int unused = 32 - number::storedBits(F);
    auto high = uint32_t(bits) << unused;
    return number::kindOf(F) == number::Kind::Signed ? int(high) >> unused : int(high >> unused);
  }
};
using int2_t = NarrowInt<number::Format::s2>;
using uint2_t = NarrowInt<number::Format::u2>;
using int4_t = NarrowInt<number::Format::s4>;
using uint4_t = NarrowInt<number::Format::u4>;
/// A float of 4 or 6 bits, rounded to the nearest. An array of them: likewise.
template <number::Format F> struct NarrowFloat {
  uint8_t bits = 0;

  NarrowFloat() = default;
  explicit NarrowFloat(double x) : bits(detail::encoded(F, x)) {}
  operator double() const { return detail::decoded(F, bits); }
};
using float_e2m1_t = NarrowFloat<number::Format::e2m1>;
using float_e2m3_t = NarrowFloat<number::Format::e2m3>;
using float_e3m2_t = NarrowFloat<number::Format::e3m2>;
/// The unit of a copy: UniversalCopy<uint128_t>.
struct uint128_t {
  uint64_t low, high;
};

namespace detail {
template <int bits> struct BitTypes;
template <> struct BitTypes<8> {
  using whole = int8_t;
  using natural = uint8_t;
};
template <> struct BitTypes<16> {
  using whole = int16_t;
  using natural = uint16_t;
};
template <> struct BitTypes<32> {
  using whole = int32_t;
  using natural = uint32_t;
};
template <> struct BitTypes<64> {
  using whole = int64_t;
  using natural = uint64_t;
};
template <> struct BitTypes<128> {
  using natural = uint128_t;
};
} // namespace detail
// Integers of so many bits or bytes: UniversalCopy<uint_bit_t<128>>.
template <int bits> using int_bit_t = typename detail::BitTypes<bits>::whole;
template <int bits> using uint_bit_t = typename detail::BitTypes<bits>::natural;
template <int bytes> using int_byte_t = int_bit_t<8 * bytes>;
template <int bytes> using uint_byte_t = uint_bit_t<8 * bytes>;

/// The format of elements that a C++ type stands for.
using Format = number::Format;
template <class T> inline constexpr Format format_of = Format::none;
template <std::signed_integral T>
inline constexpr Format format_of<T> = sizeof(T) == 1   ? Format::s8
                                       : sizeof(T) == 2 ? Format::s16
                                       : sizeof(T) == 4 ? Format::s32
                                                        : Format::s64;
template <std::unsigned_integral T>
inline constexpr Format format_of<T> = sizeof(T) == 1   ? Format::u8
                                       : sizeof(T) == 2 ? Format::u16
                                       : sizeof(T) == 4 ? Format::u32
                                                        : Format::u64;
template <> inline constexpr Format format_of<bool> = Format::b1;
template <> inline constexpr Format format_of<half_t> = Format::f16;
template <> inline constexpr Format format_of<bfloat16_t> = Format::bf16;
template <> inline constexpr Format format_of<tfloat32_t> = Format::tf32;
template <> inline constexpr Format format_of<float> = Format::f32;
template <> inline constexpr Format format_of<double> = Format::f64;
template <> inline constexpr Format format_of<float_e4m3_t> = Format::e4m3;
template <> inline constexpr Format format_of<float_e5m2_t> = Format::e5m2;
template <> inline constexpr Format format_of<float_ue8m0_t> = Format::ue8m0;
template <Format F> inline constexpr Format format_of<NarrowInt<F>> = F;
template <Format F> inline constexpr Format format_of<NarrowFloat<F>> = F;

template <class T>
concept ElementType = int(format_of<std::remove_const_t<T>>) != int(Format::none);
template <class T>
concept FloatType =
    ElementType<T> && number::kindOf(format_of<std::remove_const_t<T>>) == number::Kind::Float;
/// Bits of an element, or of the unit of a copy.
template <class T> inline constexpr int sizeof_bits_v = int(sizeof(T)) * 8;
template <Format F> inline constexpr int sizeof_bits_v<NarrowInt<F>> = number::storedBits(F);
template <Format F> inline constexpr int sizeof_bits_v<NarrowFloat<F>> = number::storedBits(F);
template <class T> inline constexpr int sizeof_bits_v<const T> = sizeof_bits_v<T>;
template <class T> struct sizeof_bits {
  static constexpr int value = sizeof_bits_v<T>;
};

//===--- values -------------------------------------------------------------------------------===//

namespace detail {
struct Node; // what a value stands for: Node.h, with MLIR, in the library
} // namespace detail

/// The base of all values: a handle to an object of the library.
class Value {
public:
  // Not inline: kernels copy values all the time, and compile faster this way.
  Value() noexcept;
  explicit Value(std::shared_ptr<const detail::Node> node) noexcept;
  Value(const Value &) noexcept;
  Value(Value &&) noexcept;
  Value &operator=(const Value &) noexcept;
  Value &operator=(Value &&) noexcept;
  ~Value();
  const std::shared_ptr<const detail::Node> &node() const { return what; }
  /// Whether it was ever given a value.
  bool is_set() const { return bool(what); }
  /// Whether it is the result of a call that failed.
  bool is_poisoned() const;

protected:
  std::shared_ptr<const detail::Node> what;
};

/// A number as a C++ type. What C++ computes with it is an int where it fits, as in CuTe C++.
template <int64_t N> struct Int {
  static constexpr int64_t value = N;
  using value_type = std::conditional_t<N == int32_t(N), int32_t, int64_t>;
  using type = Int;
  constexpr operator int64_t() const { return N; }
  constexpr int64_t operator()() const { return N; }
};
using _0 = Int<0>;
using _1 = Int<1>;
using _2 = Int<2>;
using _3 = Int<3>;
using _4 = Int<4>;
using _5 = Int<5>;
using _6 = Int<6>;
using _7 = Int<7>;
using _8 = Int<8>;
using _9 = Int<9>;
using _10 = Int<10>;
using _12 = Int<12>;
using _16 = Int<16>;
using _24 = Int<24>;
using _32 = Int<32>;
using _40 = Int<40>;
using _48 = Int<48>;
using _56 = Int<56>;
using _64 = Int<64>;
using _72 = Int<72>;
using _80 = Int<80>;
using _88 = Int<88>;
using _96 = Int<96>;
using _104 = Int<104>;
using _112 = Int<112>;
using _120 = Int<120>;
using _128 = Int<128>;
using _136 = Int<136>;
using _144 = Int<144>;
using _152 = Int<152>;
using _160 = Int<160>;
using _168 = Int<168>;
using _176 = Int<176>;
using _184 = Int<184>;
using _192 = Int<192>;
using _200 = Int<200>;
using _208 = Int<208>;
using _216 = Int<216>;
using _224 = Int<224>;
using _232 = Int<232>;
using _240 = Int<240>;
using _248 = Int<248>;
using _256 = Int<256>;
using _384 = Int<384>;
using _512 = Int<512>;
using _768 = Int<768>;
using _1024 = Int<1024>;
using _2048 = Int<2048>;
using _4096 = Int<4096>;
using _8192 = Int<8192>;
using _16384 = Int<16384>;
using _32768 = Int<32768>;
using _65536 = Int<65536>;
using _131072 = Int<131072>;
using _262144 = Int<262144>;
using _524288 = Int<524288>;
using _m1 = Int<-1>;
using _m2 = Int<-2>;
using _m3 = Int<-3>;
using _m4 = Int<-4>;
using _m5 = Int<-5>;
using _m6 = Int<-6>;
using _m7 = Int<-7>;
using _m8 = Int<-8>;
using _m9 = Int<-9>;
using _m10 = Int<-10>;
using _m12 = Int<-12>;
using _m16 = Int<-16>;
using _m24 = Int<-24>;
using _m32 = Int<-32>;
template <int64_t N> using C = Int<N>;
template <class T, T N> using constant = Int<int64_t(N)>;
template <class T, T N> using integral_constant = Int<int64_t(N)>;
/// Whether a type is a number in a type, of this value.
template <int64_t N, class T> inline constexpr bool is_constant_v = false;
template <int64_t N> inline constexpr bool is_constant_v<N, Int<N>> = true;
template <int64_t N, class T>
  requires(!std::is_same_v<T, std::remove_cvref_t<T>>)
inline constexpr bool is_constant_v<N, T> = is_constant_v<N, std::remove_cvref_t<T>>;
template <bool B> using bool_constant = Int<B>;
using true_type = bool_constant<true>;
using false_type = bool_constant<false>;
template <int64_t N, class T> struct is_constant : bool_constant<is_constant_v<N, T>> {};
// What CuTe C++ has of the standard library in its own namespace.
using std::conditional_t;
using std::conjunction_v;
using std::decay_t;
using std::enable_if_t;
using std::forward;
using std::is_base_of_v;
using std::is_convertible_v;
using std::is_integral;
using std::is_pointer_v;
using std::is_same;
using std::is_same_v;
using std::is_void_v;
using std::move;
using std::remove_const_t;
using std::remove_cv_t;
using std::remove_cvref_t;
using std::remove_reference_t;
namespace detail {
constexpr int64_t decimal(std::initializer_list<char> digits) {
  int64_t n = 0;
  for (char digit : digits)
    n = digit == '\'' ? n : 10 * n + (digit - '0');
  return n;
}
} // namespace detail
inline namespace literals {
/// 48_c is Int<48>{}.
template <char... Digits> constexpr auto operator""_c() {
  static_assert((((Digits >= '0' && Digits <= '9') || Digits == '\'') && ...),
                "48_c takes the digits of a decimal number");
  return Int<detail::decimal({Digits...})>();
}
} // namespace literals

/// `_`: a whole mode. `X`: a mode that a projection drops.
struct Underscore {};
inline constexpr Underscore _{};
using X = Underscore;

/// The unit vector of mode I, or of mode J of mode I, ..., as a stride. Multiples: Tuples.h.
template <int... Is> struct E {
  static constexpr int path[sizeof...(Is) + 1] = {Is..., 0};
};

/// One of threadIdx, blockIdx, blockDim and gridDim along an axis.
struct SpecialRegister {
  const char *name; // as NVVM calls it: "tid.x"
};
class ElementRef; // Tensors.h
class IntTuple;

/// A number, or a vector of numbers, on which operators work element by element.
class Num : public Value {
public:
  Num() = default;
  using Value::Value;
  /// An integer of this type, or an int if that has more bits; its operands are converted to one
  /// type as in C++. Next to a float it becomes a float.
  template <std::integral T>
  Num(T number) : Num(whole(int64_t(number), sizeof(T) < 4 ? Format::s32 : format_of<T>)) {}
  template <int64_t N> Num(Int<N>) : Num(whole(N, format_of<typename Int<N>::value_type>)) {}
  Num(bool truth, Place at = Place::current());
  /// A pointer is not a bool here, so that C's printf takes texts, and not that of kernels.
  template <class T> Num(T *, Place = Place::current()) = delete;
  /// A number of this type.
  template <FloatType T>
  Num(T number, Place at = Place::current()) : Num(real(double(number), format_of<T>, at)) {}
  Num(SpecialRegister, Place = Place::current());
  Num(const ElementRef &, Place = Place::current());
  Num(const IntTuple &leaf, Place = Place::current());

  /// Whether C++ knows the number. Such a number can be an extent, a bound of a C++ `for`, ...
  bool is_static() const;
  /// Only for a number that C++ knows. Otherwise a mistake, and the result is false or 1.
  explicit operator bool() const;
  explicit operator int64_t() const;
  explicit operator int() const { return int(int64_t(*this)); }
  /// Promises that the number is a multiple of this divisor, for copies and alignments to use.
  Num assume_divisible(int64_t, Place = Place::current()) const;

private:
  static Num whole(int64_t, Format);
  static Num real(double, Format, Place);
};

/// A tuple of numbers, of `_` and of such tuples: shape, stride, coordinate, projection.
class IntTuple : public Value {
public:
  IntTuple() = default;
  using Value::Value;
  template <std::integral T> IntTuple(T number) : IntTuple(Num(number)) {}
  template <int64_t N> IntTuple(Int<N>) : IntTuple(Num(N)) {}
  IntTuple(const Num &, Place = Place::current());
  IntTuple(Underscore);
  template <int... Is> IntTuple(E<Is...> basis, Place at = Place::current());
  IntTuple(SpecialRegister r, Place at = Place::current()) : IntTuple(Num(r, at)) {}
  IntTuple(const ElementRef &, Place = Place::current());
  static IntTuple of(std::span<const IntTuple> modes, Place = Place::current());
  static IntTuple of(std::initializer_list<IntTuple> modes, Place at = Place::current()) {
    return of(std::span(modes.begin(), modes.size()), at);
  }

  int rank() const;       // 1 for a leaf
  bool is_static() const; // whether C++ knows all leaves
  /// Only for a leaf that C++ knows.
  explicit operator int64_t() const { return int64_t(Num(*this)); }
  explicit operator int() const { return int(Num(*this)); }
  IntTuple mode(int, Place = Place::current()) const;
  /// "(128,?)".
  std::string str() const;
};

namespace detail {
template <class T> inline constexpr bool is_underscore = std::is_same_v<T, Underscore>;
} // namespace detail

namespace detail {
/// The first mode of a tuple, and the author's line that states it.
struct FirstMode {
  template <class T>
    requires std::constructible_from<IntTuple, const T &>
  FirstMode(const T &first, Place where = Place::current()) : mode(first), at(where) {}
  IntTuple mode;
  Place at;
};
} // namespace detail
/// (modes...). At least one.
template <class... Ts> IntTuple make_tuple(const detail::FirstMode &first, const Ts &...modes) {
  return IntTuple::of({first.mode, IntTuple(modes)...}, first.at);
}
template <class... Ts> IntTuple make_shape(const detail::FirstMode &first, const Ts &...modes) {
  return make_tuple(first, modes...);
}
template <class... Ts> IntTuple make_stride(const detail::FirstMode &first, const Ts &...modes) {
  return make_tuple(first, modes...);
}
template <class... Ts> IntTuple make_step(const detail::FirstMode &first, const Ts &...modes) {
  return make_tuple(first, modes...);
}
/// A coordinate with a `_` has its own type, so that `t(coord)` is known to be a tensor.
struct SliceCoord : IntTuple {
  using IntTuple::IntTuple;
  explicit SliceCoord(IntTuple t) : IntTuple(std::move(t)) {}
};
template <class... Ts> auto make_coord(const Ts &...modes) {
  if constexpr (((detail::is_underscore<Ts> || std::is_base_of_v<SliceCoord, Ts>) || ...))
    return SliceCoord(IntTuple::of({IntTuple(modes)...}));
  else
    return IntTuple::of({IntTuple(modes)...});
}

namespace detail {
template <class T>
inline constexpr bool is_slice = is_underscore<T> || std::is_base_of_v<SliceCoord, T>;
/// The first mode of a coordinate, and the author's line that states it.
struct Fixed {
  template <class T>
    requires(!is_slice<T> && std::constructible_from<IntTuple, const T &>)
  Fixed(const T &first, Place where = Place::current()) : mode(first), at(where) {}
  IntTuple mode;
  Place at;
};
struct Free {
  template <class T>
    requires is_slice<T>
  Free(const T &first, Place where = Place::current()) : mode(first), at(where) {}
  IntTuple mode;
  Place at;
};
template <class First, class... Rest> IntTuple coord(const First &first, const Rest &...rest) {
  if constexpr (sizeof...(Rest) == 0)
    return first.mode;
  else
    return make_tuple(first.mode, rest...);
}
} // namespace detail

/// Tuples given by C++ types: Shape<_128, Shape<_2, _4>>{}.
template <class... Ts> struct Shape : IntTuple {
  Shape() : IntTuple(make_tuple(Ts{}...)) {}
};
template <class... Ts> struct Stride : IntTuple {
  Stride() : IntTuple(make_tuple(Ts{}...)) {}
};
template <class... Ts> struct Step : IntTuple {
  Step() : IntTuple(make_tuple(Ts{}...)) {}
};
template <class... Ts> struct Coord : IntTuple {
  Coord() : IntTuple(make_tuple(Ts{}...)) {}
};
/// 0, 1, ... as a tuple, for for_each(make_seq<4>{}, [&](auto i) { ... }); and such sequences.
template <int... Is> struct int_sequence : IntTuple {
  int_sequence() : IntTuple(make_tuple(Int<Is>{}...)) {}
};
template <int... Is> using seq = int_sequence<Is...>;
namespace detail {
template <int from, int step, int... Is>
int_sequence<(from + step * Is)...> sequence(std::integer_sequence<int, Is...>);
} // namespace detail
template <int N>
using make_int_sequence = decltype(detail::sequence<0, 1>(std::make_integer_sequence<int, N>()));
template <int N> using make_seq = make_int_sequence<N>;
template <int N> // N - 1, ... 0
using make_rseq = decltype(detail::sequence<N - 1, -1>(std::make_integer_sequence<int, N>()));
template <int B, int E> // B, ... E - 1
using make_int_range = decltype(detail::sequence<B, 1>(std::make_integer_sequence<int, E - B>()));
template <int B, int E> using make_range = make_int_range<B, E>;

using LayoutLeft = struct GenColMajor {};
using LayoutRight = struct GenRowMajor {};

/// Mode I, mode J of that, ...
template <int I, int... Js> IntTuple get(const IntTuple &t, Place at = Place::current()) {
  if constexpr (sizeof...(Js) == 0)
    return t.mode(I, at);
  else
    return get<Js...>(t.mode(I, at), at);
}
template <int... Is> IntTuple select(const IntTuple &t, Place at = Place::current()) {
  return IntTuple::of({t.mode(Is, at)...}, at);
}
/// Modes B to E, E excluded.
template <int B, int E> IntTuple take(const IntTuple &t, Place at = Place::current()) {
  static_assert(0 <= B && B < E, "take<B, E> gives the modes B, B + 1, ... E - 1");
  std::vector<IntTuple> modes;
  for (int i = B; i < E; ++i)
    modes.push_back(t.mode(i, at));
  return IntTuple::of(modes, at);
}
/// (x, x, ... x), N times. `repeat` of one is x itself.
template <int N, class T> IntTuple tuple_repeat(const T &x, Place at = Place::current()) {
  return IntTuple::of(std::vector<IntTuple>(size_t(N), IntTuple(x)), at);
}
template <int N, class T> IntTuple repeat(const T &x, Place at = Place::current()) {
  if constexpr (N == 1)
    return IntTuple(x);
  else
    return tuple_repeat<N>(x, at);
}
inline int rank(const IntTuple &t) { return t.rank(); }
/// The product of all leaves.
Num size(const IntTuple &, Place = Place::current());
template <int I, int... Js> Num size(const IntTuple &t, Place at = Place::current()) {
  return size(get<I, Js...>(t, at), at);
}
template <int I, int... Js> int rank(const IntTuple &t) { return get<I, Js...>(t).rank(); }
Num product(const IntTuple &, Place = Place::current());
IntTuple ceil_div(const IntTuple &, const IntTuple &, Place = Place::current());
IntTuple round_up(const IntTuple &, const IntTuple &, Place = Place::current());
/// Leaf by leaf: the leaf times the size of the part of `b` in its place.
IntTuple elem_scale(const IntTuple &a, const IntTuple &b, Place = Place::current());
// For tuples that C++ knows.
IntTuple shape_div(const IntTuple &, const IntTuple &, Place = Place::current());
bool congruent(const IntTuple &, const IntTuple &, Place = Place::current());
/// Whether each coordinate of `a` is one of `b`.
bool compatible(const IntTuple &a, const IntTuple &b, Place = Place::current());
bool weakly_compatible(const IntTuple &a, const IntTuple &b, Place = Place::current());
/// The tuple itself, as `shape` of a layout is its shape.
inline IntTuple shape(const IntTuple &t, Place = Place::current()) { return t; }
/// Whether each leaf of the first is less than the corresponding leaf of the second.
Num elem_less(const IntTuple &, const IntTuple &, Place = Place::current());

/// A multiple of the unit vector of a path of modes.
IntTuple scaled_basis(const Num &n, std::span<const int> path, Place = Place::current());
template <int... Is>
IntTuple::IntTuple(E<Is...>, Place at)
    : IntTuple(scaled_basis(1, std::span(E<Is...>::path, sizeof...(Is)), at)) {}

} // namespace tessera::cute
