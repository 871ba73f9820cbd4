// Operations on modes, for those that put several together without making trees in between.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/layout/Algebra.h"
#include "tessera/layout/Modes.h"

namespace tessera::layout {

/// The flat, coalesced left layout. Its last mode is never dropped, even if its extent is 1: a
/// right layout may run past it, and then continues with its stride.
Modes coalescedLeft(Numbers &, const Layout &);

/// composition(a, (b, rest)), where `left` is coalescedLeft(a) and `rest` one mode of these modes.
Result<Layout> composition(Numbers &, const Layout &a, const Modes &left, const Layout &b, const Modes &rest);

/// complement as modes, one at least, appended to the empty `out`. `cotarget` are the leaves of a shape, which are
/// divided from the left.
Result<bool> complementModes(Numbers &, const Layout &, Nums cotarget, Modes &out);

/// coalesce as modes; one mode 1:0 of a layout with one element.
Modes coalesced(Numbers &, const Layout &);
/// One mode of numbers, and `separate` (Domains.h) on such modes.
struct Steps {
  int64_t extent, step;
};
bool separate(std::span<const int64_t> extents, std::span<const Steps> modes);

} // namespace tessera::layout
