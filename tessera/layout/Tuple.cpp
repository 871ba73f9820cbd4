// Arithmetic on nested tuples.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/layout/Algebra.h"
#include "tessera/layout/Errors.h"
#include "tessera/layout/Text.h"

#include <algorithm>

namespace tessera::layout {

Int product(Arith &arith, const Tree &tree) {
  Int result = 1;
  tree.forEachLeaf([&](const Leaf &leaf) { result = arith.mul(result, leaf.value); });
  return result;
}

Tree productEach(Arith &arith, const Tree &tree) {
  std::vector<Tree> modes;
  for (size_t i = 0, rank = tree.rank(); i < rank; ++i)
    modes.emplace_back(product(arith, tree[i]));
  return modes;
}

Result<Tree> productLike(Arith &arith, const Tree &tree, const Tree &guide) {
  if (guide.isLeaf())
    return Tree(product(arith, tree));
  if (tree.isLeaf() || tree.rank() != guide.rank())
    return fail(Error::StructureMismatch, str(tree), str(guide));
  std::vector<Tree> modes;
  for (size_t i = 0; i < guide.rank(); ++i) {
    TESSERA_TRY(Tree mode, productLike(arith, tree[i], guide[i]));
    modes.push_back(std::move(mode));
  }
  return Tree(std::move(modes));
}

namespace {
/// Applies `op` to partners of two trees. `scalars`: a leaf meets every leaf of a tuple.
template <class Op>
Result<Tree> zipLeaves(const Tree &a, const Tree &b, bool scalars, Op op) {
  if (a.isLeaf() && b.isLeaf())
    return Tree(op(a.leaf().value, b.leaf().value));
  bool spread = scalars && (a.isLeaf() || b.isLeaf());
  if (!spread && (a.isLeaf() || b.isLeaf() || a.rank() != b.rank()))
    return fail(Error::StructureMismatch, str(a), str(b));
  std::vector<Tree> modes;
  for (size_t i = 0, n = std::max(a.isTuple() ? a.rank() : 0, b.isTuple() ? b.rank() : 0); i < n; ++i) {
    TESSERA_TRY(Tree mode, zipLeaves(a[i], b[i], scalars, op));
    modes.push_back(std::move(mode));
  }
  return Tree(std::move(modes));
}

bool hasZeroDivisor(const Tree &b) {
  bool zero = false;
  b.forEachLeaf([&](const Leaf &leaf) { zero |= leaf.is(0); });
  return zero;
}
} // namespace

Result<Tree> add(Arith &arith, const Tree &a, const Tree &b) {
  return zipLeaves(a, b, false, [&](Int x, Int y) { return arith.add(x, y); });
}
Result<Tree> sub(Arith &arith, const Tree &a, const Tree &b) {
  return zipLeaves(a, b, false, [&](Int x, Int y) { return arith.sub(x, y); });
}
Result<Tree> mul(Arith &arith, const Tree &a, const Tree &b) {
  return zipLeaves(a, b, true, [&](Int x, Int y) { return arith.mul(x, y); });
}
Result<Tree> div(Arith &arith, const Tree &a, const Tree &b) {
  if (hasZeroDivisor(b))
    return fail(Error::DivisorZero, str(a), str(b));
  return zipLeaves(a, b, true, [&](Int x, Int y) { return arith.div(x, y); });
}
Result<Tree> mod(Arith &arith, const Tree &a, const Tree &b) {
  if (hasZeroDivisor(b))
    return fail(Error::DivisorZero, str(a), str(b));
  return zipLeaves(a, b, true, [&](Int x, Int y) { return arith.mod(x, y); });
}

Tree basisToTuple(const Leaf &leaf) {
  if (!leaf.isBasis())
    return leaf;
  std::vector<Tree> modes(size_t(leaf.basis[0]), Tree(0));
  modes.push_back(basisToTuple(Leaf(leaf.value, leaf.basis.tail())));
  return modes;
}

Tree addIndices(Arith &arith, const Tree &a, const Tree &b) {
  if (a.isLeaf() && b.isLeaf())
    return arith.add(a.leaf().value, b.leaf().value);
  if (a.isLeaf() || b.isLeaf()) {
    // A plain zero is the neutral element of every codomain; anything else goes to the first mode.
    const Tree &tuple = a.isTuple() ? a : b, &leaf = a.isTuple() ? b : a;
    if (leaf.leaf().is(0))
      return tuple;
    return addIndices(arith, tuple, Tree::of({leaf}));
  }
  std::vector<Tree> modes;
  for (size_t i = 0; i < std::max(a.rank(), b.rank()); ++i)
    modes.push_back(i >= a.rank()   ? b[i]
                    : i >= b.rank() ? a[i]
                                    : addIndices(arith, a[i], b[i]));
  return modes;
}

namespace {
Result<Int> shapeDivLeaf(Arith &arith, Int a, Int b) {
  if (b.is(0))
    return fail(Error::DivisorZero, str(a), str(b));
  if (a.isStatic() && b.isStatic()) {
    if (a.value % b.value == 0)
      return Int(a.value / b.value);
    if (a.value != 0 && b.value % a.value == 0)
      return Int((a.value > 0) == (b.value > 0) ? 1 : -1);
    return fail(Error::ShapeDivIndivisible, str(a), str(b));
  }
  arith.assume(Pre::DividesOrSmaller, a, b);
  return arith.ceilDiv(a, b);
}
} // namespace

Result<Tree> shapeDiv(Arith &arith, const Tree &a, const Tree &b) {
  if (a.isLeaf() && b.isLeaf()) {
    TESSERA_TRY(Int quotient, shapeDivLeaf(arith, a.leaf().value, b.leaf().value));
    return Tree(quotient);
  }
  if (a.isLeaf())
    return shapeDiv(arith, a, Tree(product(arith, b)));
  std::vector<Tree> modes;
  if (b.isTuple()) {
    if (a.rank() != b.rank())
      return fail(Error::StructureMismatch, str(a), str(b));
    for (size_t i = 0; i < a.rank(); ++i) {
      TESSERA_TRY(Tree mode, shapeDiv(arith, a[i], b[i]));
      modes.push_back(std::move(mode));
    }
    return Tree(std::move(modes));
  }
  Tree rest = b;
  for (const Tree &mode : a.modes()) {
    TESSERA_TRY(Tree quotient, shapeDiv(arith, mode, rest));
    TESSERA_TRY(rest, shapeDiv(arith, rest, Tree(product(arith, mode))));
    modes.push_back(std::move(quotient));
  }
  return Tree(std::move(modes));
}

Result<Tree> ceilDiv(Arith &arith, const Tree &a, const Tree &b) {
  if (b.isLeaf() && b.leaf().is(0))
    return fail(Error::TilerZero, str(b));
  if (a.isLeaf())
    return Tree(arith.ceilDiv(a.leaf().value, b.isLeaf() ? b.leaf().value : product(arith, b)));
  std::vector<Tree> modes;
  if (b.isTuple()) {
    if (a.rank() < b.rank())
      return fail(Error::TilerRank, b.rank(), a.rank());
    for (size_t i = 0; i < a.rank(); ++i) {
      TESSERA_TRY(Tree mode, i < b.rank() ? ceilDiv(arith, a[i], b[i]) : Result<Tree>(a[i]));
      modes.push_back(std::move(mode));
    }
    return Tree(std::move(modes));
  }
  Int rest = b.leaf().value;
  for (const Tree &mode : a.modes()) {
    TESSERA_TRY(Tree quotient, ceilDiv(arith, mode, Tree(rest)));
    modes.push_back(std::move(quotient));
    rest = arith.ceilDiv(rest, product(arith, mode));
  }
  return Tree(std::move(modes));
}

Result<Tree> ceilDiv(Arith &arith, const Tree &a, const Tile &tile) {
  if (tile.isAny())
    return a;
  if (tile.isLayout()) {
    TESSERA_TRY(Layout rest, complement(arith, tile.single, a));
    return rest.shape;
  }
  if (a.rank() < tile.rank())
    return fail(Error::TilerRank, tile.rank(), a.rank());
  std::vector<Tree> modes;
  for (size_t i = 0; i < a.rank(); ++i) {
    TESSERA_TRY(Tree mode,
                i < tile.rank() ? ceilDiv(arith, a[i], tile.modes[i]) : Result<Tree>(a[i]));
    modes.push_back(std::move(mode));
  }
  return Tree(std::move(modes));
}

Result<Int> elemLess(Arith &arith, const Tree &a, const Tree &b) {
  if (a.isLeaf() && b.isLeaf())
    return arith.less(a.leaf().value, b.leaf().value);
  if (a.isLeaf() || b.isLeaf() || a.rank() != b.rank())
    return fail(Error::StructureMismatch, str(a), str(b));
  Int all = 1;
  for (size_t i = 0; i < a.rank(); ++i) {
    TESSERA_TRY(Int one, elemLess(arith, a[i], b[i]));
    all = all.is(1) ? one : one.is(1) ? all : arith.bitAnd(all, one);
  }
  return all;
}

Int equal(Arith &arith, const Tree &a, const Tree &b) {
  if (a.isLeaf() && b.isLeaf()) {
    if (a.leaf().any || b.leaf().any || a.leaf().basis != b.leaf().basis)
      return a.leaf().any && b.leaf().any;
    return arith.equal(a.leaf().value, b.leaf().value);
  }
  if (a.isLeaf() || b.isLeaf() || a.rank() != b.rank())
    return 0;
  Int all = 1;
  for (size_t i = 0; i < a.rank(); ++i) {
    Int one = equal(arith, a[i], b[i]);
    all = all.is(1) ? one : one.is(1) ? all : arith.bitAnd(all, one);
  }
  return all;
}

} // namespace tessera::layout
