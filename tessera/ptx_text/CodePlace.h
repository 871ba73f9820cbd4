// CodePlace: a line of PTX, and the line of the source that it comes from.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tessera::ptx_text {

/// A place in a source that a .loc names.
struct SourcePlace {
  std::string file;
  int line = 0, column = 0;

  /// "file:line:column".
  std::string str() const;
  friend bool operator==(const SourcePlace &, const SourcePlace &) = default;
};

/// A line of PTX, and the line of the source that a .loc before it names.
struct CodePlace {
  int line = 0;
  /// The source as file:line:column, and after it the calls that lead there: "lib.py:4:2 (from
  /// user.py:9:1)"; empty if there is none.
  std::string text, source;
  /// The same separately: the source, and the calls that lead there, the nearest first.
  std::vector<SourcePlace> places{};

  /// "kernel.py:12:3, PTX line 31", or "line 31".
  std::string str() const;
};
/// The place of a line of PTX. PTX ISA 11.5.2 and 11.5.3.
CodePlace placeOf(std::string_view program, int line);

} // namespace tessera::ptx_text
