// CoveragePage: what became of each line of the kernels that ran, as a page for browsers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The page is one file without scripts: links and the keys of the browser are all that it needs. It
// shows lines of sources that `.loc` names where these files can be read, and the PTX.
#pragma once

#include "tessera/sim_reports/SimReports.h"

namespace tessera::cli {

using sim_reports::SimResults;

std::string htmlOf(const SimResults &);

} // namespace tessera::cli
