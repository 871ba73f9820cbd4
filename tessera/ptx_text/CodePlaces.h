// CodePlaces: the places of a program's lines, for callers that need many of them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/ptx_text/CodePlace.h"

#include <array>
#include <map>
#include <vector>

namespace tessera::ptx_text {

/// Reads a program once, while placeOf does so for each line. Points into the text.
class CodePlaces {
public:
  explicit CodePlaces(std::string_view program);
  /// The place of a line, as by placeOf.
  CodePlace of(int line) const;

private:
  using Place = std::array<int, 3>; // file, line, column
  /// Applies from a line on; without a place at the beginning of a function.
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
