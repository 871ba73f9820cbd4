// The left operand of a composition: flat, with a last mode that has no end.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/layout/Algebra.h"

namespace tessera::layout {

struct Flat {
  std::vector<Leaf> shape, stride;
};

/// The flat, coalesced left layout. Its last mode is never dropped, even if its extent is 1: a
/// right layout may run past it, and then continues with its stride.
Flat coalescedLeft(Arith &, const Layout &);

} // namespace tessera::layout
