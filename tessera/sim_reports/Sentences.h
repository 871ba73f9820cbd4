// Sentences: a report as somebody reads it who knows the source and not the PTX.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/sim/Report.h"

#include <string>

namespace tessera::sim_reports {

/// A name of the Itanium ABI, as nvcc makes them, as C++ writes it; others as they are.
std::string demangled(const std::string &name);

/// The line of the source first, then who, then what; the calls that lead there and the PTX stand
/// below.
std::string sentenceOf(const sim::Report &);

} // namespace tessera::sim_reports
