// Suggest: what to do about a refusal of the algebra, where that can be computed.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/eval/Function.h"

namespace tessera::eval {

/// Two lines below a refusal; either may be empty.
struct Advice {
  std::string detail, help;
};

/// Advice for a call that was refused. What it proposes was tried and works.
Advice adviseOn(const Reason &, const Function &, const Arguments &, const RunTime &);
/// Advice for a literal `shape:stride` that was refused.
Advice adviseOn(const Reason &, const layout::Tree &shape);

} // namespace tessera::eval
