// Markers: choices that are fixed where a kernel is written: rounding, memory order, padding,
// hints.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A marker is an argument without a value. Its type carries the choice:
//
//   add(a, b, rounding::Zero, ftz::Enabled)      atomic_add(p, v, ordering::Relaxed, scope::Device)
//
// A function takes the markers that its op has, in any order; any other does not compile. Names are
// those of the dialect's enumerations; the names of CUDA Tile C++ are there as well.
#pragma once

#include "tessera/tile_bytecode/Enums.h"

#include <array>
#include <cstddef>
#include <optional>
#include <type_traits>

namespace tessera::tile {

using tile_bytecode::ComparisonOrdering;
using tile_bytecode::ComparisonPredicate;
using tile_bytecode::IntegerOverflow;
using tile_bytecode::MemoryOrderingSemantics;
using tile_bytecode::MemoryScope;
using tile_bytecode::PaddingValue;
using tile_bytecode::RoundingMode;

/// A constant as a type.
template <auto v> struct Marker {
  static constexpr auto value = v;
};
/// Whether subnormal operands and results become zero; whether NaNs propagate; whether conversions
/// saturate; whether a product may accumulate in fewer bits; whether TMA may move a tile of a view.
enum class FlushToZero : uint8_t {
  Disabled,
  Enabled
};
enum class PropagateNan : uint8_t {
  Disabled,
  Enabled
};
enum class Saturating : uint8_t {
  Disabled,
  Enabled
};
enum class FastAccumulation : uint8_t {
  Disabled,
  Enabled
};
enum class TensorMemoryAccess : uint8_t {
  Disabled,
  Enabled
};
enum class Direction : uint8_t {
  Forward,
  Reverse
};

namespace rounding {
inline constexpr Marker<RoundingMode::NearestEven> NearestEven;
inline constexpr Marker<RoundingMode::Zero> Zero;
inline constexpr Marker<RoundingMode::NegativeInf> NegativeInf;
inline constexpr Marker<RoundingMode::PositiveInf> PositiveInf;
inline constexpr Marker<RoundingMode::Approx> Approx;
inline constexpr Marker<RoundingMode::Full> Full;
} // namespace rounding
namespace ftz {
inline constexpr Marker<FlushToZero::Disabled> Disabled;
inline constexpr Marker<FlushToZero::Enabled> Enabled;
} // namespace ftz
namespace nan {
inline constexpr Marker<PropagateNan::Disabled> Ignored;
inline constexpr Marker<PropagateNan::Enabled> Propagated;
} // namespace nan
namespace overflow {
inline constexpr Marker<IntegerOverflow::None> None;
inline constexpr Marker<IntegerOverflow::NoSignedWrap> NoSignedWrap;
inline constexpr Marker<IntegerOverflow::NoUnsignedWrap> NoUnsignedWrap;
inline constexpr Marker<IntegerOverflow::NoWrap> NoWrap;
} // namespace overflow
namespace predicate {
inline constexpr Marker<ComparisonPredicate::Equal> Equal;
inline constexpr Marker<ComparisonPredicate::NotEqual> NotEqual;
inline constexpr Marker<ComparisonPredicate::LessThan> LessThan;
inline constexpr Marker<ComparisonPredicate::LessThanOrEqual> LessThanOrEqual;
inline constexpr Marker<ComparisonPredicate::GreaterThan> GreaterThan;
inline constexpr Marker<ComparisonPredicate::GreaterThanOrEqual> GreaterThanOrEqual;
} // namespace predicate
namespace cmp_ordering {
inline constexpr Marker<ComparisonOrdering::Ordered> Ordered;
inline constexpr Marker<ComparisonOrdering::Unordered> Unordered;
} // namespace cmp_ordering
namespace ordering {
inline constexpr Marker<MemoryOrderingSemantics::Weak> Weak;
inline constexpr Marker<MemoryOrderingSemantics::Relaxed> Relaxed;
inline constexpr Marker<MemoryOrderingSemantics::Acquire> Acquire;
inline constexpr Marker<MemoryOrderingSemantics::Release> Release;
inline constexpr Marker<MemoryOrderingSemantics::AcqRel> AcqRel;
} // namespace ordering
namespace scope {
inline constexpr Marker<MemoryScope::TileBlock> TileBlock;
inline constexpr Marker<MemoryScope::Device> Device;
inline constexpr Marker<MemoryScope::System> System;
} // namespace scope
namespace tma {
inline constexpr Marker<TensorMemoryAccess::Disabled> Disabled;
inline constexpr Marker<TensorMemoryAccess::Enabled> Enabled;
} // namespace tma
namespace saturating {
inline constexpr Marker<Saturating::Disabled> Disabled;
inline constexpr Marker<Saturating::Enabled> Enabled;
} // namespace saturating
namespace fast_acc {
inline constexpr Marker<FastAccumulation::Disabled> Disabled;
inline constexpr Marker<FastAccumulation::Enabled> Enabled;
} // namespace fast_acc
namespace reverse {
inline constexpr Marker<Direction::Forward> Disabled;
inline constexpr Marker<Direction::Reverse> Enabled;
} // namespace reverse

/// The value of elements outside of a tensor. Without padding it is unspecified.
namespace padding {
struct NoPadding {};
inline constexpr NoPadding None;
inline constexpr Marker<PaddingValue::Zero> Zero;
inline constexpr Marker<PaddingValue::NegZero> NegZero;
inline constexpr Marker<PaddingValue::Nan> Nan;
inline constexpr Marker<PaddingValue::PosInf> PosInf;
inline constexpr Marker<PaddingValue::NegInf> NegInf;
} // namespace padding

/// The dimension of the tensor that each dimension of a tile walks; for `permute`, the dimension of
/// the source that each dimension of the result is.
template <int... dims> struct dimension_map {};
namespace dim_map {
struct IdentityMap {};
inline constexpr IdentityMap Identity;
} // namespace dim_map

/// The names of CUDA Tile C++.
using round_ties_to_even_t = Marker<RoundingMode::NearestEven>;
using round_toward_zero_t = Marker<RoundingMode::Zero>;
using round_approximate_t = Marker<RoundingMode::Approx>;
using round_subnormals_to_zero_t = Marker<FlushToZero::Enabled>;

/// Hints for one access: how many loop iterations ahead to begin it (1 to 10), and whether TMA may
/// do it, which tma::Enabled and tma::Disabled say too.
struct hint {
  std::optional<int> latency = {};
  std::optional<bool> allow_tma = {};
};

namespace detail {
/// Stands for a marker that is not given.
struct NoMarker {};

template <class M> struct MarkerEnum {
  using type = void;
};
template <auto v> struct MarkerEnum<Marker<v>> {
  using type = decltype(v);
};
/// Whether M is a marker of the kind Enum.
template <class Enum, class M>
inline constexpr bool says = std::is_same_v<typename MarkerEnum<M>::type, Enum>;

/// The value of the marker of kind Enum, or `byDefault`.
template <class... Ms, class Enum> constexpr Enum markerOr(Enum byDefault) {
  Enum out = byDefault;
  (
      [&] {
        if constexpr (says<Enum, Ms>)
          out = Ms::value;
      }(),
      ...);
  return out;
}
/// The number of markers of kind Enum.
template <class Enum, class... Ms> inline constexpr int saysOf = (int(says<Enum, Ms>) + ... + 0);

/// Whether each marker is of one of these kinds or not given, and no kind comes twice.
template <class... Enums> struct Allowed {
  template <class M> static constexpr bool one = (says<Enums, M> || ...);
  template <class... Ms> static constexpr bool onceEach = ((saysOf<Enums, Ms...> <= 1) && ...);
  template <class... Ms>
  static constexpr bool fits =
      ((std::is_same_v<Ms, NoMarker> || one<Ms>) && ...) && onceEach<Ms...>;
  /// The same, where a `hint` may be among them.
  template <class... Ms>
  static constexpr bool fitsWithHint =
      ((std::is_same_v<Ms, NoMarker> || std::is_same_v<Ms, hint> || one<Ms>) && ...) &&
      onceEach<Ms...>;
};
/// The hint among the arguments, and what tma:: says.
template <class... Ms> hint hintOf(const Ms &...ms) {
  hint out;
  (
      [&] {
        if constexpr (std::is_same_v<Ms, hint>)
          out = ms;
      }(),
      ...);
  (
      [&] {
        if constexpr (says<TensorMemoryAccess, Ms>)
          out.allow_tma = Ms::value == TensorMemoryAccess::Enabled;
      }(),
      ...);
  return out;
}
} // namespace detail

} // namespace tessera::tile
