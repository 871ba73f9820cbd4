// Reports: what went wrong in a kernel, with its place, for people and for machines.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/ptx_text/CodePlace.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace tessera::sim {

/// Who did something, and where.
struct Party {
  std::string access; // "a read"
  std::string block, thread;
  ptx_text::CodePlace place;
};

/// What an observer found, or the error that ended a kernel (Grid::fault).
struct Report {
  std::string_view rule; // of an Errors.def
  std::string text;      // all of it, for people
  std::string kernel;    // its whole name
  Party party;           // texts are empty, and the line 0, where it is nobody's
  std::string space;     // of the address; empty where there is none
  uint64_t address = 0;
  std::optional<std::pair<uint64_t, uint64_t>> buffer; // offset in an allocation, and its size
  std::optional<Party> earlier;
  std::string what{}; // the sentence alone, without who and where
};

} // namespace tessera::sim
