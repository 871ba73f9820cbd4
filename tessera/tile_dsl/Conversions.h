// Conversions of tiles: to other element types, the same bits as another type, to and from bytes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/tile_dsl/Arithmetic.h"

namespace tessera::tile {

/// Each element as the nearest value of another type. Floating-point to integer drops the fraction
/// (out of range: undefined, or with saturating::Enabled the nearest bound); bool is 0 or 1.
/// Between floating-point types rounding:: may set another direction where bytecode 13.4 has it.
/// Powers of two (f8e8m0fnu) round to rounding::Zero, the default, or PositiveInf.
template <Element To, AnyTile T, class M = detail::NoMarker>
auto element_cast(const T &a, M = {}, detail::Where where = detail::Where::current()) {
  using From = detail::ElementOf<T>;
  static_assert(Element<From>, "pointers are converted with ptr_to_int and pointer_cast");
  using Out = detail::TileOf<To, detail::ShapeOf<T>>;
  using detail::Emit;
  using detail::Op;
  detail::Id id = a.id();
  constexpr TypeKind from = kindOf<From>, to = kindOf<To>;
  constexpr unsigned fromBits = rowOf(from).bits, toBits = rowOf(to).bits;
  static_assert(detail::Allowed<RoundingMode, Saturating, IntegerOverflow>::template fits<M>,
                "element_cast takes rounding::, saturating:: or overflow::");
  if constexpr (from == to)
    return Out(id);
  else if constexpr (std::is_same_v<To, bool>)
    return a != T(From(0), where);
  else if constexpr (Integer<From> && Integer<To>) {
    if constexpr (toBits > fromBits)
      return Out(Emit(Op::ExtI, where)
                     .out(Out::type())
                     .with(std::is_same_v<From, bool> ? tile_bytecode::Signedness::Unsigned
                                                      : detail::signedness<From>)
                     .in(id)
                     .done());
    else
      return Out(Emit(Op::TruncI, where)
                     .out(Out::type())
                     .with(detail::markerOr<M>(IntegerOverflow::None))
                     .in(id)
                     .done());
  } else if constexpr (AnyFloat<From> && AnyFloat<To>)
    return Out(Emit(Op::FToF, where)
                   .out(Out::type())
                   .with(detail::markerOr<M>(to == TypeKind::F8E8M0FNU ? RoundingMode::Zero
                                                                       : RoundingMode::NearestEven))
                   .in(id)
                   .done());
  else if constexpr (AnyFloat<From>)
    return Out(Emit(Op::FToI, where)
                   .out(Out::type())
                   .unit(detail::markerOr<M>(Saturating::Disabled) == Saturating::Enabled)
                   .with(detail::signedness<To>)
                   .with(RoundingMode::NearestIntToZero)
                   .in(id)
                   .done());
  else
    return Out(Emit(Op::IToF, where)
                   .out(Out::type())
                   .with(std::is_same_v<From, bool> ? tile_bytecode::Signedness::Unsigned
                                                    : detail::signedness<From>)
                   .with(RoundingMode::NearestEven)
                   .in(id)
                   .done());
}
/// The same bits as elements of another type of the same width.
template <Element To, AnyTile T>
auto bitcast(const T &a, detail::Where where = detail::Where::current()) {
  using From = detail::ElementOf<T>;
  static_assert(Element<From> && rowOf(kindOf<To>).bits == rowOf(kindOf<From>).bits,
                "bitcast keeps the width of the elements; pack and unpack change it");
  using Out = detail::TileOf<To, detail::ShapeOf<T>>;
  if constexpr (kindOf<To> == kindOf<From>)
    return Out(a.id());
  else
    return Out(detail::Emit(detail::Op::Bitcast, where).out(Out::type()).in(a.id()).done());
}
/// The elements of a rank-1 tile as bytes in memory order (pack), and back (unpack).
template <AnyTile T> auto pack(const T &a, detail::Where where = detail::Where::current()) {
  static_assert(T::rank() == 1, "pack takes a tile of rank 1: reshape it first");
  using Out = Tile<i8, int(T::shape_type::size * rowOf(kindOf<detail::ElementOf<T>>).bits / 8)>;
  return Out(detail::Emit(detail::Op::Pack, where).out(Out::type()).in(a.id()).done());
}
template <Element To, int N>
auto unpack(const Tile<i8, N> &a, detail::Where where = detail::Where::current()) {
  using Out = Tile<To, N * 8 / int(rowOf(kindOf<To>).bits)>;
  return Out(detail::Emit(detail::Op::Unpack, where).out(Out::type()).in(a.id()).done());
}

} // namespace tessera::tile
