// TypeRules: the rules for a single type of a tile program, and what an op takes since when.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/tile_bytecode/Program.h"

namespace tessera::tile_bytecode {

/// The most elements that a tile has.
inline constexpr int64_t mostElements = 1 << 24;

/// The error in a type, such as "tile expects each extent to be a power of two, but got 3"; nothing
/// if it follows the rules. Types that it refers to must be in the program's table; only their
/// kinds are checked, so types may come in any order. Source: the public dialect, Types.td,
/// Types.cpp.
std::optional<std::string> checkType(const Program &, const Type &);

/// Whether conversions have a rounding since 13.4, all but those to f8E8M0FNU.
constexpr bool isDirected(RoundingMode mode) {
  return mode == RoundingMode::Zero || mode == RoundingMode::NegativeInf ||
         mode == RoundingMode::PositiveInf || mode == RoundingMode::NearestAway;
}
/// The version since which an op that makes a tile of `result` has this keyword of an attribute.
/// `ftof` rounds to nearest_even before 13.4, and to f8E8M0FNU in two directions. Source: the
/// public dialect 13.3, cuTile Python 1.6 (`_FTOF_ROUNDING_ROWS`).
Version keywordSince(const Program &, Op, const AttributeColumn &, uint64_t keyword, Index result);

} // namespace tessera::tile_bytecode
