// TypeRules: the rules for a single type of a tile program.
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

} // namespace tessera::tile_bytecode
