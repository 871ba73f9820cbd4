// Zip: combining modes, and regrouping the pairs (tile, rest) of a division and (block, copies) of
// a product.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/layout/Algebra.h"

namespace tessera::layout {

/// `pairs` is the result of a logical divide or product by `tiler`. A layout makes one pair, a tile
/// one pair for each of its layouts; modes beyond the tile count as rest. Fails where `_` left no
/// pair.
Result<Layout> regrouped(const Layout &pairs, const Tile &tiler, Grouping grouping);
/// (tiles, rests) in a grouping other than Logical; the rests first if `restFirst`.
Tree regrouped(const std::pair<Tree, Tree> &parts, Grouping grouping, bool restFirst = false);

/// concat without checks, for modes that are known to fit, such as parts of one layout.
Layout sideBySide(std::span<const Layout> modes);
inline Layout sideBySide(std::initializer_list<Layout> modes) {
  return sideBySide(std::span<const Layout>(modes.begin(), modes.size()));
}

} // namespace tessera::layout
