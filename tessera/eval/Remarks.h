// Remarks: what a call did that its reader may not expect, such as rounding up.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/eval/Evaluate.h"

namespace tessera::eval {

std::vector<std::string> remarksOn(const Step &, const RunTime &);

} // namespace tessera::eval
