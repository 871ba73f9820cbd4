// Memory through pointers: loads, stores, atomics, tokens, and assumptions about numbers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accesses that may touch the same array keep the order in which they are written: each set of
// arrays that may overlap has its own tokens, which the author need not name.
#pragma once

#include "tessera/tile_dsl/Reductions.h"

namespace tessera::tile {

/// Orders accesses to memory. Accesses of one alias set are ordered without naming tokens. A token
/// that was read stands for what it comes after: until an op takes it, nothing is emitted.
class Token {
public:
  Token() = default; // comes after nothing
  explicit Token(detail::Id id) : after_{id} {}
  explicit Token(std::vector<detail::Id> after) : after_(std::move(after)) {}
  /// As an operand: what it comes after is joined here.
  detail::Id id(detail::Where where = detail::Where::current()) const {
    return detail::joinedToken(after_, where);
  }
  const std::vector<detail::Id> &after() const { return after_; }

private:
  std::vector<detail::Id> after_;
};
inline Token make_token(detail::Where where = detail::Where::current()) {
  return Token(detail::newToken(where));
}
/// A token that comes after all of two or more tokens.
inline Token join_tokens(std::initializer_list<Token> tokens,
                         detail::Where where = detail::Where::current()) {
  std::vector<detail::Id> ids;
  for (const Token &token : tokens)
    ids.push_back(token.id(where));
  return Token(detail::Emit(detail::Op::JoinTokens, where).out(detail::tokenType()).in(ids).done());
}

/// A token that also orders accesses through views and pointers which the compiler takes for
/// different memory. Needs bytecode 13.4.
inline Token memory_fence_alias(const Token &token,
                                detail::Where where = detail::Where::current()) {
  return Token(detail::Emit(detail::Op::MemoryFenceAliasTko, where)
                   .out(detail::tokenType())
                   .in(token.id(where))
                   .done());
}

//===--- The grid

struct BlockIndex {
  Index x, y, z;
};
/// Coordinates of this tile block: bid().x, or auto [i, j, k] = bid().
inline BlockIndex bid() {
  return {Index(detail::blockId(0)), Index(detail::blockId(1)), Index(detail::blockId(2))};
}
/// The extents of the grid.
inline BlockIndex num_blocks() {
  return {Index(detail::blockCount(0)), Index(detail::blockCount(1)), Index(detail::blockCount(2))};
}

namespace detail {
/// The marker kinds of an access, and whether they fit together: a scope if and only if not weak.
using AccessMarkers = Allowed<MemoryOrderingSemantics, MemoryScope>;
template <class... Ms>
inline constexpr MemoryOrderingSemantics orderOf = markerOr<Ms...>(MemoryOrderingSemantics::Weak);

/// Adds order, scope and hints of a load or store.
template <class... Ms> Emit &orderAndHints(Emit &emit, const Ms &...ms) {
  emit.with(orderOf<Ms...>);
  if constexpr (orderOf<Ms...> == MemoryOrderingSemantics::Weak)
    emit.without();
  else
    emit.with(markerOr<Ms...>(MemoryScope::Device));
  return emit.hints(hintOf(ms...));
}
/// The same of a view, whose tiles TMA may move.
using ViewMarkers = Allowed<MemoryOrderingSemantics, MemoryScope, TensorMemoryAccess>;
template <class Kinds, class... Ms>
inline constexpr bool loads =
    Kinds::template fitsWithHint<Ms...> && (orderOf<Ms...> == MemoryOrderingSemantics::Weak ||
                                            orderOf<Ms...> == MemoryOrderingSemantics::Relaxed ||
                                            orderOf<Ms...> == MemoryOrderingSemantics::Acquire);
template <class Kinds, class... Ms>
inline constexpr bool stores =
    Kinds::template fitsWithHint<Ms...> && (orderOf<Ms...> == MemoryOrderingSemantics::Weak ||
                                            orderOf<Ms...> == MemoryOrderingSemantics::Relaxed ||
                                            orderOf<Ms...> == MemoryOrderingSemantics::Release);
template <class P> using Pointee = std::remove_cv_t<std::remove_pointer_t<ElementOf<P>>>;

template <class P, class... Ms>
auto loadFrom(const P &pointers, Id mask, Id pad, const Where &where, const Ms &...ms) {
  static_assert(PointerTile<P>, "load takes a tile of pointers: p + iota<i32, 128>()");
  static_assert(loads<AccessMarkers, Ms...>,
                "a load takes ordering::Weak, Relaxed or Acquire, scope:: and hint");
  using Out = TileOf<Pointee<P>, ShapeOf<P>>;
  Emit emit(Op::LoadPtrTko, where);
  emit.out(Out::type()).out(tokenType());
  orderAndHints(emit, ms...).in(pointers.id()).inOptional(mask).inOptional(pad);
  return Out(emit.reads(setOf(pointers.id())).done());
}
template <class P, class V, class... Ms>
void storeTo(const P &pointers, const V &values, Id mask, const Where &where, const Ms &...ms) {
  static_assert(PointerTile<P>, "store takes a tile of pointers: p + iota<i32, 128>()");
  static_assert(!std::is_const_v<std::remove_pointer_t<ElementOf<P>>>,
                "a pointer to const is not stored to");
  static_assert(stores<AccessMarkers, Ms...>,
                "a store takes ordering::Weak, Relaxed or Release, scope:: and hint");
  using T = TileOf<Pointee<P>, ShapeOf<P>>;
  Id value = as<T>(values, where);
  Emit emit(Op::StorePtrTko, where);
  emit.out(tokenType());
  orderAndHints(emit, ms...).in(pointers.id()).in(value).inOptional(mask);
  emit.writes(setOf(pointers.id())).done();
}
} // namespace detail

/// The elements that the pointers point to. Markers: ordering::, scope::, hint.
template <AnyTile P, class M = detail::NoMarker, class N = detail::NoMarker,
          class O = detail::NoMarker>
auto load(const P &pointers, M m = {}, N n = {}, O o = {},
          detail::Where where = detail::Where::current()) {
  return detail::loadFrom(pointers, {}, {}, where, m, n, o);
}
/// Where the mask is false nothing is read, and the element is `pad`.
template <AnyTile P, BoolTile Mask, Operand V, class M = detail::NoMarker,
          class N = detail::NoMarker, class O = detail::NoMarker>
auto load_masked(const P &pointers, const Mask &mask, const V &pad, M m = {}, N n = {}, O o = {},
                 detail::Where where = detail::Where::current()) {
  using S = detail::ShapeOf<P>;
  using T = detail::TileOf<detail::Pointee<P>, S>;
  return detail::loadFrom(pointers, detail::broadcastTo<detail::TileOf<bool, S>>(mask, where),
                          detail::as<T>(pad, where), where, m, n, o);
}
template <AnyTile P, Operand V, class M = detail::NoMarker, class N = detail::NoMarker,
          class O = detail::NoMarker>
void store(const P &pointers, const V &values, M m = {}, N n = {}, O o = {},
           detail::Where where = detail::Where::current()) {
  detail::storeTo(pointers, values, {}, where, m, n, o);
}
template <AnyTile P, Operand V, BoolTile Mask, class M = detail::NoMarker,
          class N = detail::NoMarker, class O = detail::NoMarker>
void store_masked(const P &pointers, const V &values, const Mask &mask, M m = {}, N n = {},
                  O o = {}, detail::Where where = detail::Where::current()) {
  using S = detail::ShapeOf<P>;
  detail::storeTo(pointers, values, detail::broadcastTo<detail::TileOf<bool, S>>(mask, where),
                  where, m, n, o);
}

//===--- Pointers as numbers

template <PointerTile P>
auto ptr_to_int(const P &p, detail::Where where = detail::Where::current()) {
  using Out = detail::TileOf<i64, detail::ShapeOf<P>>;
  return Out(detail::Emit(detail::Op::PtrToInt, where).out(Out::type()).in(p.id()).done());
}
/// An address as a pointer. Its accesses keep their order with all others.
template <Element E, AnyTile T>
auto int_to_ptr(const T &address, detail::Where where = detail::Where::current()) {
  static_assert(kindOf<detail::ElementOf<T>> == TypeKind::I64, "an address has 64 bits");
  using Out = detail::TileOf<E *, detail::ShapeOf<T>>;
  return Out(detail::Emit(detail::Op::IntToPtr, where).out(Out::type()).in(address.id()).done());
}
template <Element E, PointerTile P>
auto pointer_cast(const P &p, detail::Where where = detail::Where::current()) {
  using Out = detail::TileOf<E *, detail::ShapeOf<P>>;
  return Out(detail::Emit(detail::Op::PtrToPtr, where).out(Out::type()).in(p.id()).done());
}
/// The address of a constant array in the module; its number of elements is not limited.
template <Element E>
Tile<E *> global_array(const std::vector<E> &values,
                       detail::Where where = detail::Where::current()) {
  std::vector<uint64_t> codes;
  for (const E &value : values)
    codes.push_back(detail::codeOf<E>(value));
  return Tile<E *>(detail::globalArray(kindOf<E>, codes, false, where));
}
/// Memory of this tile block for `count` elements. It lives as long as the enclosing region.
template <Element E>
Tile<E *> alloca_array(int count, detail::Where where = detail::Where::current()) {
  return Tile<E *>(detail::Emit(detail::Op::Alloca, where)
                       .out(Tile<E *>::type())
                       .unit(false)
                       .with(uint64_t(count))
                       .with(uint64_t(sizeof(E)))
                       .done());
}

//===--- Atomics

namespace detail {
template <class P, class V, class... Ms>
auto updateAt(tile_bytecode::AtomicRMWMode mode, const P &pointers, const V &values, Id mask,
              const Where &where, const Ms &...) {
  using E = Pointee<P>;
  static_assert(kindOf<E> == TypeKind::I32 || kindOf<E> == TypeKind::I64 || BaseFloat<E>,
                "atomics are for i32, i64 and their unsigned forms; atomic_add also for f16, bf16, "
                "f32 and f64");
  static_assert(AccessMarkers::fits<Ms...> && markerOr<Ms...>(MemoryOrderingSemantics::AcqRel) !=
                                                  MemoryOrderingSemantics::Weak,
                "an atomic takes ordering::Relaxed, Acquire, Release or AcqRel, and scope::");
  using T = TileOf<E, ShapeOf<P>>;
  Id value = as<T>(values, where);
  Emit emit(Op::AtomicRMWTko, where);
  emit.out(T::type())
      .out(tokenType())
      .with(markerOr<Ms...>(MemoryOrderingSemantics::AcqRel))
      .with(markerOr<Ms...>(MemoryScope::Device))
      .with(mode)
      .in(pointers.id())
      .in(value)
      .inOptional(mask);
  return T(emit.writes(setOf(pointers.id())).done());
}
template <class E> constexpr auto addMode() {
  return BaseFloat<E> ? tile_bytecode::AtomicRMWMode::AddF : tile_bytecode::AtomicRMWMode::Add;
}
} // namespace detail

/// Updates the elements that the pointers point to, and returns the old values. Defaults as in
/// cuTile Python: ordering::AcqRel, scope::Device.
#define TESSERA_TILE_ATOMIC(name, mode)                                                            \
  template <PointerTile P, Operand V, class M = detail::NoMarker, class N = detail::NoMarker>      \
  auto name(const P &pointers, const V &values, M m = {}, N n = {},                                \
            detail::Where where = detail::Where::current()) {                                      \
    using E [[maybe_unused]] = detail::Pointee<P>;                                                 \
    return detail::updateAt(mode, pointers, values, {}, where, m, n);                              \
  }                                                                                                \
  template <PointerTile P, Operand V, BoolTile Mask, class M = detail::NoMarker,                   \
            class N = detail::NoMarker>                                                            \
  auto name##_masked(const P &pointers, const V &values, const Mask &mask, M m = {}, N n = {},     \
                     detail::Where where = detail::Where::current()) {                             \
    using E [[maybe_unused]] = detail::Pointee<P>;                                                 \
    using Full = detail::TileOf<bool, detail::ShapeOf<P>>;                                         \
    return detail::updateAt(mode, pointers, values, detail::broadcastTo<Full>(mask, where), where, \
                            m, n);                                                                 \
  }
#define TESSERA_TILE_MODE(name) tile_bytecode::AtomicRMWMode::name
TESSERA_TILE_ATOMIC(atomic_add, detail::addMode<E>())
TESSERA_TILE_ATOMIC(atomic_and, TESSERA_TILE_MODE(And))
TESSERA_TILE_ATOMIC(atomic_or, TESSERA_TILE_MODE(Or))
TESSERA_TILE_ATOMIC(atomic_xor, TESSERA_TILE_MODE(Xor))
TESSERA_TILE_ATOMIC(atomic_max, isSigned<E> ? TESSERA_TILE_MODE(Max) : TESSERA_TILE_MODE(UMax))
TESSERA_TILE_ATOMIC(atomic_min, isSigned<E> ? TESSERA_TILE_MODE(Min) : TESSERA_TILE_MODE(UMin))
TESSERA_TILE_ATOMIC(atomic_exchange, TESSERA_TILE_MODE(Xchg))
#undef TESSERA_TILE_MODE
#undef TESSERA_TILE_ATOMIC

/// Stores `value` where the old bits equal `expected`; returns the old values.
template <PointerTile P, Operand A, Operand B, class M = detail::NoMarker,
          class N = detail::NoMarker>
auto atomic_cas(const P &pointers, const A &expected, const B &value, M = {}, N = {},
                detail::Where where = detail::Where::current()) {
  using T = detail::TileOf<detail::Pointee<P>, detail::ShapeOf<P>>;
  static_assert(detail::AccessMarkers::fits<M, N>, "an atomic takes ordering:: and scope::");
  detail::Id old = detail::as<T>(expected, where), wanted = detail::as<T>(value, where);
  detail::Emit emit(detail::Op::AtomicCASTko, where);
  emit.out(T::type())
      .out(detail::tokenType())
      .with(detail::markerOr<M, N>(MemoryOrderingSemantics::AcqRel))
      .with(detail::markerOr<M, N>(MemoryScope::Device))
      .in(pointers.id())
      .in(old)
      .in(wanted)
      .inOptional({});
  return T(emit.writes(detail::setOf(pointers.id())).done());
}

//===--- Assumptions. A false one is undefined behaviour; the interpreter reports it.

/// All elements are multiples of `by`; for pointers in bytes.
template <uint64_t by, AnyTile T>
T assume_divisible(const T &a, detail::Where where = detail::Where::current()) {
  static_assert(by > 0 && (by & (by - 1)) == 0, "assume_divisible takes a power of two");
  return T(detail::Emit(detail::Op::Assume, where)
               .out(T::type())
               .divisible(by, {}, {})
               .in(a.id())
               .done());
}
template <uint64_t bytes, PointerTile P>
P assume_aligned(const P &a, detail::Where where = detail::Where::current()) {
  return assume_divisible<bytes>(a, where);
}
/// In each group of `every` elements along a dimension, the first is a multiple of `by`, and each
/// of the others is one more than the element before it.
template <uint64_t by, int64_t every, int64_t along, AnyTile T>
T assume_divisible_strided(const T &a, detail::Where where = detail::Where::current()) {
  return T(detail::Emit(detail::Op::Assume, where)
               .out(T::type())
               .divisible(by, every, along)
               .in(a.id())
               .done());
}
template <int64_t lower, int64_t upper, IntegerTile T>
T assume_bounded(const T &a, detail::Where where = detail::Where::current()) {
  static_assert(lower <= upper, "assume_bounded takes a lower bound, then an upper one");
  return T(detail::Emit(detail::Op::Assume, where)
               .out(T::type())
               .bounded(lower, upper)
               .in(a.id())
               .done());
}
template <int64_t lower, IntegerTile T>
T assume_bounded_below(const T &a, detail::Where where = detail::Where::current()) {
  return T(
      detail::Emit(detail::Op::Assume, where).out(T::type()).bounded(lower, {}).in(a.id()).done());
}
template <int64_t upper, IntegerTile T>
T assume_bounded_above(const T &a, detail::Where where = detail::Where::current()) {
  return T(
      detail::Emit(detail::Op::Assume, where).out(T::type()).bounded({}, upper).in(a.id()).done());
}
/// Elements are equal within groups of `counts` elements along each dimension.
template <int64_t... counts, AnyTile T>
T assume_blocked(const T &a, detail::Where where = detail::Where::current()) {
  static_assert(sizeof...(counts) == T::rank(), "assume_blocked takes a number for each dimension");
  constexpr std::array<int64_t, sizeof...(counts)> numbers{counts...};
  return T(detail::Emit(detail::Op::Assume, where)
               .out(T::type())
               .sameElements(numbers)
               .in(a.id())
               .done());
}

//===--- Checks, prints, the end

/// Fails the launch with the message if an element is false.
template <BoolTile T>
void check(const T &condition, std::string_view message,
           detail::Where where = detail::Where::current()) {
  detail::Emit(detail::Op::Assert, where).text(message).in(condition.id()).done();
}
namespace detail {
struct LocatedFormat {
  template <size_t n>
  LocatedFormat(const char (&format)[n], Where at = Where::current()) : text(format), where(at) {}
  const char *text;
  Where where;
};
} // namespace detail
/// Prints as printf does, with one format for each tile. A tile prints all its elements in [].
template <AnyTile... Ts> void print(detail::LocatedFormat format, const Ts &...tiles) {
  const std::array<detail::Id, sizeof...(Ts)> ids{tiles.id()...};
  detail::print(format.text, ids, format.where);
}
/// The first lets kernels that wait for this one begin, the second waits for the kernel before this
/// one (PTX ISA, griddepcontrol). Both need bytecode 13.4.
inline void launch_dependents(detail::Where where = detail::Where::current()) {
  detail::Emit(detail::Op::GdcLaunchDependentsTko, where)
      .out(detail::tokenType())
      .writes(detail::everySet)
      .done();
}
inline void wait_for_dependencies(detail::Where where = detail::Where::current()) {
  detail::Emit(detail::Op::GdcWaitTko, where)
      .out(detail::tokenType())
      .writes(detail::everySet)
      .done();
}
/// Ends this tile block. Allowed as last op of a branch of `If`, not in a loop.
inline void Return(detail::Where where = detail::Where::current()) { detail::emitReturn(where); }

} // namespace tessera::tile
