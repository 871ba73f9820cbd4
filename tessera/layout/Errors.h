// Reasons of the layout algebra: the rows of Errors.def.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/base/Sentence.h"
#include "tessera/layout/Tree.h"

namespace tessera::layout {

#define TESSERA_ERRORS "tessera/layout/Errors.def"
#include "tessera/base/Errors.inc"

/// The leaf `x`, which NVIDIA's public dialect writes for a value that could not be computed. The
/// text of a tuple may have it, but no operation accepts it. It is stored as a `_` with another
/// value, and so counts as static.
inline Leaf errorLeaf() {
  Leaf leaf = Leaf::underscore();
  leaf.value = 1;
  return leaf;
}
inline bool isError(const Leaf &leaf) { return leaf.any && leaf.value.is(1); }
inline bool hasError(const Tree &tree) {
  bool error = false;
  tree.forEachLeaf([&](const Leaf &leaf) { error |= isError(leaf); });
  return error;
}

} // namespace tessera::layout
