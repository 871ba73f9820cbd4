// Reports: errors in a kernel, with their places, for people and for programs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/ptx_text/CodePlace.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace tessera::sim {

/// The agent of an access, and its place.
struct Party {
  std::string access; // "a read"
  std::string block, thread;
  ptx_text::CodePlace place;
};

/// What an observer found, or the error that ended a kernel (Grid::fault).
struct Report {
  std::string_view rule; // of an Errors.def
  std::string text;      // complete, for people
  std::string kernel;    // its full name
  Party party;           // without an agent, texts are empty and the line is 0
  std::string space;     // of the address; empty without one
  uint64_t address = 0;
  std::optional<std::pair<uint64_t, uint64_t>> buffer; // offset in an allocation, and its size
  std::optional<Party> earlier;
  std::string what{}; // the sentence alone, without agent and place
};

} // namespace tessera::sim
