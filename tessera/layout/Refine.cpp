// Refinement of leaves, trees, layouts and tiles.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/layout/Refine.h"

#include <algorithm>

namespace tessera::layout {

bool refines(const Int &a, const Int &b) {
  if (b.isStatic())
    return a.isStatic() && a == b;
  if (a.isStatic())
    return fits(a.value, b.width) && a.value % b.div == 0;
  return a.width <= b.width && a.div % b.div == 0;
}

bool refines(const Leaf &a, const Leaf &b) {
  if (a.any || b.any)
    return a == b;
  return a.basis == b.basis && refines(a.value, b.value);
}

bool refines(const Tree &a, const Tree &b) {
  if (a.isLeaf() || b.isLeaf())
    return a.isLeaf() && b.isLeaf() && refines(a.leaf(), b.leaf());
  return std::equal(a.modes().begin(), a.modes().end(), b.modes().begin(), b.modes().end(),
                    [](const Tree &x, const Tree &y) { return refines(x, y); });
}

namespace {
bool refinesModes(const Tree &shapeA, const Tree &strideA, const Tree &shapeB,
                  const Tree &strideB) {
  if (shapeA.isLeaf())
    return refines(shapeA.leaf(), shapeB.leaf()) &&
           (shapeA.leaf().is(1) || refines(strideA.leaf(), strideB.leaf()));
  for (size_t i = 0; i < shapeA.rank(); ++i)
    if (!refinesModes(shapeA[i], strideA[i], shapeB[i], strideB[i]))
      return false;
  return true;
}
} // namespace

bool refines(const Layout &a, const Layout &b) {
  // A layout's shape and stride have one profile; what was not checked is compared as it stands.
  if (!congruent(a.shape, a.stride) || !congruent(b.shape, b.stride))
    return a == b;
  return congruent(a.shape, b.shape) && refinesModes(a.shape, a.stride, b.shape, b.stride);
}

bool refines(const Composed &a, const Composed &b) {
  const Layout *x = std::get_if<Layout>(&a.inner), *y = std::get_if<Layout>(&b.inner);
  bool inner = x && y ? refines(*x, *y) : a.inner == b.inner;
  return inner && refines(a.offset, b.offset) && refines(a.outer, b.outer);
}

bool refines(const AnyLayout &a, const AnyLayout &b) {
  if (a.affine() && b.affine())
    return refines(*a.affine(), *b.affine());
  return a.composed() && b.composed() && refines(*a.composed(), *b.composed());
}

bool refines(const Tile &a, const Tile &b) {
  if (a.kind != b.kind)
    return false;
  if (a.isLayout())
    return refines(a.single, b.single);
  return std::equal(a.modes.begin(), a.modes.end(), b.modes.begin(), b.modes.end(),
                    [](const Tile &x, const Tile &y) { return refines(x, y); });
}

} // namespace tessera::layout
