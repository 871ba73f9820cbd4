// ThreadValues: the element of its tile that a thread of a tiled copy has at each value.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/layout/Algebra.h"

namespace tessera::layout {

/// (thread, value) on one side of the copy -> index of the tile.
Result<Layout> threadValueToTile(Arith &, const TiledCopy &, CopySide);

} // namespace tessera::layout
