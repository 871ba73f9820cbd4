// CoveragePage: a page for browsers that shows the counts of each line of the kernels that ran.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The page is one file without scripts; links and the browser's keys suffice. It shows the lines of
// sources that `.loc` names, if these files can be read, and the PTX.
#pragma once

#include "tessera/sim_reports/SimReports.h"

namespace tessera::cli {

using sim_reports::SimResults;

std::string htmlOf(const SimResults &);

} // namespace tessera::cli
