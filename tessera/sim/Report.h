// Reports: what the sanitizer has found, for people and for machines.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/ptx_text/CodePlace.h"
#include "tessera/sim/Errors.h"

#include <atomic>
#include <mutex>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

namespace tessera::sim {

using ptx_text::CodePlace;
using ptx_text::placeOf;

/// Who did something, and where.
struct Party {
  std::string access; // "a read"
  std::string block, thread;
  CodePlace place;
};

struct Report {
  std::string_view rule; // of Errors.def
  std::string text;      // all of it, for people
  Party party;
  std::string space; // of the address; empty where there is none
  uint64_t address = 0;
  std::optional<std::pair<uint64_t, uint64_t>> buffer; // offset in an allocation, and its size
  std::optional<Party> earlier;
};

/// The reports of one launch, one for each pair of lines.
class Reports {
public:
  /// False when the launch has to end, as there are enough.
  bool add(Report, int earlierLine, size_t most);
  /// Whether a rule was reported for these lines, so that it need not be said again.
  bool has(Error rule, int line, int earlierLine);
  std::vector<Report> take() { return std::move(list); }

private:
  std::mutex mutex;
  std::vector<Report> list;
  std::set<std::tuple<std::string_view, int, int>> seen;
};

} // namespace tessera::sim
