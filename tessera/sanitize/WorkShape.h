// WorkShape: which thread of a launch an agent is.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/sanitize/Report.h"
#include "tessera/sanitize/Shadow.h"
#include "tessera/sim/Grid.h"

namespace tessera::sanitize {

/// The blocks and threads of a launch, and the agents of each of its clusters.
struct WorkShape {
  sim::Dim3 grid{}, block{}, cluster{};
  Agents agents{};

  /// The thread of a mark, the first one of `lanes`, without its place.
  Party partyOf(const Mark &, Mask lanes) const;
};

} // namespace tessera::sanitize
