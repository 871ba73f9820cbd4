// Sentences: a report in words for a reader who knows the source but not the PTX.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/sim/Report.h"

#include <string>

namespace tessera::sim_reports {

/// First the line of the source, then the agent, then the problem; below, the calls that lead there
/// and the PTX.
std::string sentenceOf(const sim::Report &);

} // namespace tessera::sim_reports
