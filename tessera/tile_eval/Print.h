// formatted: what print_tko prints.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/tile_eval/Element.h"

#include <optional>
#include <string>

namespace tessera::tile_eval {

/// A launch prints at most so many bytes; what is beyond them is dropped.
inline constexpr size_t mostOutput = 64 << 20;

struct Printed {
  std::vector<int64_t> shape;
  TypeKind element; // Pointer: an address
  const Codes &codes;
};

/// The format with one conversion of C's printf for each argument: d i u x X o c of integers and
/// pointers, f F e E g G a A of floating-point numbers, p of pointers; %% is a percent sign. A tile
/// is written as [v, v], rows in brackets of their own. Lengths (l, ll, h, hh) are ignored: the
/// type of the argument says how wide it is. Nothing where the format has other conversions or
/// another number of them.
std::optional<std::string> formatted(std::string_view format, std::span<const Printed> arguments);

} // namespace tessera::tile_eval
