// Arithmetic of tiles: operators, the same operations with markers, comparisons, choices.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/tile_dsl/Tile.h"

#include <algorithm>

namespace tessera::tile {

namespace detail {

//===--- Common shapes

/// The broadcast shape of A and B: aligned at the last dimension, an extent of 1 gives way.
template <class A, class B> struct CommonShape {
  static constexpr size_t rank = size_t(A::rank > B::rank ? A::rank : B::rank);
  static constexpr bool fits = [] {
    for (int d = 1; d <= std::min<int>(A::rank, B::rank); ++d) {
      int64_t a = A::extents[size_t(A::rank - d)], b = B::extents[size_t(B::rank - d)];
      bool givesWay = a == 1 || b == 1;
      if (!givesWay && a != b)
        return false;
    }
    return true;
  }();
  static constexpr std::array<int64_t, rank> extents = [] {
    std::array<int64_t, rank> out{};
    for (size_t d = 1; d <= rank; ++d) {
      int64_t a = d <= size_t(A::rank) ? A::extents[size_t(A::rank) - d] : 1;
      int64_t b = d <= size_t(B::rank) ? B::extents[size_t(B::rank) - d] : 1;
      out[rank - d] = a > b ? a : b;
    }
    return out;
  }();
};
template <auto extents, class = std::make_index_sequence<extents.size()>> struct ShapeFrom;
template <auto extents, size_t... i> struct ShapeFrom<extents, std::index_sequence<i...>> {
  using type = Shape<int(extents[i])...>;
};
/// The shape with these extents, an array.
template <auto extents> using ShapeOfExtents = typename ShapeFrom<extents>::type;

template <class From, class To>
inline constexpr bool broadcasts =
    CommonShape<From, To>::fits && From::rank <= To::rank &&
    std::is_same_v<ShapeOfExtents<CommonShape<From, To>::extents>, To>;

inline Id reshaped(Id source, const TileType &to, const Where &where) {
  return Emit(Op::Reshape, where).out(to).in(source).done();
}

/// The tile `from` broadcast to the tile type To, which has the same elements.
template <class To, class From> Id broadcastTo(const From &from, const Where &where) {
  using S = ShapeOf<From>;
  using T = ShapeOf<To>;
  static_assert(broadcasts<S, T>,
                "a tile is repeated along dimensions where its extent is 1; its other extents must "
                "be those of the larger tile, counted from the last");
  if constexpr (std::is_same_v<S, T> || !broadcasts<S, T>)
    return from.id();
  else {
    constexpr auto aligned = [] {
      std::array<int64_t, size_t(T::rank)> out{};
      for (size_t d = 0; d < out.size(); ++d) {
        size_t missing = size_t(T::rank - S::rank);
        out[d] = d < missing ? 1 : S::extents[d - missing];
      }
      return out;
    }();
    Id id = from.id();
    if constexpr (S::rank != T::rank)
      id = reshaped(id, {To::type().element, To::type().isPointer, aligned}, where);
    if constexpr (aligned != T::extents)
      id = Emit(Op::Broadcast, where).out(To::type()).in(id).done();
    return id;
  }
}

/// The element type of two operands. Tiles must agree; a number takes that of the tile.
template <class A, class B> struct CommonElement {
  static_assert(AnyTile<A> && AnyTile<B>);
  static constexpr bool tilesAgree = std::is_same_v<ElementOf<A>, ElementOf<B>>, numberFits = true;
  using type = ElementOf<A>;
};
template <class A, class B>
  requires(!AnyTile<A>)
struct CommonElement<A, B> {
  static constexpr bool tilesAgree = true, numberFits = ConstantOf<A, ElementOf<B>>;
  using type = ElementOf<B>;
};
template <class A, class B>
  requires(!AnyTile<B>)
struct CommonElement<A, B> : CommonElement<B, A> {};

template <class T> struct ShapeOfOperand {
  using type = Shape<>;
};
template <AnyTile T> struct ShapeOfOperand<T> {
  using type = ShapeOf<T>;
};
/// The tile type that two operands are broadcast to. It exists even where they do not fit, so that
/// code that uses it compiles and the compiler prints one sentence instead of a page.
template <class A, class B> struct Common {
  using SA = typename ShapeOfOperand<A>::type;
  using SB = typename ShapeOfOperand<B>::type;
  using Element = CommonElement<A, B>;
  static constexpr bool shapesFit = CommonShape<SA, SB>::fits;
  static constexpr bool fits = shapesFit && Element::tilesAgree && Element::numberFits;
  using Shape = ShapeOfExtents<CommonShape<SA, SB>::extents>;
  using type = TileOf<typename Element::type, Shape>;
};
/// Used in the function that takes the two operands: a failed assertion within the class template
/// would leave the class without its types.
#define TESSERA_TILE_CHECK_COMMON(Common)                                                          \
  static_assert(Common::Element::tilesAgree, "the two tiles have different element types: "        \
                                             "convert one with element_cast<E>(x)");               \
  static_assert(Common::Element::numberFits,                                                       \
                "this number is not one of the tile's elements: write an integer for integers, "   \
                "and convert the tile with element_cast<f32>(x) for a fraction");                  \
  static_assert(Common::shapesFit, "the shapes of the two tiles do not go together: extents must " \
                                   "be equal or 1, counted from the last dimension")
/// Common of two operands that may both be numbers, such as two of three operands.
template <class A, class B> struct CommonOrNumber : Common<A, B> {};
template <class A, class B>
  requires(!AnyTile<A> && !AnyTile<B>)
struct CommonOrNumber<A, B> {
  struct Element {
    static constexpr bool tilesAgree = true, numberFits = true;
  };
  static constexpr bool shapesFit = true, fits = true;
  using type =
      typename std::conditional_t<std::is_integral_v<A> && std::is_integral_v<B>,
                                  std::common_type<A, B>, std::type_identity<double>>::type;
};

/// An operand as a tile of type To.
template <class To, class From> Id as(const From &from, const Where &where) {
  if constexpr (AnyTile<From>)
    return broadcastTo<To>(from, where);
  else
    return constant(To::type(), codeOf<ElementOf<To>>(from), where);
}

template <class A, class B> Where lineOf(const A &a, const B &b) {
  if constexpr (AnyTile<A>)
    return lineOf(a.id());
  else
    return lineOf(b.id());
}

//===--- Ops

template <class E>
inline constexpr auto signedness =
    isSigned<E> ? tile_bytecode::Signedness::Signed : tile_bytecode::Signedness::Unsigned;

/// Whether the rounding and flushing markers fit the op and the element type.
template <class E, class... Ms> constexpr bool roundingFits(bool hasApprox, bool hasFull) {
  constexpr RoundingMode mode = markerOr<Ms...>(RoundingMode::NearestEven);
  bool isOther = mode == RoundingMode::Approx || mode == RoundingMode::Full;
  return !isOther || (std::is_same_v<E, float> && ((mode == RoundingMode::Approx && hasApprox) ||
                                                   (mode == RoundingMode::Full && hasFull)));
}
template <class E, class... Ms>
inline constexpr bool flushFits =
    markerOr<Ms...>(FlushToZero::Disabled) == FlushToZero::Disabled || std::is_same_v<E, float>;

#define TESSERA_TILE_CHECK_FLUSH                                                                   \
  static_assert(flushFits<E, Ms...>, "ftz::Enabled is for f32: other elements keep subnormals")
#define TESSERA_TILE_CHECK_ARITHMETIC(name)                                                        \
  static_assert(Arithmetic<E>, name " is for i1, i8 to i64, f16, bf16, f32 and f64: convert "      \
                                    "other elements with element_cast<f32>(x)")

/// a op b with the markers; both are of type T. The return type is `auto`, so that the function is
/// compiled at its call and messages name the caller's line.
template <class T, Op floatOp, Op integerOp, class... Ms>
auto addLike(Id a, Id b, const Where &where) {
  using E = ElementOf<T>;
  if constexpr (BaseFloat<E>) {
    static_assert(Allowed<RoundingMode, FlushToZero>::fits<Ms...>,
                  "floating-point arithmetic takes rounding:: and ftz::");
    static_assert(
        roundingFits<E, Ms...>(floatOp == Op::DivF, floatOp == Op::DivF),
        "this rounding is not one of the op: add, sub and mul have rounding::NearestEven, "
        "Zero, NegativeInf and PositiveInf; div of f32 also Approx and Full");
    TESSERA_TILE_CHECK_FLUSH;
    return T(Emit(floatOp, where)
                 .out(T::type())
                 .unit(markerOr<Ms...>(FlushToZero::Disabled) == FlushToZero::Enabled)
                 .with(markerOr<Ms...>(RoundingMode::NearestEven))
                 .in(a)
                 .in(b)
                 .done());
  } else {
    static_assert(Allowed<IntegerOverflow>::fits<Ms...>, "integer arithmetic takes overflow::");
    return T(Emit(integerOp, where)
                 .out(T::type())
                 .with(markerOr<Ms...>(IntegerOverflow::None))
                 .in(a)
                 .in(b)
                 .done());
  }
}
template <class T, class... Ms> auto divide(Id a, Id b, const Where &where) {
  using E = ElementOf<T>;
  if constexpr (BaseFloat<E>)
    return addLike<T, Op::DivF, Op::DivI, Ms...>(a, b, where);
  else {
    static_assert(Allowed<RoundingMode>::fits<Ms...>, "integer division takes rounding::");
    constexpr RoundingMode mode = markerOr<Ms...>(RoundingMode::Zero);
    static_assert(mode == RoundingMode::Zero || mode == RoundingMode::PositiveInf ||
                      (mode == RoundingMode::NegativeInf && isSigned<E>),
                  "integer division rounds to rounding::Zero (as C++ does), PositiveInf, or for "
                  "signed elements NegativeInf");
    return T(
        Emit(Op::DivI, where).out(T::type()).with(signedness<E>).with(mode).in(a).in(b).done());
  }
}
template <class T> T remainder(Id a, Id b, const Where &where) {
  using E = ElementOf<T>;
  if constexpr (BaseFloat<E>)
    return T(Emit(Op::RemF, where).out(T::type()).in(a).in(b).done());
  else
    return T(Emit(Op::RemI, where).out(T::type()).with(signedness<E>).in(a).in(b).done());
}

/// A comparison as a tile of bool.
template <class T>
auto compare(tile_bytecode::ComparisonPredicate predicate, ComparisonOrdering order, Id a, Id b,
             const Where &where) {
  using E = ElementOf<T>;
  using Out = TileOf<bool, ShapeOf<T>>;
  if constexpr (BaseFloat<E>)
    return Out(
        Emit(Op::CmpF, where).out(Out::type()).with(predicate).with(order).in(a).in(b).done());
  else
    return Out(Emit(Op::CmpI, where)
                   .out(Out::type())
                   .with(predicate)
                   .with(signedness<E>)
                   .in(a)
                   .in(b)
                   .done());
}

/// pointer + integer, in elements.
template <class P, class I> auto offsetBy(const P &pointer, const I &index, const Where &where) {
  using Both = Common<P, TileOf<ElementOf<P>, typename ShapeOfOperand<I>::type>>;
  using S = typename Both::Shape;
  using Out = TileOf<ElementOf<P>, S>;
  TESSERA_TILE_CHECK_COMMON(Both);
  Id places;
  if constexpr (!Both::fits)
    return Out();
  else if constexpr (AnyTile<I>) {
    static_assert(Integer<ElementOf<I>>, "a pointer moves by integers, in elements");
    places = broadcastTo<TileOf<ElementOf<I>, S>>(index, where);
  } else {
    static_assert(std::is_integral_v<I>, "a pointer moves by integers, in elements");
    places = constant(TileOf<i64, S>::type(), codeOf<i64>(index), where);
  }
  return Out(Emit(Op::Offset, where)
                 .out(Out::type())
                 .in(broadcastTo<Out>(pointer, where))
                 .in(places)
                 .done());
}

constexpr tile_bytecode::ComparisonPredicate predicateOf(Operator op) {
  using P = tile_bytecode::ComparisonPredicate;
  constexpr P table[] = {P::Equal,           P::NotEqual,    P::LessThan,
                         P::LessThanOrEqual, P::GreaterThan, P::GreaterThanOrEqual};
  return table[size_t(op) - size_t(Operator::Equal)];
}

/// x op y, both of type T, whose elements have arithmetic.
template <Operator op, class T> auto applied(Id x, Id y, const Where &where) {
  using E = ElementOf<T>;
  if constexpr (op == Operator::Add)
    return addLike<T, Op::AddF, Op::AddI>(x, y, where);
  else if constexpr (op == Operator::Sub)
    return addLike<T, Op::SubF, Op::SubI>(x, y, where);
  else if constexpr (op == Operator::Mul)
    return addLike<T, Op::MulF, Op::MulI>(x, y, where);
  else if constexpr (op == Operator::Div)
    return divide<T>(x, y, where);
  else if constexpr (op == Operator::Rem)
    return remainder<T>(x, y, where);
  else if constexpr (op >= Operator::Equal)
    // With a NaN only != is true, as in C++.
    return compare<T>(predicateOf(op),
                      op == Operator::NotEqual ? ComparisonOrdering::Unordered
                                               : ComparisonOrdering::Ordered,
                      x, y, where);
  else {
    static_assert(Integer<E>, "& | ^ << >> are for integers and bool");
    if constexpr (op == Operator::ShiftLeft)
      return T(Emit(Op::ShLI, where).out(T::type()).with(IntegerOverflow::None).in(x).in(y).done());
    else if constexpr (op == Operator::ShiftRight)
      return T(Emit(Op::ShRI, where).out(T::type()).with(signedness<E>).in(x).in(y).done());
    else
      return T(Emit(op == Operator::And  ? Op::AndI
                    : op == Operator::Or ? Op::OrI
                                         : Op::XOrI,
                    where)
                   .out(T::type())
                   .in(x)
                   .in(y)
                   .done());
  }
}
template <Operator op, class A, class B> auto apply(const A &a, const B &b, const Where &where) {
  if constexpr (PointerTile<A> && (op == Operator::Add || op == Operator::Sub)) {
    if constexpr (op == Operator::Add)
      return offsetBy(a, b, where);
    else
      return offsetBy(a, -b, where);
  } else if constexpr (PointerTile<B> && op == Operator::Add) {
    return offsetBy(b, a, where);
  } else {
    using Both = Common<A, B>;
    using T = typename Both::type;
    using E = ElementOf<T>;
    TESSERA_TILE_CHECK_COMMON(Both);
    static_assert(Arithmetic<E>, "operators are for i1, i8 to i64, f16, bf16, f32 and f64: convert "
                                 "other elements with element_cast<f32>(x); pointers only move by "
                                 "integers");
    if constexpr (!Both::fits || !Arithmetic<E>)
      return std::conditional_t<(op >= Operator::Equal), TileOf<bool, ShapeOf<T>>, T>();
    else
      return applied<op, T>(as<T>(a, where), as<T>(b, where), where);
  }
}
template <class T> T negated(const T &a, const Where &where) {
  using E = ElementOf<T>;
  static_assert(Arithmetic<E>, "- is for numbers that have arithmetic");
  if constexpr (BaseFloat<E>)
    return T(Emit(Op::NegF, where).out(T::type()).in(a.id()).done());
  else
    return T(Emit(Op::NegI, where).out(T::type()).with(IntegerOverflow::None).in(a.id()).done());
}
template <class T> T inverted(const T &a, const Where &where) {
  using E = ElementOf<T>;
  static_assert(Integer<E>, "~ and ! are for integers and bool");
  Id ones = constant(T::type(), codeOf<E>(std::is_same_v<E, bool> ? 1 : -1), where);
  return T(Emit(Op::XOrI, where).out(T::type()).in(a.id()).in(ones).done());
}

} // namespace detail

//===--- Arithmetic with markers

/// add, sub, mul and div: the operators with markers. Floating-point elements take rounding:: and
/// ftz::, integers overflow:: (div: rounding::).
#define TESSERA_TILE_BINARY(name, call)                                                            \
  template <Operand A, Operand B, class M = detail::NoMarker, class N = detail::NoMarker>          \
    requires(AnyTile<A> || AnyTile<B>)                                                             \
  auto name(const A &a, const B &b, M = {}, N = {},                                                \
            detail::Where where = detail::Where::current()) {                                      \
    using Both = detail::Common<A, B>;                                                             \
    using T = typename Both::type;                                                                 \
    using E = detail::ElementOf<T>;                                                                \
    TESSERA_TILE_CHECK_COMMON(Both);                                                               \
    TESSERA_TILE_CHECK_ARITHMETIC(#name);                                                          \
    if constexpr (Both::fits && Arithmetic<E>)                                                     \
      return detail::call(detail::as<T>(a, where), detail::as<T>(b, where), where);                \
    else                                                                                           \
      return T();                                                                                  \
  }
#define TESSERA_TILE_ARGUMENTS(floatOp, integerOp)                                                 \
  addLike<T, detail::Op::floatOp, detail::Op::integerOp, M, N>
TESSERA_TILE_BINARY(add, TESSERA_TILE_ARGUMENTS(AddF, AddI))
TESSERA_TILE_BINARY(sub, TESSERA_TILE_ARGUMENTS(SubF, SubI))
TESSERA_TILE_BINARY(mul, TESSERA_TILE_ARGUMENTS(MulF, MulI))
#define TESSERA_TILE_DIVIDE divide<T, M, N>
TESSERA_TILE_BINARY(div, TESSERA_TILE_DIVIDE)
#define TESSERA_TILE_REMAINDER remainder<T>
TESSERA_TILE_BINARY(rem, TESSERA_TILE_REMAINDER)
#undef TESSERA_TILE_DIVIDE
#undef TESSERA_TILE_REMAINDER
#undef TESSERA_TILE_ARGUMENTS
#undef TESSERA_TILE_BINARY

/// a / b rounded up, of integers. For scalars the trace records that the result counts tiles.
template <Operand A, Operand B>
  requires(AnyTile<A> || AnyTile<B>)
auto ceil_div(const A &a, const B &b, detail::Where where = detail::Where::current()) {
  using Both = detail::Common<A, B>;
  using T = typename Both::type;
  constexpr bool isInteger = Integer<detail::ElementOf<T>>;
  TESSERA_TILE_CHECK_COMMON(Both);
  static_assert(isInteger, "ceil_div is for integers; use ceil(a / b)");
  if constexpr (Both::fits && isInteger) {
    T out = detail::divide<T, Marker<RoundingMode::PositiveInf>>(detail::as<T>(a, where),
                                                                 detail::as<T>(b, where), where);
    if constexpr (Scalar<T> && !AnyTile<B> && AnyTile<A>)
      detail::noteCeilDiv(out.id(), a.id(), int64_t(b));
    return out;
  } else
    return T();
}
constexpr int ceil_div(int a, int b) { return (a + b - 1) / b; }

/// a * b + c, rounded once.
template <Operand A, Operand B, Operand C, class M = detail::NoMarker, class N = detail::NoMarker>
  requires(AnyTile<A> || AnyTile<B> || AnyTile<C>)
auto fma(const A &a, const B &b, const C &c, M = {}, N = {},
         detail::Where where = detail::Where::current()) {
  using Factors = detail::CommonOrNumber<A, B>;
  using All = detail::CommonOrNumber<typename Factors::type, C>;
  using T = typename All::type;
  using E = detail::ElementOf<T>;
  TESSERA_TILE_CHECK_COMMON(Factors);
  TESSERA_TILE_CHECK_COMMON(All);
  static_assert(BaseFloat<E>, "fma is for f16, bf16, f32 and f64: convert with "
                              "element_cast<f32>(x)");
  static_assert(detail::Allowed<RoundingMode, FlushToZero>::template fits<M, N>,
                "fma takes rounding:: and ftz::");
  static_assert(detail::roundingFits<E, M, N>(false, false),
                "fma has rounding::NearestEven, Zero, NegativeInf and PositiveInf");
  static_assert(detail::flushFits<E, M, N>, "ftz::Enabled is for f32");
  if constexpr (Factors::fits && All::fits && BaseFloat<E>)
    return T(detail::Emit(detail::Op::Fma, where)
                 .out(T::type())
                 .unit(detail::markerOr<M, N>(FlushToZero::Disabled) == FlushToZero::Enabled)
                 .with(detail::markerOr<M, N>(RoundingMode::NearestEven))
                 .in(detail::as<T>(a, where))
                 .in(detail::as<T>(b, where))
                 .in(detail::as<T>(c, where))
                 .done());
  else
    return T();
}

/// The larger and the smaller of two elements. If one floating-point element is a NaN the result is
/// the other one; with nan::Propagated it is a NaN.
#define TESSERA_TILE_CHOICE(name, floatOp, integerOp)                                              \
  template <Operand A, Operand B, class M = detail::NoMarker, class N = detail::NoMarker>          \
    requires(AnyTile<A> || AnyTile<B>)                                                             \
  auto name(const A &a, const B &b, M = {}, N = {},                                                \
            detail::Where where = detail::Where::current()) {                                      \
    using Both = detail::Common<A, B>;                                                             \
    using T = typename Both::type;                                                                 \
    using E = detail::ElementOf<T>;                                                                \
    TESSERA_TILE_CHECK_COMMON(Both);                                                               \
    TESSERA_TILE_CHECK_ARITHMETIC(#name);                                                          \
    if constexpr (!Both::fits || !Arithmetic<E>)                                                   \
      return T();                                                                                  \
    else if constexpr (BaseFloat<E>) {                                                             \
      static_assert(detail::Allowed<PropagateNan, FlushToZero>::template fits<M, N>,               \
                    #name " takes nan:: and ftz::");                                               \
      static_assert(detail::flushFits<E, M, N>, "ftz::Enabled is for f32");                        \
      return T(detail::Emit(detail::Op::floatOp, where)                                            \
                   .out(T::type())                                                                 \
                   .unit(detail::markerOr<M, N>(PropagateNan::Disabled) == PropagateNan::Enabled)  \
                   .unit(detail::markerOr<M, N>(FlushToZero::Disabled) == FlushToZero::Enabled)    \
                   .in(detail::as<T>(a, where))                                                    \
                   .in(detail::as<T>(b, where))                                                    \
                   .done());                                                                       \
    } else {                                                                                       \
      return T(detail::Emit(detail::Op::integerOp, where)                                          \
                   .out(T::type())                                                                 \
                   .with(detail::signedness<E>)                                                    \
                   .in(detail::as<T>(a, where))                                                    \
                   .in(detail::as<T>(b, where))                                                    \
                   .done());                                                                       \
    }                                                                                              \
  }
TESSERA_TILE_CHOICE(max, MaxF, MaxI)
TESSERA_TILE_CHOICE(min, MinF, MinI)
#undef TESSERA_TILE_CHOICE

/// The high half of the unsigned product of integers.
template <Operand A, Operand B>
  requires(AnyTile<A> || AnyTile<B>)
auto mulhi(const A &a, const B &b, detail::Where where = detail::Where::current()) {
  using Both = detail::Common<A, B>;
  using T = typename Both::type;
  constexpr bool isInteger = Integer<detail::ElementOf<T>>;
  TESSERA_TILE_CHECK_COMMON(Both);
  static_assert(isInteger, "mulhi is for integers");
  if constexpr (Both::fits && isInteger)
    return T(detail::Emit(detail::Op::MulhiI, where)
                 .out(T::type())
                 .in(detail::as<T>(a, where))
                 .in(detail::as<T>(b, where))
                 .done());
  else
    return T();
}

template <ArithmeticTile T> T abs(const T &a, detail::Where where = detail::Where::current()) {
  constexpr auto op = BaseFloat<detail::ElementOf<T>> ? detail::Op::AbsF : detail::Op::AbsI;
  return T(detail::Emit(op, where).out(T::type()).in(a.id()).done());
}
/// -a. For integers, overflow::NoSignedWrap promises that the result does not overflow.
template <ArithmeticTile T, class M = detail::NoMarker>
T neg(const T &a, M = {}, detail::Where where = detail::Where::current()) {
  if constexpr (BaseFloat<detail::ElementOf<T>>)
    return detail::negated(a, where);
  else {
    static_assert(detail::Allowed<IntegerOverflow>::template fits<M>, "neg takes overflow::");
    constexpr auto promise = detail::markerOr<M>(IntegerOverflow::None);
    static_assert(promise == IntegerOverflow::None || promise == IntegerOverflow::NoSignedWrap,
                  "neg takes overflow::None and overflow::NoSignedWrap");
    return T(detail::Emit(detail::Op::NegI, where).out(T::type()).with(promise).in(a.id()).done());
  }
}

/// The comparison that a marker names: cmp(a, b, predicate::LessThan, cmp_ordering::Unordered).
template <Operand A, Operand B, class P, class M = Marker<ComparisonOrdering::Ordered>>
  requires(AnyTile<A> || AnyTile<B>)
auto cmp(const A &a, const B &b, P, M = {}, detail::Where where = detail::Where::current()) {
  using Both = detail::Common<A, B>;
  using T = typename Both::type;
  using E = detail::ElementOf<T>;
  TESSERA_TILE_CHECK_COMMON(Both);
  TESSERA_TILE_CHECK_ARITHMETIC("cmp");
  constexpr bool fits =
      detail::says<ComparisonPredicate, P> && detail::Allowed<ComparisonOrdering>::template fits<M>;
  static_assert(fits, "cmp takes a predicate::, then a cmp_ordering::");
  if constexpr (fits && Both::fits && Arithmetic<E>)
    return detail::compare<T>(P::value, M::value, detail::as<T>(a, where), detail::as<T>(b, where),
                              where);
  else
    return detail::TileOf<bool, detail::ShapeOf<T>>();
}

/// A comparison whose marker sets the result for a NaN: cmp_ordering::Ordered: false, Unordered:
/// true.
#define TESSERA_TILE_COMPARISON(name, predicate)                                                   \
  template <Operand A, Operand B, class M = Marker<ComparisonOrdering::Ordered>>                   \
    requires(AnyTile<A> || AnyTile<B>)                                                             \
  auto name(const A &a, const B &b, M = {}, detail::Where where = detail::Where::current()) {      \
    using Both = detail::Common<A, B>;                                                             \
    using T = typename Both::type;                                                                 \
    using E = detail::ElementOf<T>;                                                                \
    TESSERA_TILE_CHECK_COMMON(Both);                                                               \
    TESSERA_TILE_CHECK_ARITHMETIC(#name);                                                          \
    static_assert(detail::Allowed<ComparisonOrdering>::template fits<M>,                           \
                  #name " takes cmp_ordering::");                                                  \
    if constexpr (Both::fits && Arithmetic<E>)                                                     \
      return detail::compare<T>(tile_bytecode::ComparisonPredicate::predicate, M::value,           \
                                detail::as<T>(a, where), detail::as<T>(b, where), where);          \
    else                                                                                           \
      return detail::TileOf<bool, detail::ShapeOf<T>>();                                           \
  }
TESSERA_TILE_COMPARISON(eq, Equal)
TESSERA_TILE_COMPARISON(ne, NotEqual)
TESSERA_TILE_COMPARISON(lt, LessThan)
TESSERA_TILE_COMPARISON(le, LessThanOrEqual)
TESSERA_TILE_COMPARISON(gt, GreaterThan)
TESSERA_TILE_COMPARISON(ge, GreaterThanOrEqual)
#undef TESSERA_TILE_COMPARISON

/// condition ? a : b, element by element.
template <BoolTile C, Operand A, Operand B>
  requires(AnyTile<A> || AnyTile<B>)
auto select(const C &condition, const A &a, const B &b,
            detail::Where where = detail::Where::current()) {
  using Values = detail::Common<A, B>;
  using V = typename Values::type;
  using All = detail::Common<V, detail::TileOf<detail::ElementOf<V>, detail::ShapeOf<C>>>;
  using T = typename All::type;
  TESSERA_TILE_CHECK_COMMON(Values);
  TESSERA_TILE_CHECK_COMMON(All);
  if constexpr (Values::fits && All::fits)
    return T(
        detail::Emit(detail::Op::Select, where)
            .out(T::type())
            .in(detail::broadcastTo<detail::TileOf<bool, detail::ShapeOf<T>>>(condition, where))
            .in(detail::as<T>(a, where))
            .in(detail::as<T>(b, where))
            .done());
  else
    return T();
}

} // namespace tessera::tile
