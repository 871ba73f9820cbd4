// CodePlaces: where the lines of a program come from, for who asks of many of them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/ptx_text/CodePlace.h"

#include <array>
#include <map>
#include <vector>

namespace tessera::ptx_text {

/// Reads a program once; placeOf does it for each line. Points into the text.
class CodePlaces {
public:
  explicit CodePlaces(std::string_view program);
  /// Where a line comes from, as placeOf says.
  CodePlace of(int line) const;

private:
  using Place = std::array<int, 3>; // file, line, column
  /// From a line on; without a place at the begin of a function.
  struct Mark {
    int line;
    std::vector<Place> chain; // the place, and the calls that lead to it
  };
  SourcePlace sourceOf(const Place &) const;

  std::vector<std::string_view> lines;
  std::map<int, std::string_view> files;
  std::vector<Mark> marks; // by line
};

} // namespace tessera::ptx_text
