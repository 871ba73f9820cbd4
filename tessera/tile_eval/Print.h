// Print: the output of print_tko.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/tile_eval/Element.h"

#include <optional>
#include <string>

namespace tessera::tile_eval {

/// The most bytes that a launch prints; further output is dropped.
inline constexpr size_t mostOutput = 64 << 20;

struct Printed {
  std::vector<int64_t> shape;
  TypeKind element; // Pointer: an address
  const Codes &codes;
};

/// The text for a format with one conversion of C's printf for each argument: d i u x X o c for
/// integers and pointers, f F e E g G a A for floating-point numbers, p for pointers; %% is a
/// percent sign. A tile is written as [v, v], with rows in brackets of their own. Lengths (l, ll,
/// h, hh) are ignored, since the type of the argument has the width. Nothing if the format has
/// other conversions or a different number of them.
std::optional<std::string> formatted(std::string_view format, std::span<const Printed> arguments);

} // namespace tessera::tile_eval
