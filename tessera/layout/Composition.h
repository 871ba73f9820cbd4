// The left operand of a composition: flat, with a last mode that has no end; and lists of leaves, coalesced.
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

/// coalesce as leaves; one mode 1:0 of a layout with one element.
Flat coalesced(Arith &, const Layout &);
/// coalesce on leaves, in place; nothing is left of a layout with one element.
void coalesceLeaves(Arith &, Leaves &shape, Leaves &stride);

} // namespace tessera::layout
