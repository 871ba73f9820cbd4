// Tile: a value of a kernel: an array of numbers or pointers with static extents.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tile<f32, 128, 64> has 128 x 64 elements; Tile<i32> is a scalar; Tile<f32 *, 128> holds pointers.
// Extents are powers of two. Where a tile is expected, a number of the host becomes a constant.
// Tiles are broadcast along dimensions of extent 1 and missing leading dimensions.
#pragma once

#include "tessera/tile_dsl/Core.h"

#include <bit>
#include <tuple>

namespace tessera::tile {

/// Extents of a tile as a type.
template <int... D> struct Shape {
  static constexpr int rank = sizeof...(D);
  static constexpr std::array<int64_t, sizeof...(D)> extents{D...};
  static constexpr int64_t size = (int64_t(D) * ... * 1);
};

template <TileElement E, int... D> class Tile;

namespace detail {
template <class T> inline constexpr bool never = false;

template <class T> struct TileTraits {
  static constexpr bool isTile = false;
};
template <class E, int... D> struct TileTraits<Tile<E, D...>> {
  static constexpr bool isTile = true;
  using Element = E;
  using Shape = tile::Shape<D...>;
};
template <class T> using ElementOf = typename TileTraits<T>::Element;
template <class T> using ShapeOf = typename TileTraits<T>::Shape;

template <class E> constexpr TypeKind pointeeOrKind() {
  if constexpr (Pointer<E>)
    return kindOf<std::remove_cv_t<std::remove_pointer_t<E>>>;
  else
    return kindOf<E>;
}
/// The type of a tile with this shape.
template <class E, class S> TileType tileType() {
  return {pointeeOrKind<E>(), Pointer<E>, S::extents};
}

constexpr bool arePowersOfTwo(std::span<const int64_t> extents) {
  for (int64_t n : extents)
    if (n < 1 || (n & (n - 1)))
      return false;
  return true;
}

template <class E, class S> struct MakeTile;
template <class E, int... D> struct MakeTile<E, Shape<D...>> {
  using type = Tile<E, D...>;
};
/// Tile<E, D...> for the shape Shape<D...>.
template <class E, class S> using TileOf = typename MakeTile<E, S>::type;

/// The bits of an element with this value.
template <Element E, class V> uint64_t codeOf(V value) {
  if constexpr (std::is_same_v<E, double>)
    return std::bit_cast<uint64_t>(double(value));
  else if constexpr (std::is_same_v<E, float>)
    return std::bit_cast<uint32_t>(float(value));
  else if constexpr (AnyFloat<E>)
    return E(double(value)).bits;
  else if constexpr (std::is_same_v<E, bool>)
    return value ? 1 : 0;
  else if constexpr (std::is_same_v<E, i4>)
    return uint64_t(value) & 15;
  else
    return uint64_t(std::make_unsigned_t<E>(E(value)));
}

/// A number of the host: of a type of C++, or of f16, bf16 and the like.
template <class V>
concept HostNumber = std::is_arithmetic_v<V> || AnyFloat<V>;
/// One that may stand for a tile of E.
template <class V, class E>
concept ConstantOf = HostNumber<V> && Element<E> &&
                     (AnyFloat<E> || std::is_same_v<V, bool> == std::is_same_v<E, bool>) &&
                     (AnyFloat<E> || std::is_integral_v<V>);
} // namespace detail

/// Any tile; a tile of a given shape or element type.
template <class T>
concept AnyTile = detail::TileTraits<T>::isTile;
template <class T>
concept Scalar = AnyTile<T> && detail::TileTraits<T>::Shape::rank == 0;
template <class T>
concept PointerTile = AnyTile<T> && Pointer<typename detail::TileTraits<T>::Element>;
template <class T>
concept IntegerTile = AnyTile<T> && Integer<typename detail::TileTraits<T>::Element>;
template <class T>
concept FloatTile = AnyTile<T> && BaseFloat<typename detail::TileTraits<T>::Element>;
template <class T>
concept ArithmeticTile = AnyTile<T> && Arithmetic<typename detail::TileTraits<T>::Element>;
template <class T>
concept BoolTile = AnyTile<T> && std::is_same_v<typename detail::TileTraits<T>::Element, bool>;
/// A tile or a number of the host.
template <class T>
concept Operand = AnyTile<T> || detail::HostNumber<T>;

namespace detail {
/// A tile, and the author's line that uses it.
template <class T> struct Located {
  Located(const T &value, Where at = Where::current()) : tile(value), where(at) {}
  const T &tile;
  Where where;
};
template <class T> struct LocatedVariable {
  LocatedVariable(T &variable, Where at = Where::current()) : tile(variable), where(at) {}
  T &tile;
  Where where;
};
enum class Operator : uint8_t {
  Add,
  Sub,
  Mul,
  Div,
  Rem,
  And,
  Or,
  Xor,
  ShiftLeft,
  ShiftRight,
  Equal,
  NotEqual,
  Less,
  LessOrEqual,
  Greater,
  GreaterOrEqual
};
template <Operator op, class A, class B> auto apply(const A &a, const B &b, const Where &where);
template <class A, class B> Where lineOf(const A &a, const B &b);
template <class T> T negated(const T &a, const Where &where);
template <class T> T inverted(const T &a, const Where &where);
template <class To, class From> Id broadcastTo(const From &from, const Where &where);
} // namespace detail

template <TileElement E, int... D> class Tile {
  // Not in the class: a failed assertion would leave it without constructors, and the compiler
  // would print many more messages.
  static void checkExtents() {
    static_assert(detail::arePowersOfTwo(Shape<D...>::extents),
                  "a tile's extents are powers of two; pad the tile to the next one");
    static_assert(Shape<D...>::size <= (1 << 24), "a tile has at most 16777216 elements");
  }

public:
  using element_type = E;
  using shape_type = Shape<D...>;
  static constexpr int rank() { return sizeof...(D); }
  static constexpr int extent(int dim) { return int(shape_type::extents[size_t(dim)]); }

  /// The tile has no value until one is assigned.
  Tile() = default;
  /// A value of the trace, for functions that emit ops.
  explicit Tile(detail::Id id) : id_(id) { checkExtents(); }

  /// All elements are this number.
  template <class V>
    requires detail::ConstantOf<V, E>
  Tile(V value, detail::Where where = detail::Where::current())
      : id_(detail::constant(type(), detail::codeOf<E>(value), where)) {}
  /// Broadcasts a tile with extents of 1 or fewer dimensions.
  template <int... F>
    requires(!std::is_same_v<Shape<F...>, Shape<D...>> && sizeof...(F) <= sizeof...(D) &&
             Shape<F...>::size <= Shape<D...>::size)
  Tile(const Tile<E, F...> &other, detail::Where where = detail::Where::current())
      : id_(detail::broadcastTo<Tile>(other, where)) {}

  detail::Id id() const { return id_; }
  static detail::TileType type() {
    checkExtents();
    return detail::tileType<E, shape_type>();
  }

  /// An error for `if (tile)`, which a trace cannot follow.
  template <class Bool = bool> explicit operator bool() const {
    static_assert(detail::never<Bool>,
                  "this condition is known only on the device: write If(condition, then, "
                  "otherwise), While or select in place of if, while and ?:");
    return false;
  }

#define TESSERA_TILE_OPERATOR(symbol, name)                                                        \
  template <Operand B> friend auto operator symbol(detail::Located<Tile> a, const B &b) {          \
    return detail::apply<detail::Operator::name>(a.tile, b, a.where);                              \
  }                                                                                                \
  template <class A>                                                                               \
    requires detail::HostNumber<A>                                                                 \
  friend auto operator symbol(const A &a, detail::Located<Tile> b) {                               \
    return detail::apply<detail::Operator::name>(a, b.tile, b.where);                              \
  }
  TESSERA_TILE_OPERATOR(+, Add)
  TESSERA_TILE_OPERATOR(-, Sub)
  TESSERA_TILE_OPERATOR(*, Mul)
  TESSERA_TILE_OPERATOR(/, Div)
  TESSERA_TILE_OPERATOR(%, Rem)
  TESSERA_TILE_OPERATOR(&, And)
  TESSERA_TILE_OPERATOR(|, Or)
  TESSERA_TILE_OPERATOR(^, Xor)
  TESSERA_TILE_OPERATOR(<<, ShiftLeft)
  TESSERA_TILE_OPERATOR(>>, ShiftRight)
  TESSERA_TILE_OPERATOR(<, Less)
  TESSERA_TILE_OPERATOR(<=, LessOrEqual)
  TESSERA_TILE_OPERATOR(>, Greater)
  TESSERA_TILE_OPERATOR(>=, GreaterOrEqual)
#undef TESSERA_TILE_OPERATOR

#define TESSERA_TILE_ASSIGNMENT(symbol, name)                                                      \
  template <Operand B> friend Tile &operator symbol(detail::LocatedVariable<Tile> a, const B &b) { \
    return a.tile = detail::apply<detail::Operator::name>(a.tile, b, a.where);                     \
  }
  TESSERA_TILE_ASSIGNMENT(+=, Add)
  TESSERA_TILE_ASSIGNMENT(-=, Sub)
  TESSERA_TILE_ASSIGNMENT(*=, Mul)
  TESSERA_TILE_ASSIGNMENT(/=, Div)
  TESSERA_TILE_ASSIGNMENT(%=, Rem)
  TESSERA_TILE_ASSIGNMENT(&=, And)
  TESSERA_TILE_ASSIGNMENT(|=, Or)
  TESSERA_TILE_ASSIGNMENT(^=, Xor)
  TESSERA_TILE_ASSIGNMENT(<<=, ShiftLeft)
  TESSERA_TILE_ASSIGNMENT(>>=, ShiftRight)
#undef TESSERA_TILE_ASSIGNMENT

  friend Tile operator-(detail::Located<Tile> a) { return detail::negated(a.tile, a.where); }
  friend Tile operator~(detail::Located<Tile> a) { return detail::inverted(a.tile, a.where); }
  // A member, because a conversion to Located would rank like one to bool. Its line is therefore
  // that of the operand.
  Tile operator!() const { return detail::inverted(*this, detail::lineOf(id_)); }

private:
  detail::Id id_;
};

// Not in the class: C++20 also tries == with its operands exchanged, and with a conversion of
// either operand both candidates would be equal. Its line is that of the left operand.
template <Operand A, Operand B>
  requires(AnyTile<A> || AnyTile<B>)
auto operator==(const A &a, const B &b) {
  return detail::apply<detail::Operator::Equal>(a, b, detail::lineOf(a, b));
}
template <Operand A, Operand B>
  requires(AnyTile<A> || AnyTile<B>)
auto operator!=(const A &a, const B &b) {
  return detail::apply<detail::Operator::NotEqual>(a, b, detail::lineOf(a, b));
}

// Refused with a message: C++'s && and || evaluate the right side only if they have to, which a
// trace cannot do.
#define TESSERA_TILE_SHORTCUT(symbol, instead)                                                     \
  template <class A, class B>                                                                      \
    requires(AnyTile<A> || AnyTile<B>)                                                             \
  auto operator symbol(const A &a, const B &b) {                                                   \
    static_assert(detail::never<A>, "write " #instead " in place of " #symbol                      \
                                    ": both sides are computed on the device");                    \
    if constexpr (AnyTile<A>)                                                                      \
      return a;                                                                                    \
    else                                                                                           \
      return b;                                                                                    \
  }
TESSERA_TILE_SHORTCUT(&&, &)
TESSERA_TILE_SHORTCUT(||, |)
#undef TESSERA_TILE_SHORTCUT

/// A scalar that counts: tile indices, extents, coordinates.
using Index = Tile<i32>;

/// The tile type that template arguments name: full<f32, 8>(0) and full<Tile<f32, 8>>(0).
namespace detail {
template <class E, int... D> struct NamedTile {
  using type = Tile<E, D...>;
};
template <AnyTile T> struct NamedTile<T> {
  using type = T;
};
template <class E, int... D> using Named = typename NamedTile<E, D...>::type;
} // namespace detail

} // namespace tessera::tile
