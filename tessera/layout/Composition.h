// Operations on lists of leaves, for those that put several together without making trees in between.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/layout/Algebra.h"
#include "tessera/layout/Small.h"

namespace tessera::layout {

struct Flat {
  Leaves shape, stride;
};

/// The flat, coalesced left layout. Its last mode is never dropped, even if its extent is 1: a
/// right layout may run past it, and then continues with its stride.
Flat coalescedLeft(Arith &, const Layout &);

/// composition(a, (b, rest)), where `left` is coalescedLeft(a) and `rest` one mode of these leaves.
Result<Layout> composition(Arith &, const Layout &a, const Flat &left, const Layout &b, const Flat &rest);

/// complement as leaves, one at least, appended to the empty `out`. `cotarget` are the leaves of a shape, which are
/// divided from the left.
Result<bool> complementLeaves(Arith &, const Layout &, const Leaves &cotarget, Flat &out);

/// coalesce as leaves; one mode 1:0 of a layout with one element.
Flat coalesced(Arith &, const Layout &);
/// coalesce on leaves, in place; nothing is left of a layout with one element.
void coalesceLeaves(Arith &, Leaves &shape, Leaves &stride);

} // namespace tessera::layout
