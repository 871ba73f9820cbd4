// How modes are put together, and the pairs (tile, rest) of a division and (block, copies) of a
// product regrouped.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/layout/Algebra.h"

namespace tessera::layout {

/// `pairs` is what a logical divide or product by `tiler` made. A layout makes one pair, a tile one
/// pair for each of its layouts; modes beyond the tile count as rest. Fails where `_` left no pair.
Result<Layout> regrouped(const Layout &pairs, const Tile &tiler, Grouping grouping);
/// (tiles, rests) in a grouping other than Logical; the rests first if `restFirst`.
Tree regrouped(const std::pair<Tree, Tree> &parts, Grouping grouping, bool restFirst = false);

/// concat of what makes a layout without a check, as parts of one layout do.
Layout sideBySide(std::span<const Layout> modes);
inline Layout sideBySide(std::initializer_list<Layout> modes) {
  return sideBySide(std::span<const Layout>(modes.begin(), modes.size()));
}

} // namespace tessera::layout
