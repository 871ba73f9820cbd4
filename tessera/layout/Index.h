// Index: an index after an offset.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/layout/Algebra.h"

namespace tessera::layout {

/// offset + crd2idx(coord, l), as one sum.
Result<Tree> crd2idxAfter(Arith &, const Tree &offset, const Tree &coord, const Layout &l);

} // namespace tessera::layout
