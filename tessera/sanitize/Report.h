// Report: the reports of the sanitizer, which are those of `sim`.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/sim/Report.h"

namespace tessera::sanitize {

using ptx_text::CodePlace;
using sim::Party;
using sim::Report;

} // namespace tessera::sanitize
