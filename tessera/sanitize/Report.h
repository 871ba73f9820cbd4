// Reports: what the sanitizer has found, for people and for machines.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/ptx_text/CodePlace.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace tessera::sanitize {

using ptx_text::CodePlace;

/// Who did something, and where.
struct Party {
  std::string access; // "a read"
  std::string block, thread;
  CodePlace place;
};

struct Report {
  std::string_view rule; // of Errors.def
  std::string text;      // all of it, for people
  std::string kernel;    // its whole name
  Party party;
  std::string space; // of the address; empty where there is none
  uint64_t address = 0;
  std::optional<std::pair<uint64_t, uint64_t>> buffer; // offset in an allocation, and its size
  std::optional<Party> earlier;
};

} // namespace tessera::sanitize
