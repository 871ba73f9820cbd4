// CodePlace: a line of PTX, and the line of the source that it comes from.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>

namespace tessera::ptx_text {

/// A line of PTX, and the line of the source that a .loc before it names.
struct CodePlace {
  int line = 0;
  /// The source as file:line:column, and after it the calls that lead there: "lib.py:4:2 (from
  /// user.py:9:1)"; empty if there is none.
  std::string text, source;

  /// "kernel.py:12:3, PTX line 31", or "line 31".
  std::string str() const;
};
/// Where a line of PTX comes from. PTX ISA 11.5.2 and 11.5.3.
CodePlace placeOf(std::string_view program, int line);

} // namespace tessera::ptx_text
