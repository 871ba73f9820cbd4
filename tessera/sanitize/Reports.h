// Reports: the reports of one launch, one for each pair of lines.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/sanitize/Errors.h"
#include "tessera/sanitize/Report.h"

#include <mutex>
#include <set>
#include <tuple>
#include <vector>

namespace tessera::sanitize {

class Reports {
public:
  /// Keeps a report if it is new. False if there are enough.
  bool add(Report, int earlierLine, size_t most);
  /// Whether this rule was already reported for these lines.
  bool has(Error rule, int line, int earlierLine);
  bool hasAll(size_t most);
  std::vector<Report> take() { return std::move(list); }

private:
  std::mutex mutex;
  std::vector<Report> list;
  std::set<std::tuple<std::string_view, int, int>> seen;
};

} // namespace tessera::sanitize
