// Layout, Swizzle, Composed and Tile: the values that the algebra works on.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/base/Lifetime.h"
#include "tessera/layout/Tree.h"

#include <variant>

namespace tessera::layout {

/// A function from coordinates of `shape` to sums of coordinate times stride. Congruent trees.
/// All strides are numbers, or all are scaled bases (zeros may be mixed in).
struct Layout {
  Tree shape;
  Tree stride;

  size_t rank() const { return shape.rank(); }
  size_t depth() const { return shape.depth(); }
  Layout operator[](size_t i) const { return {shape[i], stride[i]}; }
  bool isStatic() const { return shape.isStatic() && stride.isStatic(); }
  friend bool operator==(const Layout &, const Layout &) = default;
};

/// Exclusive-ors bits [base + max(shift,0), +bits) of an index into bits [base - min(shift,0),
/// +bits). |shift| >= bits and |shift| + bits + base <= 32. Source: CUTLASS
/// include/cute/swizzle.hpp.
struct Swizzle {
  int bits = 0;
  int base = 4;
  int shift = 3;

  bool isIdentity() const { return bits == 0; }
  int distance() const { return shift < 0 ? -shift : shift; }
  /// Masks of the bits that are read (Y) and of those that are changed (Z).
  uint64_t sourceMask() const { return ones() << (base + (shift > 0 ? shift : 0)); }
  uint64_t targetMask() const { return ones() << (base - (shift < 0 ? shift : 0)); }
  int64_t operator()(int64_t index) const {
    uint64_t source = uint64_t(index) & sourceMask();
    return index ^ int64_t(shift >= 0 ? source >> shift : source << -shift);
  }
  friend bool operator==(const Swizzle &, const Swizzle &) = default;

private:
  uint64_t ones() const { return (uint64_t(1) << bits) - 1; }
};

/// inner(offset + outer(c)), printed `inner o offset o outer`. Never trivial: an identity swizzle
/// with offset 0 is a plain Layout.
struct Composed {
  std::variant<Swizzle, Layout> inner;
  Tree offset;
  Layout outer;

  const Swizzle *swizzle() const { return std::get_if<Swizzle>(&inner); }
  /// Whether it equals its outer layout: a swizzle that changes nothing, and offset 0.
  bool isTrivial() const {
    return swizzle() && swizzle()->isIdentity() && offset.isLeaf() && offset.leaf().is(0);
  }
  bool isStatic() const {
    const Layout *affine = std::get_if<Layout>(&inner);
    return offset.isStatic() && outer.isStatic() && (!affine || affine->isStatic());
  }
  friend bool operator==(const Composed &, const Composed &) = default;
};

/// Either kind of layout. Operations that touch only the domain act on the outer part.
class AnyLayout {
public:
  AnyLayout() = default;
  AnyLayout(Layout &&layout) : state(std::move(layout)) {}
  AnyLayout(const Layout &layout) : state(layout) {}
  AnyLayout(Composed composed) : state(std::move(composed)) {}

  const Layout *affine() const TESSERA_LIFETIME { return std::get_if<Layout>(&state); }
  const Composed *composed() const TESSERA_LIFETIME { return std::get_if<Composed>(&state); }
  /// The part that maps coordinates: the layout itself, or the outer layout of a composition.
  const Layout &outer() const TESSERA_LIFETIME { return affine() ? *affine() : composed()->outer; }
  /// The same swizzle and offset over another outer layout.
  AnyLayout withOuter(Layout &&outer) const {
    if (affine())
      return std::move(outer);
    return Composed{composed()->inner, composed()->offset, std::move(outer)};
  }
  const Tree &shape() const TESSERA_LIFETIME { return outer().shape; }
  size_t rank() const { return outer().rank(); }
  bool isStatic() const { return affine() ? affine()->isStatic() : composed()->isStatic(); }
  friend bool operator==(const AnyLayout &, const AnyLayout &) = default;

private:
  template <class F> friend void forEachLeaf(AnyLayout &, F &&);
  std::variant<Layout, Composed> state;
};

/// A by-mode tiler: `_` keeps a mode, a layout tiles it, a tuple tiles the modes below.
/// A tile without brackets is a single layout or `_`.
struct Tile {
  enum class Kind : uint8_t {
    Any,
    Layout,
    Tuple
  };
  Kind kind = Kind::Any;
  tessera::layout::Layout single; // kind == Layout
  std::vector<Tile> modes;        // kind == Tuple

  Tile() = default;
  Tile(tessera::layout::Layout l) : kind(Kind::Layout), single(std::move(l)) {}
  Tile(std::vector<Tile> m) : kind(Kind::Tuple), modes(std::move(m)) {}

  bool isAny() const { return kind == Kind::Any; }
  bool isLayout() const { return kind == Kind::Layout; }
  bool isTuple() const { return kind == Kind::Tuple; }
  size_t rank() const { return isTuple() ? modes.size() : 1; }
  bool isStatic() const {
    bool allModes = true;
    for (const Tile &mode : modes)
      allModes &= mode.isStatic();
    return allModes && (!isLayout() || single.isStatic());
  }
  friend bool operator==(const Tile &, const Tile &) = default;
};

/// Calls `f(Leaf &)` on the leaves of a value in the order in which the IR stores them:
/// shape before stride; of a composition the outer layout, the offset, then an affine inner layout.
template <class F> void forEachLeaf(Layout &l, F &&f) {
  l.shape.forEachLeaf(f);
  l.stride.forEachLeaf(f);
}
template <class F> void forEachLeaf(Composed &c, F &&f) {
  forEachLeaf(c.outer, f);
  c.offset.forEachLeaf(f);
  if (Layout *affine = std::get_if<Layout>(&c.inner))
    forEachLeaf(*affine, f);
}
template <class F> void forEachLeaf(AnyLayout &l, F &&f) {
  std::visit([&](auto &value) { forEachLeaf(value, f); }, l.state);
}
template <class F> void forEachLeaf(Tile &t, F &&f) {
  if (t.isLayout())
    forEachLeaf(t.single, f);
  for (Tile &mode : t.modes)
    forEachLeaf(mode, f);
}

} // namespace tessera::layout
