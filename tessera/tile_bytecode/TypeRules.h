// checkType: the rules that a type of a tile program keeps by itself.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/tile_bytecode/Program.h"

namespace tessera::tile_bytecode {

/// A tile has at most so many elements.
inline constexpr int64_t mostElements = 1 << 24;

/// What is wrong with a type, as "tile expects each extent to be a power of two, but got 3";
/// nothing where it keeps the rules. What it refers to must be in the program's table and is looked
/// at by its kind only, so types may come in any order. Source: the public dialect, Types.td,
/// Types.cpp.
std::optional<std::string> checkType(const Program &, const Type &);

} // namespace tessera::tile_bytecode
