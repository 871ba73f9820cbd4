// Modes: a layout as a list of 32 bytes a mode, which is what operations compute with.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A leaf of a tree has 56 bytes: what a type states of a dynamic leaf, and a path. Most leaves are plain numbers,
// and operations spent their time copying the rest. Here a leaf is a number that fits two registers; facts and
// paths of the few others are in tables. The arithmetic is that of Arith, so that there is one algorithm for all domains.
#pragma once

#include "tessera/layout/Arith.h"
#include "tessera/layout/Layout.h"
#include "tessera/layout/Small.h"

#include <algorithm>

namespace tessera::layout {

/// A leaf on its way through an operation; `Numbers` knows what is behind the two places.
struct Num {
  int64_t value = 0; // static
  uint32_t open = 0; // 0: static; else the place of a dynamic number, counted from 1
  uint32_t path = 0; // 0: no basis; else the place of one, counted from 1

  bool isStatic() const { return open == 0; }
  bool isBasis() const { return path != 0; }
  /// The number alone, whatever its basis.
  bool is(int64_t v) const { return isStatic() && value == v; }
};

struct Mode {
  Num extent, step;
};
using Nums = Small<Num>;
using Modes = Small<Mode>;

/// Calls `f(extent, step)` on the leaves of congruent trees, depth first.
template <class F> void forEachMode(const Tree &shape, const Tree &stride, F &&f) {
  if (shape.isLeaf() || stride.isLeaf()) {
    if (shape.isLeaf() && stride.isLeaf())
      f(shape.leaf(), stride.leaf());
    return;
  }
  for (size_t i = 0, count = std::min(shape.rank(), stride.rank()); i < count; ++i)
    forEachMode(shape.modes()[i], stride.modes()[i], f);
}

/// The numbers of one operation. What is static is folded without a look at the tables.
class Numbers {
public:
  explicit Numbers(Arith &arith) : arith(arith) {}

  Num of(const Int &x) { return x.isStatic() ? Num{x.value} : keep(x); }
  Num of(const Leaf &leaf) {
    Num x = of(leaf.value);
    if (leaf.isBasis())
      x.path = placeOf(leaf.basis);
    return x;
  }
  Int operator()(Num x) const { return x.isStatic() ? Int(x.value) : open[x.open - 1]; }
  Leaf leaf(Num x) const { return x.isBasis() ? Leaf((*this)(x), paths[x.path - 1]) : Leaf((*this)(x)); }
  const Path &pathOf(Num x) const { return paths[x.path - 1]; }

  // As in Arith, on the numbers without their bases.
  Num sub(Num a, Num b) { return apply<&Arith::sub>(a, b); }
  Num mul(Num a, Num b) { return apply<&Arith::mul>(a, b); }
  Num div(Num a, Num b) { return apply<&Arith::div>(a, b); }
  Num ceilDiv(Num a, Num b) { return apply<&Arith::ceilDiv>(a, b); }
  Num min(Num a, Num b) { return apply<&Arith::min>(a, b); }
  void assume(Pre what, Num a, Num b = {}, Num c = {}) {
    arith.assume(what, (*this)(a), (*this)(b), (*this)(c));
  }

  /// The leaves of a tree, depth first.
  Nums leavesOf(const Tree &tree) {
    Nums all;
    tree.forEachLeaf([&](const Leaf &leaf) { all.push_back(of(leaf)); });
    return all;
  }
  /// The modes of a layout, depth first.
  Modes modesOf(const Layout &l) {
    Modes all;
    forEachMode(l.shape, l.stride, [&](const Leaf &extent, const Leaf &step) { all.emplace_back(of(extent), of(step)); });
    return all;
  }
  /// The modes as a flat layout into new trees, one of them without a tuple around it.
  void write(const Modes &modes, Tree &shape, Tree &stride) const {
    write(modes, &Mode::extent, shape);
    write(modes, &Mode::step, stride);
  }
  Layout layout(const Modes &modes) const {
    Layout out;
    write(modes, out.shape, out.stride);
    return out;
  }

  Arith &arith;

private:
  template <Int (Arith::*op)(const Int &, const Int &)> Num apply(Num a, Num b) {
    if (a.isStatic() && b.isStatic())
      return {(arith.*op)(Int(a.value), Int(b.value)).value};
    return applyOpen<op>(a, b);
  }
  template <Int (Arith::*op)(const Int &, const Int &)> [[gnu::noinline]] Num applyOpen(Num a, Num b) {
    return of((arith.*op)((*this)(a), (*this)(b)));
  }
  [[gnu::noinline]] Num keep(const Int &x) {
    open.push_back(x);
    return {0, uint32_t(open.size())};
  }
  [[gnu::noinline]] uint32_t placeOf(const Path &path) {
    size_t place = 0;
    while (place < paths.size() && paths[place] != path)
      ++place;
    if (place == paths.size())
      paths.push_back(path);
    return uint32_t(place + 1);
  }
  void write(const Modes &modes, Num Mode::*part, Tree &out) const {
    if (modes.size() == 1)
      return write(modes[0].*part, out);
    out.open(modes.size());
    for (size_t i = 0; i < modes.size(); ++i)
      write(modes[i].*part, out[i]);
  }
  void write(Num x, Tree &out) const {
    if (x.isStatic() && !x.isBasis())
      out.leaf().value.value = x.value; // all else in a new leaf says that it is a number
    else
      out.leaf() = leaf(x);
  }

  Small<Int> open;
  Small<Path> paths;
};

/// One more mode behind coalesced ones: they stay coalesced. Two are one mode if walking the first statically lands on
/// the second, which is static (a dynamic extent stays a mode of its own), and may(first, second) become one.
/// Source: CUTLASS layout.hpp, bw_coalesce.
template <class May> void addCoalesced(Numbers &n, Modes &modes, Num extent, Num step, May &&may) {
  if (extent.is(1))
    return;
  if (!modes.empty()) {
    Mode &last = modes.back();
    const bool numbers = extent.isStatic() && step.isStatic() && last.step.isStatic() &&
                         (last.extent.isStatic() || last.step.is(0));
    if (numbers && last.step.path == step.path && n.mul(last.extent, last.step).is(step.value) &&
        may(last.extent, extent)) {
      last.extent = n.mul(last.extent, extent);
      return;
    }
  }
  modes.emplace_back(extent, step);
}
inline void addCoalesced(Numbers &n, Modes &modes, Num extent, Num step) {
  addCoalesced(n, modes, extent, step, [](Num, Num) { return true; });
}

} // namespace tessera::layout
