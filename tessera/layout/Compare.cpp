// Comparisons of tuples: order, equality, and which shape is a coordinate system of which.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/layout/Algebra.h"
#include "tessera/layout/Errors.h"
#include "tessera/layout/Text.h"

#include <algorithm>

namespace tessera::layout {

namespace {
// Logic on the answers of comparisons: a static answer decides, or leaves the other as it is.
Int both(Arith &arith, Int a, Int b) {
  if (a.is(0) || b.is(0))
    return 0;
  return a.is(1) ? b : b.is(1) ? a : arith.bitAnd(a, b);
}
Int either(Arith &arith, Int a, Int b) {
  if (a.is(1) || b.is(1))
    return 1;
  return a.is(0) ? b : b.is(0) ? a : arith.bitOr(a, b);
}
Int negated(Arith &arith, Int a) { return a.isStatic() ? Int(1 - a.value) : arith.bitXor(a, 1); }
Result<Int> negated(Arith &arith, Result<Int> a) {
  if (!a)
    return a;
  return negated(arith, *a);
}

Result<Int> ordered(Arith &arith, const Tree &a, const Tree &b, bool lastFirst);

/// Compares the modes from the `first` one on, in order of their weight.
Result<Int> orderedFrom(Arith &arith, const Tree &a, const Tree &b, bool lastFirst, size_t first) {
  if (first >= a.rank() || first >= b.rank())
    return Int(a.rank() < b.rank());
  const Tree &x = a[lastFirst ? a.rank() - 1 - first : first];
  const Tree &y = b[lastFirst ? b.rank() - 1 - first : first];
  TESSERA_TRY(Int less, ordered(arith, x, y, lastFirst));
  // The rest is compared even if this decides: its structure must match all the same.
  TESSERA_TRY(Int rest, orderedFrom(arith, a, b, lastFirst, first + 1));
  if (less.is(1))
    return Int(1);
  return either(arith, less, both(arith, equal(arith, x, y), rest));
}

Result<Int> ordered(Arith &arith, const Tree &a, const Tree &b, bool lastFirst) {
  if (a.isLeaf() && b.isLeaf())
    return arith.less(a.leaf().value, b.leaf().value);
  if (a.isLeaf() || b.isLeaf())
    return fail(Error::StructureMismatch, str(a), str(b));
  return orderedFrom(arith, a, b, lastFirst, 0);
}
} // namespace

Result<Int> lexLess(Arith &arith, const Tree &a, const Tree &b) {
  return ordered(arith, a, b, false);
}
Result<Int> lexLeq(Arith &arith, const Tree &a, const Tree &b) {
  return negated(arith, lexLess(arith, b, a));
}
Result<Int> colexLess(Arith &arith, const Tree &a, const Tree &b) {
  return ordered(arith, a, b, true);
}
Result<Int> colexLeq(Arith &arith, const Tree &a, const Tree &b) {
  return negated(arith, colexLess(arith, b, a));
}

Result<Int> elemLess(Arith &arith, const Tree &a, const Tree &b) {
  if (a.isLeaf() && b.isLeaf())
    return arith.less(a.leaf().value, b.leaf().value);
  if (a.isLeaf() || b.isLeaf() || a.rank() != b.rank())
    return fail(Error::StructureMismatch, str(a), str(b));
  Int all = 1;
  for (size_t i = 0; i < a.rank(); ++i) {
    TESSERA_TRY(Int one, elemLess(arith, a[i], b[i]));
    all = both(arith, all, one);
  }
  return all;
}
Result<Int> elemLeq(Arith &arith, const Tree &a, const Tree &b) {
  return negated(arith, elemLess(arith, b, a));
}
Result<Int> elemGtr(Arith &arith, const Tree &a, const Tree &b) { return elemLess(arith, b, a); }
Result<Int> elemGeq(Arith &arith, const Tree &a, const Tree &b) {
  return negated(arith, elemLess(arith, a, b));
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
  for (size_t i = 0; i < a.rank(); ++i)
    all = both(arith, all, equal(arith, a[i], b[i]));
  return all;
}

//===------------------------------------------------------------------------------------------===//
// Shapes
//===------------------------------------------------------------------------------------------===//

namespace {
/// I1: `divisor` divides `x`; 0 divides nothing.
Int divides(Arith &arith, Int divisor, Int x) {
  if (divisor.is(0))
    return 0;
  return arith.equal(arith.mod(x, divisor), 0);
}
} // namespace

Int compatible(Arith &arith, const Tree &a, const Tree &b) {
  if (a.isLeaf())
    return arith.equal(a.leaf().value, product(arith, b));
  if (b.isLeaf() || a.rank() != b.rank())
    return 0;
  Int all = 1;
  for (size_t i = 0; i < a.rank(); ++i)
    all = both(arith, all, compatible(arith, a[i], b[i]));
  return all;
}

Int weaklyCompatible(Arith &arith, const Tree &a, const Tree &b) {
  if (a.isLeaf())
    return divides(arith, a.leaf().value, product(arith, b));
  if (b.isLeaf() || a.rank() != b.rank())
    return 0;
  Int all = 1;
  for (size_t i = 0; i < a.rank(); ++i)
    all = both(arith, all, weaklyCompatible(arith, a[i], b[i]));
  return all;
}

namespace {
/// I1: tiles of `tile` elements and `rest` of them are all of `a`.
Int covers(Arith &arith, Int tile, const Result<Tree> &rest, const Tree &a) {
  if (!rest)
    return 0;
  return arith.equal(arith.mul(tile, product(arith, *rest)), product(arith, a));
}
} // namespace

Int evenlyDivides(Arith &arith, const Tree &a, const Tree &b) {
  if (b.isLeaf())
    return covers(arith, b.leaf().value, ceilDiv(arith, a, b), a);
  if (b.rank() > a.rank())
    return 0;
  Int all = 1;
  for (size_t i = 0; i < b.rank(); ++i)
    all = both(arith, all, evenlyDivides(arith, a[i], b[i]));
  return all;
}

Int evenlyDivides(Arith &arith, const Tree &a, const Tile &b) {
  if (b.isAny())
    return 1;
  if (b.isLayout())
    return covers(arith, size(arith, b.single), ceilDiv(arith, a, b), a);
  if (b.rank() > a.rank())
    return 0;
  Int all = 1;
  for (size_t i = 0; i < b.rank(); ++i)
    all = both(arith, all, evenlyDivides(arith, a[i], b.modes[i]));
  return all;
}

} // namespace tessera::layout
