// Layouts made from shapes: compact, ordered, alike, identity.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/layout/Algebra.h"
#include "tessera/layout/Domains.h"
#include "tessera/layout/Errors.h"
#include "tessera/layout/Text.h"

namespace tessera::layout {

namespace {
/// Strides of a compact layout that starts at `next`; advances `next` by the size.
Tree compactStrides(Arith &arith, const Tree &shape, Int &next) {
  if (shape.isLeaf()) {
    Int extent = shape.leaf().value;
    if (extent.is(1))
      return Tree(0);
    Int stride = next;
    next = arith.mul(next, extent);
    return stride;
  }
  Trees modes;
  modes.reserve(shape.rank());
  for (const Tree &mode : shape.modes())
    modes.push_back(compactStrides(arith, mode, next));
  return modes;
}

/// A part of a shape and the rank that decides which stride it gets.
struct Ordered {
  Tree extent; // a leaf, or a sub-shape that is kept left-major
  Int rank;
};

Result<bool> collectOrder(const Tree &shape, const Tree &order, std::vector<Ordered> &out) {
  if (order.isLeaf()) {
    if (order.leaf().isBasis() || order.leaf().any)
      return fail(Error::OrderDynamic, str(order));
    out.push_back({shape, order.leaf().value});
    return true;
  }
  if (shape.isLeaf() || shape.rank() != order.rank())
    return fail(Error::OrderRank, str(order), str(shape));
  for (size_t i = 0; i < order.rank(); ++i) {
    auto ok = collectOrder(shape[i], order[i], out);
    if (!ok)
      return ok;
  }
  return true;
}

Tree rebuild(const Tree &order, const Trees &strides, size_t &next) {
  if (order.isLeaf())
    return strides[next++];
  Trees modes;
  for (const Tree &mode : order.modes())
    modes.push_back(rebuild(mode, strides, next));
  return modes;
}

/// Whether `a` comes before `b`: static ranks ascending, then the dynamic ones in order of
/// position.
bool comesBefore(const std::vector<Ordered> &modes, size_t a, size_t b) {
  const Int &x = modes[a].rank, &y = modes[b].rank;
  if (x.isStatic() != y.isStatic())
    return x.isStatic();
  return x.isStatic() ? x.value < y.value : a < b;
}

/// Each part starts where those that come before it end; equal ranks start at the same stride.
Result<Tree> orderedStrides(Arith &arith, const Tree &shape, const Tree &order) {
  std::vector<Ordered> modes;
  auto collected = collectOrder(shape, order, modes);
  if (!collected)
    return std::move(collected).reason();
  Trees strides(modes.size(), Tree());
  for (size_t i = 0; i < modes.size(); ++i) {
    Int start = 1;
    for (size_t j = 0; j < modes.size(); ++j)
      if (comesBefore(modes, j, i))
        start = arith.mul(start, product(arith, modes[j].extent));
    strides[i] = compactStrides(arith, modes[i].extent, start);
  }
  size_t position = 0;
  return rebuild(order, strides, position);
}
} // namespace

Layout compactMajor(Arith &arith, const Tree &shape) {
  Int next = 1;
  Tree stride = compactStrides(arith, shape, next);
  return {shape, std::move(stride)};
}

namespace {
/// Leaf strides from the last leaf on.
Tree strideFromRight(Arith &arith, const Tree &shape, Int &next) {
  if (shape.isLeaf()) // the same rule for one leaf
    return compactStrides(arith, shape, next);
  Trees modes(shape.rank(), Tree());
  for (size_t i = shape.rank(); i-- > 0;)
    modes[i] = strideFromRight(arith, shape[i], next);
  return modes;
}
} // namespace

Layout compactRight(Arith &arith, const Tree &shape) {
  Int next = 1;
  Tree stride = strideFromRight(arith, shape, next);
  return {shape, std::move(stride)};
}

Result<Layout> orderedLayout(Arith &arith, const Tree &shape, const Tree &order) {
  TESSERA_TRY(Tree stride, orderedStrides(arith, shape, order));
  return Layout{shape, std::move(stride)};
}

namespace {
/// Strides as ranks of an order: bases have none but their position, as dynamic strides.
Tree ranksOf(const Tree &stride) {
  return stride.map([](const Leaf &leaf) {
    return leaf.isBasis() ? Leaf(Int::dynamic(Symbolic::anonymous)) : leaf;
  });
}
} // namespace

Layout layoutLike(Arith &arith, const Layout &l) {
  // A static stride 0 stays 0: its mode counts as one element for the others.
  Layout filtered = filterZeros(l);
  return {l.shape, *orderedStrides(arith, filtered.shape, ranksOf(l.stride))};
}

Layout fragmentLike(Arith &arith, const Layout &l) {
  if (l.rank() <= 1 || l.shape.isLeaf() || !l.shape.isStatic())
    return compactMajor(arith, l.shape);
  Int next = 1;
  Tree first = compactStrides(arith, filterZeros(l[0]).shape, next);
  Tree rest =
      *orderedStrides(arith, take(l.shape, 1, l.rank()), ranksOf(take(l.stride, 1, l.rank())));
  rest = rest.map([&](const Leaf &leaf) { return Leaf(arith.mul(leaf.value, next)); });
  Trees strides(1, first);
  strides.append(rest.modes().begin(), rest.modes().end());
  return {l.shape, Tree(std::move(strides))};
}

namespace {
Tree identityStrides(const Tree &shape, Path path) {
  if (shape.isLeaf())
    return Leaf(1, path);
  Trees modes;
  for (size_t i = 0; i < shape.rank(); ++i) {
    Path inner = path;
    inner.push(int64_t(i));
    modes.push_back(identityStrides(shape[i], inner));
  }
  return modes;
}
} // namespace

Layout identityLayout(const Tree &shape) { return {shape, identityStrides(shape, Path())}; }

Layout sideBySide(std::span<const Layout> modes) {
  Trees shape, stride;
  shape.reserve(modes.size());
  stride.reserve(modes.size());
  for (const Layout &mode : modes) {
    shape.push_back(mode.shape);
    stride.push_back(mode.stride);
  }
  return {Tree(std::move(shape)), Tree(std::move(stride))};
}
Result<Layout> concat(std::span<const Layout> modes) { return checked(sideBySide(modes)); }

} // namespace tessera::layout
