// WorkShape: which thread of a launch an agent is.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/sanitize/Shadow.h"
#include "tessera/sim/Grid.h"

namespace tessera::sim {
struct Party; // Report.h
} // namespace tessera::sim

namespace tessera::sanitize {

using sim::Party;

/// The blocks and threads of a launch, and the agents of each of its clusters.
struct WorkShape {
  sim::Dim3 grid{}, block{}, cluster{};
  Agents agents{};

  /// The thread of a mark, the first one of `lanes`, without its place.
  Party partyOf(const Mark &, Mask lanes) const;

  friend bool operator==(const WorkShape &, const WorkShape &) = default;
};

} // namespace tessera::sanitize
