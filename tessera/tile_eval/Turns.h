// In which order the tile blocks of a launch run.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/tile_eval/Launch.h"

namespace tessera::tile_eval {

/// One tile block after the other, in a random order; ends at the first failure.
Status runInOrder(Launch &);

/// Some tile blocks at a time, each in a thread of its own, of which one runs at any moment: at
/// `turn` another one may go on. Which one is random. So a launch is the same for the same seed.
Status runInTurns(Launch &);

} // namespace tessera::tile_eval
