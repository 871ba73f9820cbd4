// Arithmetic on nested tuples.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/layout/Algebra.h"
#include "tessera/layout/Domains.h"
#include "tessera/layout/Errors.h"
#include "tessera/layout/Text.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace tessera::layout {

Int product(Arith &arith, const Tree &tree) {
  Int result = 1;
  tree.forEachLeaf([&](const Leaf &leaf) { result = arith.mul(result, leaf.value); });
  return result;
}

Tree productEach(Arith &arith, const Tree &tree) {
  Trees modes;
  for (size_t i = 0, rank = tree.rank(); i < rank; ++i)
    modes.emplace_back(product(arith, tree[i]));
  return modes;
}

Result<Tree> productLike(Arith &arith, const Tree &tree, const Tree &guide) {
  if (guide.isLeaf())
    return Tree(product(arith, tree));
  if (tree.isLeaf() || tree.rank() != guide.rank())
    return fail(Error::StructureMismatch, str(tree), str(guide));
  Trees modes;
  for (size_t i = 0; i < guide.rank(); ++i) {
    TESSERA_TRY(Tree mode, productLike(arith, tree[i], guide[i]));
    modes.push_back(std::move(mode));
  }
  return Tree(std::move(modes));
}

namespace {
/// Applies `op` to partners of two trees. `scalars`: a leaf meets every leaf of a tuple.
template <class Op> Result<Tree> zipLeaves(const Tree &a, const Tree &b, bool scalars, Op op) {
  if (a.isLeaf() && b.isLeaf())
    return Tree(op(a.leaf().value, b.leaf().value));
  bool spread = scalars && (a.isLeaf() || b.isLeaf());
  if (!spread && (a.isLeaf() || b.isLeaf() || a.rank() != b.rank()))
    return fail(Error::StructureMismatch, str(a), str(b));
  Trees modes;
  for (size_t i = 0, n = std::max(a.isTuple() ? a.rank() : 0, b.isTuple() ? b.rank() : 0); i < n;
       ++i) {
    TESSERA_TRY(Tree mode, zipLeaves(a[i], b[i], scalars, op));
    modes.push_back(std::move(mode));
  }
  return Tree(std::move(modes));
}

/// What `b` divides: a dynamic one must not be negative, nor a dynamic `b` be 0.
Int dividend(Arith &arith, Int a, Int b) {
  if (!a.isStatic())
    arith.assume(Pre::AtMost, 0, a);
  if (!b.isStatic())
    arith.assume(Pre::NonZero, b);
  return a;
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
  return zipLeaves(a, b, true, [&](Int x, Int y) { return arith.div(dividend(arith, x, y), y); });
}
Result<Tree> mod(Arith &arith, const Tree &a, const Tree &b) {
  if (hasZeroDivisor(b))
    return fail(Error::DivisorZero, str(a), str(b));
  return zipLeaves(a, b, true, [&](Int x, Int y) { return arith.mod(dividend(arith, x, y), y); });
}

Tree basisToTuple(const Leaf &leaf) {
  if (!leaf.isBasis())
    return leaf;
  Trees modes(size_t(leaf.basis[0]), Tree(0));
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
  Trees modes;
  for (size_t i = 0; i < std::max(a.rank(), b.rank()); ++i)
    modes.push_back(i >= a.rank() ? b[i] : i >= b.rank() ? a[i] : addIndices(arith, a[i], b[i]));
  return modes;
}

namespace {
Result<Int> shapeDivLeaf(Arith &arith, Int a, Int b) {
  if (b.is(0))
    return fail(Error::DivisorZero, str(a), str(b));
  if (a.isStatic() && b.isStatic()) {
    if (apply(LeafOp::Mod, a.value, b.value) == 0)
      return arith.div(a, b);
    if (a.value != 0 && apply(LeafOp::Mod, b.value, a.value) == 0)
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
  Trees modes;
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
  if (a.isLeaf()) {
    const Int divisor = b.isLeaf() ? b.leaf().value : product(arith, b);
    if (!divisor.isStatic())
      arith.assume(Pre::NonZero, divisor);
    return Tree(arith.ceilDiv(a.leaf().value, divisor));
  }
  Trees modes;
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
  Trees modes;
  for (size_t i = 0; i < a.rank(); ++i) {
    TESSERA_TRY(Tree mode,
                i < tile.rank() ? ceilDiv(arith, a[i], tile.modes[i]) : Result<Tree>(a[i]));
    modes.push_back(std::move(mode));
  }
  return Tree(std::move(modes));
}

Result<Tree> roundUp(Arith &arith, const Tree &a, const Tree &b) {
  if (a.isLeaf() != b.isLeaf() || a.rank() < b.rank())
    return fail(Error::StructureMismatch, str(a), str(b));
  if (a.isLeaf()) {
    if (b.leaf().is(0))
      return fail(Error::DivisorZero, str(a), str(b));
    return Tree(arith.mul(arith.ceilDiv(a.leaf().value, b.leaf().value), b.leaf().value));
  }
  Trees modes;
  for (size_t i = 0; i < a.rank(); ++i) {
    TESSERA_TRY(Tree mode, i < b.rank() ? roundUp(arith, a[i], b[i]) : Result<Tree>(a[i]));
    modes.push_back(std::move(mode));
  }
  return Tree(std::move(modes));
}

//===------------------------------------------------------------------------------------------===//
// Reductions
//===------------------------------------------------------------------------------------------===//

Int sum(Arith &arith, const Tree &tree) {
  Int total = 0;
  tree.forEachLeaf([&](const Leaf &leaf) { total = arith.add(total, leaf.value); });
  return total;
}

Result<Int> innerProduct(Arith &arith, const Tree &a, const Tree &b) {
  TESSERA_TRY(Tree products, zipLeaves(a, b, false, [&](Int x, Int y) { return arith.mul(x, y); }));
  return sum(arith, products);
}

namespace {
template <class Op> Result<Int> reduce(const Tree &tree, Op op) {
  std::vector<Leaf> leaves = tree.leaves();
  if (leaves.empty())
    return fail(Error::NoLeaves, str(tree));
  Int result = leaves[0].value;
  for (size_t i = 1; i < leaves.size(); ++i)
    result = op(result, leaves[i].value);
  return result;
}
} // namespace

Result<Int> maxLeaf(Arith &arith, const Tree &tree) {
  return reduce(tree, [&](Int x, Int y) { return arith.max(x, y); });
}

Result<Int> minLeaf(Arith &arith, const Tree &tree) {
  return reduce(tree, [&](Int x, Int y) {
    if (!x.is(1) && !y.is(1))
      return arith.min(x, y);
    if (x.isStatic() && y.isStatic())
      return arith.min(x, y);
    // Arith::min takes its operands for extents, of which none is below 1; a leaf here may be.
    return arith.sub(0, arith.max(arith.sub(0, x), arith.sub(0, y)));
  });
}

Result<Int> gcdOfLeaves(const Tree &tree) {
  uint64_t common = 0;
  tree.forEachLeaf([&](const Leaf &leaf) {
    int64_t x = leaf.value.value;
    if (leaf.isStatic())
      common = std::gcd(common, x < 0 ? -uint64_t(x) : uint64_t(x));
  });
  bool decided =
      true; // a dynamic leaf changes nothing if what it is a multiple of is one of `common`
  tree.forEachLeaf([&](const Leaf &leaf) {
    decided &= leaf.isStatic() || (common != 0 && uint64_t(leaf.value.div) % common == 0);
  });
  if (!decided)
    return fail(Error::GcdDynamic, str(tree));
  if (common > uint64_t(std::numeric_limits<int64_t>::max()))
    return fail(Error::ResultTooLarge);
  return Int(int64_t(common));
}

} // namespace tessera::layout
