// Index: an index after an offset.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/layout/Algebra.h"

namespace tessera::layout {

/// offset + crd2idx(coord, l), as one sum.
Result<Tree> crd2idxAfter(Arith &, const Tree &offset, const Tree &coord, const Layout &l);

/// `coord` as the elements of a tensor of layout `l` are counted: in 64 bits, if the layout's
/// numbers are known and an index needs more than 32. What is computed of layouts alone is as wide
/// as their leaves, as types say.
Tree wideEnough(const Tree &coord, const AnyLayout &l);

} // namespace tessera::layout
