// Turns: the order in which the tile blocks of a launch run.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/tile_eval/Launch.h"

namespace tessera::tile_eval {

/// One tile block after the other, in a random order; ends at the first failure.
Status runInOrder(Launch &);

/// Runs some tile blocks at a time, each in a thread of its own, but only one at any moment: at
/// `turn` another one may continue, chosen at random. With the same seed a launch is the same.
Status runInTurns(Launch &);

} // namespace tessera::tile_eval
