// Suppressions: reports that a user has checked and does not want to see again.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/base/Result.h"
#include "tessera/sim/Report.h"

#include <string>
#include <string_view>
#include <vector>

namespace tessera::sim_reports {

/// A text of lines `RULE:PATTERN`. A rule is one of an Errors.def, or * for each. A pattern is
/// found anywhere in the kernel's name, as it stands in the code or in C++, or in the name of a
/// file of the places of both accesses; * in it is any text. Lines that begin with # are comments.
class Suppressions {
public:
  /// `name`: of the file, for reasons.
  static Result<Suppressions> parse(std::string_view text, std::string_view name);
  bool has(const sim::Report &) const;

private:
  struct Row {
    std::string rule, pattern;
  };
  std::vector<Row> rows;
};

} // namespace tessera::sim_reports
