// Evaluation: coordinates to indices and back, and slices with their offset.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/layout/Index.h"

#include "tessera/layout/Domains.h"
#include "tessera/layout/Errors.h"
#include "tessera/layout/Modes.h"
#include "tessera/layout/Text.h"

#include <bit>

namespace tessera::layout {

Int size(Arith &arith, const Layout &l) { return product(arith, l.shape); }

namespace {
/// How far from its first element a mode reaches, as far as 32 bits are concerned. Only static
/// strides count: how wide a dynamic one is says its type, and with it how wide its products are.
int64_t reachOf(const Leaf &extent, const Leaf &step) {
  constexpr int64_t most = int64_t(1) << 62, dynamicExtent = int64_t(1) << 31;
  if (!step.isStatic() || step.isBasis() || step.value.isRatio())
    return 0;
  if (!extent.isStatic() && (step.value.value >= -1 && step.value.value <= 1))
    return 0; // its coordinates are indices, and 32 bits hold them
  Applied last = applyChecked(
      LeafOp::Mul, extent.isStatic() ? extent.value.value - 1 : dynamicExtent, step.value.value);
  Applied distance = applyChecked(last.value < 0 ? LeafOp::Sub : LeafOp::Add, 0, last.value);
  return last.overflow || distance.overflow ? most : std::min(distance.value, most);
}
} // namespace

bool reachesBeyond32Bits(const Layout &l) {
  int64_t reach = 0;
  forEachMode(l.shape, l.stride, [&](const Leaf &extent, const Leaf &step) {
    reach = reach < 0 ? reach : reach + reachOf(extent, step);
    if (!fitsI32(reach))
      reach = -1;
  });
  return reach < 0;
}

namespace {
/// A sum of indices that adds up its static terms apart: if they were added one by one, a divisor
/// of the whole sum could be lost on the way.
class Sum {
public:
  explicit Sum(Arith &arith, bool wide = false) : arith(arith), wide(wide) {}
  void add(const Tree &index) {
    Tree &part = index.isStatic() ? fixed : open;
    part = addIndices(arith, part, index);
  }
  /// coordinate * stride: a number, or a tuple for a scaled basis.
  void add(Int coord, const Leaf &stride, const Leaf &extent) {
    if (wide && !coord.isStatic() && reachOf(extent, stride) >= farReach)
      coord.width = Width::I64;
    const Int distance = arith.mul(coord, stride.value);
    whole &= !distance.isRatio();
    add(basisToTuple(Leaf(distance, stride.basis)));
  }
  /// The index of `coord` in `l`, which a stride 1/2@0 has at every other coordinate only.
  Result<Tree> total(const Tree &coord, const Layout &l) const {
    if (!whole)
      return Reason{"NotWhole", cat("expects a coordinate that the strides of \"", str(l),
                                    "\" make whole, but got \"", str(coord), "\"")};
    return addIndices(arith, open, fixed);
  }
  Tree total() const { return addIndices(arith, open, fixed); }

  Arith &arith;

private:
  /// Sixteen modes that reach less far add up to less than 2^31.
  static constexpr int64_t farReach = int64_t(1) << 27;

  bool wide; // products that 32 bits may not hold have 64
  bool whole = true;
  Tree fixed = 0, open = 0;
};

/// An integer coordinate in a tuple shape: each mode takes its share, the last one the rest.
void addIntegerIndex(Sum &sum, Int coord, const Tree &shape, const Tree &stride) {
  if (shape.isLeaf())
    return sum.add(coord, stride.leaf(), shape.leaf());
  for (size_t i = 0; i < shape.rank(); ++i) {
    bool last = i + 1 == shape.rank();
    Int extent = last ? Int(1) : product(sum.arith, shape[i]);
    Int share = last ? coord : sum.arith.mod(coord, extent);
    addIntegerIndex(sum, share, shape[i], stride[i]);
    if (!last)
      coord = sum.arith.div(coord, extent);
  }
}

Result<bool> addIndex(Sum &sum, const Tree &coord, const Tree &shape, const Tree &stride) {
  if (coord.isLeaf()) {
    addIntegerIndex(sum, coord.leaf().any ? Int(0) : coord.leaf().value, shape, stride);
    return true;
  }
  if (shape.isLeaf() || shape.rank() != coord.rank())
    return fail(Error::CoordRank, shape.rank(), coord.rank(), str(coord));
  for (size_t i = 0; i < coord.rank(); ++i)
    if (auto done = addIndex(sum, coord[i], shape[i], stride[i]); !done)
      return done;
  return true;
}
} // namespace

Result<Tree> crd2idxAfter(Arith &arith, const Tree &offset, const Tree &coord, const Layout &l) {
  Sum sum(arith);
  sum.add(offset);
  if (auto done = addIndex(sum, coord, l.shape, l.stride); !done)
    return std::move(done).reason();
  return sum.total(coord, l);
}
Result<Tree> crd2idx(Arith &arith, const Tree &coord, const Layout &l) {
  return crd2idxAfter(arith, Tree(0), coord, l);
}

Tree wideEnough(const Tree &coord, const AnyLayout &l) {
  bool known = l.outer().shape.isStatic() && l.outer().stride.isStatic();
  if (coord.isStatic() || !known || !reachesBeyond32Bits(l.outer()))
    return coord;
  return coord.map([](Leaf leaf) {
    if (!leaf.isStatic())
      leaf.value.width = Width::I64;
    return leaf;
  });
}

Int applySwizzle(Arith &arith, const Swizzle &s, Int index) {
  if (index.isStatic())
    return s(index.value);
  Int source = arith.bitAnd(index, int64_t(s.sourceMask()));
  Int moved =
      s.shift >= 0 ? arith.shiftRight(source, s.shift) : arith.mul(source, int64_t(1) << -s.shift);
  return arith.bitXor(index, moved);
}

Result<Tree> elementIndex(Arith &arith, const Tree &coord, const AnyLayout &l, bool far) {
  const Swizzle *swizzle = l.composed() ? l.composed()->swizzle() : nullptr;
  if (!far || !(l.affine() || swizzle))
    return crd2idx(arith, wideEnough(coord, l), l);
  Sum sum(arith, reachesBeyond32Bits(l.outer()));
  if (swizzle)
    sum.add(l.composed()->offset);
  if (auto done = addIndex(sum, coord, l.outer().shape, l.outer().stride); !done)
    return std::move(done).reason();
  TESSERA_TRY(Tree at, sum.total(coord, l.outer()));
  return swizzle ? Tree(applySwizzle(arith, *swizzle, at.leaf().value)) : at;
}

Result<Tree> crd2idx(Arith &arith, const Tree &coord, const AnyLayout &l) {
  if (const Layout *affine = l.affine())
    return crd2idx(arith, coord, *affine);
  const Composed &c = *l.composed();
  TESSERA_TRY(Tree at, crd2idxAfter(arith, c.offset, coord, c.outer));
  if (const Swizzle *swizzle = c.swizzle())
    return Tree(applySwizzle(arith, *swizzle, at.leaf().value));
  return crd2idx(arith, at, std::get<Layout>(c.inner));
}

Result<Tree> coshape(Arith &arith, const AnyLayout &l) {
  if (l.composed() && !l.composed()->swizzle())
    return fail(Error::CosizeAffine, str(l));
  Layout forward = l.outer();
  forward.stride.forEachLeaf([&](Leaf &leaf) {
    if (!leaf.isStatic())
      arith.assume(Pre::AtMost, 0, leaf.value);
    else if (leaf.value.value < 0)
      leaf.value = arith.sub(0, leaf.value);
  });
  Int last = arith.sub(size(arith, forward), 1);
  TESSERA_TRY(Tree at, crd2idx(arith, Tree(last), forward));
  return at.map([&](const Leaf &leaf) { return Leaf(arith.add(leaf.value, 1)); });
}

Result<Int> cosize(Arith &arith, const AnyLayout &l) {
  TESSERA_TRY(Tree extent, coshape(arith, l));
  return product(arith, extent);
}

Result<Tree> idx2crd(Arith &arith, const Tree &index, const Tree &shape) {
  if (shape.isLeaf() && index.isTuple())
    return fail(Error::IndexNested, str(shape), str(index));
  if (shape.isLeaf())
    return index;
  Trees modes;
  if (index.isTuple()) {
    if (index.rank() != shape.rank())
      return fail(Error::IndexRank, shape.rank(), index.rank(), str(index));
    for (size_t i = 0; i < shape.rank(); ++i) {
      TESSERA_TRY(Tree mode, idx2crd(arith, index[i], shape[i]));
      modes.push_back(std::move(mode));
    }
    return Tree(std::move(modes));
  }
  Int rest = index.leaf().value;
  for (size_t i = 0; i < shape.rank(); ++i) {
    bool last = i + 1 == shape.rank();
    Int extent = last ? Int(1) : product(arith, shape[i]);
    TESSERA_TRY(Tree mode, idx2crd(arith, Tree(last ? rest : arith.mod(rest, extent)), shape[i]));
    modes.push_back(std::move(mode));
    if (!last)
      rest = arith.div(rest, extent);
  }
  return Tree(std::move(modes));
}

Tree idx2crd(Arith &arith, Int index, const Tree &shape, const Tree &stride) {
  if (stride.isLeaf() && shape.isLeaf()) {
    // A mode that nothing steps through has only the coordinate 0.
    if (shape.leaf().is(1) || stride.leaf().value.is(0))
      return Tree(0);
    return arith.mod(arith.div(index, stride.leaf().value), shape.leaf().value);
  }
  Trees modes;
  for (size_t i = 0; i < shape.rank(); ++i)
    modes.push_back(idx2crd(arith, index, shape[i], stride[i]));
  return modes;
}

Result<Tree> flatCoord(Arith &arith, const Tree &index, const Tree &shape) {
  if (shape.isLeaf())
    return index;
  return idx2crd(arith, index, productEach(arith, shape));
}

Tree hierCoord(Arith &arith, Int index, const Layout &l) {
  return idx2crd(arith, index, l.shape, l.stride);
}

Tree flatCoord(Arith &arith, Int index, const Layout &l) {
  Tree coord = hierCoord(arith, index, l);
  auto asInteger = [&](const Tree &mode, const Tree &shape) {
    return *crd2idx(arith, mode, compactMajor(arith, shape)); // congruent, so there is one
  };
  if (l.rank() == 1)
    return asInteger(coord, l.shape);
  Trees modes;
  for (size_t i = 0; i < l.rank(); ++i)
    modes.push_back(asInteger(coord[i], l.shape[i]));
  return modes;
}

Result<Tree> crd2crd(Arith &arith, const Tree &coord, const Tree &from, const Tree &to) {
  if (coord.isLeaf() || from.isLeaf() || to.isLeaf()) {
    TESSERA_TRY(Tree index, crd2idx(arith, coord, compactMajor(arith, from)));
    return idx2crd(arith, index, to);
  }
  if (coord.rank() != from.rank())
    return fail(Error::CoordRank, from.rank(), coord.rank(), str(coord));
  if (from.rank() != to.rank())
    return fail(Error::StructureMismatch, str(from), str(to));
  Trees modes;
  for (size_t i = 0; i < coord.rank(); ++i) {
    TESSERA_TRY(Tree mode, crd2crd(arith, coord[i], from[i], to[i]));
    modes.push_back(std::move(mode));
  }
  return Tree(std::move(modes));
}

Tree coprofile(const AnyLayout &l) {
  const Composed *c = l.composed();
  const Layout &last = c && !c->swizzle() ? std::get<Layout>(c->inner) : l.outer();
  Symbolic arith; // adds zeros only
  Tree profile = 0;
  last.stride.forEachLeaf([&](const Leaf &step) {
    profile = addIndices(arith, profile, basisToTuple(Leaf(0, step.basis)));
  });
  return profile;
}

namespace {
/// Steps `coord` if `carry` and returns whether it wrapped: the carry of the next mode, an I1 or
/// static. The `last` leaf of all does not wrap.
Tree step(Arith &arith, const Tree &coord, const Tree &shape, Int &carry, bool last) {
  if (coord.isLeaf()) {
    Int next = arith.add(coord.leaf().value, carry);
    if (last)
      return next;
    Int extent = product(arith, shape);
    carry = arith.equal(next, extent);
    // next * (1 - wrapped): back to 0 where the extent is reached.
    return arith.mul(next, arith.sub(1, carry));
  }
  Trees modes;
  for (size_t i = 0; i < coord.rank(); ++i)
    modes.push_back(step(arith, coord[i], shape[i], carry, last && i + 1 == coord.rank()));
  return modes;
}
} // namespace

Result<Tree> incrementCoord(Arith &arith, const Tree &coord, const Tree &shape) {
  if (!weaklyCongruent(coord, shape))
    return fail(Error::NotWeaklyCongruent, str(coord), str(shape));
  Int carry = 1;
  return step(arith, coord, shape, carry, true);
}

//===------------------------------------------------------------------------------------------===//
// Slices of swizzled layouts
//===------------------------------------------------------------------------------------------===//

namespace {
/// The part of an index that `coord` contributes, with in-range coordinates: masks stay tight.
void addBoundedIndex(Sum &sum, const Tree &coord, const Tree &shape, const Tree &stride) {
  if (coord.isLeaf())
    return addIntegerIndex(sum, Arith::inRange(coord.leaf().value, product(sum.arith, shape)),
                           shape, stride);
  for (size_t i = 0; i < coord.rank(); ++i)
    addBoundedIndex(sum, coord[i], shape[i], stride[i]);
}

/// All bits that indices of a static layout may have.
uint64_t reachableBits(const Layout &l) {
  uint64_t bits = 0;
  std::vector<Leaf> shape = l.shape.leaves(), stride = l.stride.leaves();
  for (size_t i = 0; i < shape.size(); ++i) {
    Int extent = shape[i].value, step = stride[i].value;
    if (step.is(0) || extent.is(1))
      continue;
    if (!extent.isStatic() || !step.isStatic() || step.value < 0)
      return ~uint64_t(0);
    // c * step has no bits below the lowest of step and none above those of the largest product.
    if (extent.value < 1)
      return ~uint64_t(0);
    Applied largest = applyChecked(LeafOp::Mul, extent.value - 1, step.value);
    if (largest.overflow)
      return ~uint64_t(0);
    int top = std::bit_width(uint64_t(largest.value));
    uint64_t below = top == 64 ? ~uint64_t(0) : (uint64_t(1) << top) - 1;
    bits = Arith::sumBits(bits, below & (~uint64_t(0) << std::countr_zero(uint64_t(step.value))));
  }
  return bits;
}

/// Strides 1 << i of one side of the swizzle as they look after it, given the bits of the offset.
Tree swizzleStrides(Arith &arith, const Swizzle &s, Int offset, bool target) {
  int64_t source = int64_t(s.sourceMask() & (~s.sourceMask() + 1));
  int64_t goal = int64_t(s.targetMask() & (~s.targetMask() + 1));
  Trees strides;
  for (int i = 0; i < s.bits; ++i) {
    int64_t y = source << i, z = goal << i;
    // A target bit moves the index by +z where the offset's source bit is 0, by -z where it is 1; a
    // source bit takes its target bit along, by y+z or, where that bit is set already, by y-z.
    Int deciding = arith.bitAnd(offset, target ? y : z);
    Int minusTwice;
    if (!target)
      minusTwice = arith.mul(deciding, 2);
    else if (s.shift >= 0)
      minusTwice = arith.mul(arith.shiftRight(deciding, s.shift), 2);
    else
      minusTwice = arith.mul(deciding, int64_t(2) << -s.shift);
    strides.emplace_back(arith.sub(target ? z : y + z, minusTwice));
  }
  return strides;
}

/// The layout that a swizzle is on indices without the bits of `offset`, relative to its value
/// there.
Layout unswizzled(Arith &arith, const Swizzle &s, Int offset) {
  bool targetLow = s.shift >= 0;
  Tree low = swizzleStrides(arith, s, offset, targetLow);
  Tree high = swizzleStrides(arith, s, offset, !targetLow);
  int between = s.distance() - s.bits, top = s.base + s.bits + s.distance();
  Tree twos = repeat(Tree(2), size_t(s.bits));
  return {Tree::of({Tree(int64_t(1) << s.base), twos, Tree(int64_t(1) << between), twos, Tree(1)}),
          Tree::of({Tree(1), low, Tree(int64_t(1) << (s.base + s.bits)), high,
                    Tree(int64_t(1) << top)})};
}

/// The bits that a leaf may have.
uint64_t bitsOf(Int x) { return x.isStatic() ? uint64_t(x.value) : x.mask; }

/// `s` at offset + fixed + kept(c).
Sliced sliceSwizzle(const Swizzle &s, Int offset, Sum fixed, Layout kept) {
  Arith &arith = fixed.arith;
  const Int fixedIndex = fixed.total().leaf().value;
  auto whole = [&] {
    fixed.add(offset);
    return fixed.total().leaf().value;
  };
  const uint64_t active = s.sourceMask() | s.targetMask(), keptBits = reachableBits(kept);
  // A swizzle distributes over an exclusive or: what is added must have no bit in common, up to the
  // highest bit that the swizzle looks at.
  const uint64_t low = active == 0 ? 0 : (std::bit_floor(active) << 1) - 1;
  Int inside = 0, outside = 0; // what goes through the swizzle, and what is added after it
  const bool overlap = (bitsOf(offset) & bitsOf(fixedIndex) & low) != 0;
  if (!overlap) {
    inside = arith.bitXor(offset, arith.bitAnd(fixedIndex, int64_t(active)));
    outside = arith.bitAnd(fixedIndex, int64_t(~active));
  } else {
    inside = whole();
  }
  if ((bitsOf(outside) & Arith::sumBits(bitsOf(inside), keptBits) & low) != 0)
    return {compose(s, Tree(overlap ? inside : whole()), std::move(kept)), Tree(0)};

  uint64_t hit = keptBits & active;
  bool bitByBit = (bitsOf(inside) & keptBits & low) == 0 && (hit & ~uint64_t(s(int64_t(hit)))) == 0;
  if (bitByBit) {
    // A mode that does not consist of whole bits stays.
    if (Result<Layout> plain = composition(arith, unswizzled(arith, s, inside), kept))
      return {AnyLayout(*std::move(plain)),
              Tree(arith.add(applySwizzle(arith, s, inside), outside))};
  }
  return {compose(s, Tree(inside), std::move(kept)), Tree(outside)};
}
} // namespace

/// `wide`: products that 32 bits may not hold have 64.
static Result<Sliced> sliceComposed(Arith &arith, const Tree &coord, const Composed &c, bool wide) {
  TESSERA_TRY(Layout kept, slice(c.outer, coord));
  const Swizzle *s = c.swizzle();
  if (!s || coord.isAllUnderscore()) {
    // An affine inner layout takes the fixed coordinates into the offset.
    TESSERA_TRY(Tree at, crd2idxAfter(arith, c.offset, coord, c.outer));
    return Sliced{AnyLayout(Composed{c.inner, std::move(at), std::move(kept)}), Tree(0)};
  }
  TESSERA_TRY(Layout fixed, dice(c.outer, coord));
  TESSERA_TRY(Tree fixedCoord, dice(coord, coord));
  Sum index(arith, wide);
  addBoundedIndex(index, fixedCoord, fixed.shape, fixed.stride);
  return sliceSwizzle(*s, c.offset.leaf().value, std::move(index), std::move(kept));
}

Result<Sliced> sliceTensor(Arith &arith, const Tree &coord, const AnyLayout &l, bool far) {
  if (const Composed *c = l.composed(); far && c && c->swizzle())
    return sliceComposed(arith, coord, *c, reachesBeyond32Bits(c->outer));
  const Layout *affine = l.affine();
  if (!affine || !far)
    return sliceAndOffset(arith, wideEnough(coord, l), l);
  TESSERA_TRY(Layout kept, slice(*affine, coord));
  TESSERA_TRY(Tree offset, elementIndex(arith, coord, l, far));
  return Sliced{AnyLayout(std::move(kept)), std::move(offset)};
}

Result<Sliced> sliceAndOffset(Arith &arith, const Tree &coord, const AnyLayout &l) {
  const Layout *affine = l.affine();
  if (!affine)
    return sliceComposed(arith, coord, *l.composed(), /*wide=*/false);
  TESSERA_TRY(Layout kept, slice(*affine, coord));
  TESSERA_TRY(Tree offset, crd2idx(arith, coord, *affine));
  return Sliced{std::move(kept), std::move(offset)};
}

} // namespace tessera::layout
