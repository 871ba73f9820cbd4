// Functions of floating-point tiles, from sine to power, with rounding and flushing.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/tile_dsl/Arithmetic.h"

namespace tessera::tile {

#define TESSERA_TILE_FUNCTION(name, op)                                                            \
  template <AnyTile T> T name(const T &a, detail::Where where = detail::Where::current()) {        \
    static_assert(FloatTile<T>, #name " is for f16, bf16, f32 and f64: convert with "              \
                                      "element_cast<f32>(x)");                                     \
    return T(detail::Emit(detail::Op::op, where).out(T::type()).in(a.id()).done());                \
  }
TESSERA_TILE_FUNCTION(sin, Sin)
TESSERA_TILE_FUNCTION(cos, Cos)
TESSERA_TILE_FUNCTION(tan, Tan)
TESSERA_TILE_FUNCTION(sinh, SinH)
TESSERA_TILE_FUNCTION(cosh, CosH)
TESSERA_TILE_FUNCTION(log, Log)
TESSERA_TILE_FUNCTION(log2, Log2)
TESSERA_TILE_FUNCTION(ceil, Ceil)
TESSERA_TILE_FUNCTION(floor, Floor)
#undef TESSERA_TILE_FUNCTION

/// Marker: ftz::.
#define TESSERA_TILE_FUNCTION(name, op)                                                            \
  template <AnyTile T, class M = detail::NoMarker>                                                 \
  T name(const T &a, M = {}, detail::Where where = detail::Where::current()) {                     \
    static_assert(FloatTile<T>, #name " is for f16, bf16, f32 and f64: convert with "              \
                                      "element_cast<f32>(x)");                                     \
    static_assert(detail::Allowed<FlushToZero>::template fits<M>, #name " takes ftz::");           \
    static_assert(detail::flushFits<detail::ElementOf<T>, M>, "ftz::Enabled is for f32");          \
    return T(detail::Emit(detail::Op::op, where)                                                   \
                 .out(T::type())                                                                   \
                 .unit(detail::markerOr<M>(FlushToZero::Disabled) == FlushToZero::Enabled)         \
                 .in(a.id())                                                                       \
                 .done());                                                                         \
  }
TESSERA_TILE_FUNCTION(rsqrt, Rsqrt)
TESSERA_TILE_FUNCTION(exp2, Exp2)
#undef TESSERA_TILE_FUNCTION

/// Marker: rounding::Full, the default, or for f32 rounding::Approx.
#define TESSERA_TILE_FUNCTION(name, op)                                                            \
  template <AnyTile T, class M = detail::NoMarker>                                                 \
  T name(const T &a, M = {}, detail::Where where = detail::Where::current()) {                     \
    static_assert(FloatTile<T>, #name " is for f16, bf16, f32 and f64: convert with "              \
                                      "element_cast<f32>(x)");                                     \
    constexpr RoundingMode mode = detail::markerOr<M>(RoundingMode::Full);                         \
    static_assert(                                                                                 \
        detail::Allowed<RoundingMode>::template fits<M> &&                                         \
            (mode == RoundingMode::Full ||                                                         \
             (mode == RoundingMode::Approx && std::is_same_v<detail::ElementOf<T>, float>)),       \
        #name " takes rounding::Full, and for f32 rounding::Approx");                              \
    return T(detail::Emit(detail::Op::op, where).out(T::type()).with(mode).in(a.id()).done());     \
  }
TESSERA_TILE_FUNCTION(exp, Exp)
TESSERA_TILE_FUNCTION(tanh, TanH)
#undef TESSERA_TILE_FUNCTION

/// Markers: rounding:: (for f32 also Approx) and ftz::.
template <AnyTile T, class M = detail::NoMarker, class N = detail::NoMarker>
T sqrt(const T &a, M = {}, N = {}, detail::Where where = detail::Where::current()) {
  static_assert(FloatTile<T>, "sqrt is for f16, bf16, f32 and f64: convert with "
                              "element_cast<f32>(x)");
  using E = detail::ElementOf<T>;
  static_assert(detail::Allowed<RoundingMode, FlushToZero>::template fits<M, N>,
                "sqrt takes rounding:: and ftz::");
  static_assert(detail::roundingFits<E, M, N>(true, false),
                "sqrt has rounding::NearestEven, Zero, NegativeInf and PositiveInf, and for f32 "
                "Approx");
  static_assert(detail::flushFits<E, M, N>, "ftz::Enabled is for f32");
  return T(detail::Emit(detail::Op::Sqrt, where)
               .out(T::type())
               .unit(detail::markerOr<M, N>(FlushToZero::Disabled) == FlushToZero::Enabled)
               .with(detail::markerOr<M, N>(RoundingMode::NearestEven))
               .in(a.id())
               .done());
}

namespace detail {
/// A function of two operands that broadcast to one floating-point tile.
template <Op op, class A, class B> auto ofTwo(const A &a, const B &b, const Where &where) {
  using Both = Common<A, B>;
  using T = typename Both::type;
  constexpr bool isFloat = BaseFloat<ElementOf<T>>;
  TESSERA_TILE_CHECK_COMMON(Both);
  static_assert(isFloat, "pow and atan2 are for f16, bf16, f32 and f64: convert with "
                         "element_cast<f32>(x)");
  if constexpr (Both::fits && isFloat)
    return T(Emit(op, where).out(T::type()).in(as<T>(a, where)).in(as<T>(b, where)).done());
  else
    return T();
}
} // namespace detail

/// a to the power of b: two floating-point numbers, or an integer b.
template <Operand A, Operand B>
  requires(AnyTile<A> || AnyTile<B>)
auto pow(const A &a, const B &b, detail::Where where = detail::Where::current()) {
  if constexpr (FloatTile<A> && IntegerTile<B>) {
    using Exponent = detail::TileOf<detail::ElementOf<B>, detail::ShapeOf<A>>;
    return A(detail::Emit(detail::Op::FPowI, where)
                 .out(A::type())
                 .in(a.id())
                 .in(detail::broadcastTo<Exponent>(b, where))
                 .done());
  } else
    return detail::ofTwo<detail::Op::FPowF>(a, b, where);
}
/// The angle of the point (x, y). As in C++, the first argument is y.
template <Operand A, Operand B>
  requires(AnyTile<A> || AnyTile<B>)
auto atan2(const A &y, const B &x, detail::Where where = detail::Where::current()) {
  return detail::ofTwo<detail::Op::Atan2>(y, x, where);
}

} // namespace tessera::tile
