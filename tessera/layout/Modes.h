// Modes: a layout as a list of 16 or 32 bytes per mode, the form in which operations compute.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A leaf of a tree has 56 bytes: what a type states about a dynamic leaf, and a path. Most leaves
// are plain numbers, and operations spent their time copying the rest. Here a leaf is a number that
// fits two registers; the facts and paths of the few other leaves are in tables. If no leaf needs
// these tables, a leaf is only a number: algorithms are templates over both. The arithmetic is that
// of Arith, so that there is one algorithm for all domains.
#pragma once

#include "tessera/layout/Arith.h"
#include "tessera/layout/Layout.h"
#include "tessera/layout/Small.h"

#include <algorithm>

namespace tessera::layout {

/// A leaf on its way through an operation; `Numbers` knows what the two places hold.
struct LeafNumber {
  int64_t value = 0; // static
  uint32_t open = 0; // 0: static; else the index of a dynamic number, counted from 1
  uint16_t path = 0; // 0: no basis; else the index of one, counted from 1
  uint16_t over = 1; // as in Int

  bool isStatic() const { return open == 0; }
  bool isBasis() const { return path != 0; }
  /// Whether the number is v, whatever its basis.
  bool is(int64_t v) const { return isStatic() && value == v && over == 1; }
  LeafNumber withPathOf(LeafNumber other) const { return {value, open, other.path, over}; }
};

/// The same for layouts in which all leaves are whole and static and none is a basis, as in most.
/// Whether a leaf is dynamic or a basis is then known at compile time, so that an algorithm
/// compiles to short code.
struct PlainNumber {
  int64_t value = 0;
  static constexpr uint32_t open = 0, path = 0, over = 1;

  static constexpr bool isStatic() { return true; }
  static constexpr bool isBasis() { return false; }
  bool is(int64_t v) const { return value == v; }
  PlainNumber withPathOf(PlainNumber) const { return *this; }
};

template <class Number> struct ModeOf {
  Number extent, step;
};
using PlainMode = ModeOf<PlainNumber>;
template <class Number> using Nums = Small<Number>;
template <class Number> using Modes = Small<ModeOf<Number>>;

/// Calls `f(extent, step)` on the leaves of congruent trees, depth first.
template <class F> void forEachMode(const Trees &shape, const Trees &stride, F &f) {
  for (size_t i = 0, count = std::min(shape.size(), stride.size()); i < count; ++i)
    if (shape[i].isLeaf() && stride[i].isLeaf())
      f(shape[i].leaf(), stride[i].leaf());
    else if (shape[i].isTuple() && stride[i].isTuple())
      forEachMode(shape[i].modes(), stride[i].modes(), f);
}
template <class F> void forEachMode(const Tree &shape, const Tree &stride, F &&f) {
  if (shape.isLeaf() && stride.isLeaf()) // without a call, as above: most trees are flat or a leaf
    f(shape.leaf(), stride.leaf());
  else if (shape.isTuple() && stride.isTuple())
    forEachMode(shape.modes(), stride.modes(), f);
}

/// The numbers of one operation. Static ones are folded without reading the tables.
template <class Number> class Numbers {
public:
  explicit Numbers(Arith &arith) : arith(arith) {}

  Number of(const Int &x) {
    if constexpr (plain)
      tables.unfit |= x.id | unsigned(x.isRatio());
    else if (!x.isStatic())
      return keep(x);
    else
      return {x.value, 0, 0, x.over};
    return {x.value};
  }
  Number of(const Leaf &leaf) {
    Number x = of(leaf.value);
    if constexpr (plain)
      tables.unfit |= leaf.basis.size();
    else if (leaf.isBasis())
      x.path = placeOf(leaf.basis);
    return x;
  }
  /// Whether all leaves were of the kind that a Number can hold; results with others are void.
  bool fit() const {
    if constexpr (plain)
      return tables.unfit == 0;
    else
      return true;
  }
  Int operator()(Number x) const {
    if constexpr (!plain) {
      if (!x.isStatic())
        return tables.open[x.open - 1];
      Int number = x.value;
      number.over = x.over;
      return number;
    }
    return x.value;
  }
  Leaf leaf(Number x) const { return x.isBasis() ? Leaf((*this)(x), pathOf(x)) : Leaf((*this)(x)); }
  /// The path of a basis.
  Path pathOf(Number x) const {
    if constexpr (plain)
      return {};
    else
      return tables.paths[x.path - 1];
  }

  /// Of two static ones, whatever their bases.
  bool sameNumber(Number a, Number b) const { return a.value == b.value && a.over == b.over; }
  // As in Arith, on the numbers without their bases.
  Number sub(Number a, Number b) { return apply<&Arith::sub>(a, b); }
  Number mul(Number a, Number b) { return apply<&Arith::mul>(a, b); }
  Number div(Number a, Number b) { return apply<&Arith::div>(a, b); }
  Number ceilDiv(Number a, Number b) { return apply<&Arith::ceilDiv>(a, b); }
  Number min(Number a, Number b) { return apply<&Arith::min>(a, b); }
  void assume(Pre what, Number a, Number b = {}, Number c = {}) {
    arith.assume(what, (*this)(a), (*this)(b), (*this)(c));
  }

  /// The leaves of a tree, depth first.
  Nums<Number> listOf(const Tree &tree) {
    Nums<Number> all;
    tree.forEachLeaf([&](const Leaf &leaf) { all.push_back(of(leaf)); });
    return all;
  }
  /// The modes of a layout, depth first.
  Modes<Number> listOf(const Layout &l) {
    Modes<Number> all;
    forEachMode(l.shape, l.stride, [&](const Leaf &extent, const Leaf &step) {
      all.emplace_back(of(extent), of(step));
    });
    return all;
  }
  /// Writes the modes as a flat layout into new trees; a single mode without a tuple around it.
  void write(const Modes<Number> &modes, Tree &shape, Tree &stride) const {
    if (modes.size() == 1) {
      write(modes[0].extent, shape);
      return write(modes[0].step, stride);
    }
    shape.open(modes.size(), [&](size_t i) { return leaf(modes[i].extent); });
    stride.open(modes.size(), [&](size_t i) { return leaf(modes[i].step); });
  }
  Layout layout(const Modes<Number> &modes) const {
    Layout out;
    write(modes, out.shape, out.stride);
    return out;
  }

  Arith &arith;

private:
  static constexpr bool plain = std::is_same_v<Number, PlainNumber>;

  template <Int (Arith::*op)(const Int &, const Int &)> Number apply(Number a, Number b) {
    if (a.isStatic() && b.isStatic() && a.over == 1 && b.over == 1)
      return {(arith.*op)(Int(a.value), Int(b.value)).value};
    return applyOpen<op>(a, b);
  }
  template <Int (Arith::*op)(const Int &, const Int &)>
  [[gnu::noinline]] Number applyOpen(Number a, Number b) {
    return of((arith.*op)((*this)(a), (*this)(b)));
  }
  [[gnu::noinline]] Number keep(const Int &x) {
    tables.open.push_back(x);
    return {0, uint32_t(tables.open.size())};
  }
  [[gnu::noinline]] uint16_t placeOf(const Path &path) {
    Small<Path> &paths = tables.paths;
    size_t place = 0;
    while (place < paths.size() && paths[place] != path)
      ++place;
    if (place == mostPaths)
      (void)arith.invalid(), place = 0;
    else if (place == paths.size())
      paths.push_back(path);
    return uint16_t(place + 1);
  }
  void write(Number x, Tree &out) const {
    if (x.isStatic() && !x.isBasis() && x.over == 1)
      out.leaf().value.value = x.value; // all else in a new leaf says that it is a number
    else
      out.leaf() = leaf(x);
  }

  /// Different bases of one operation, as many as are found in half a second. More are refused.
  static constexpr size_t mostPaths = 16384;
  struct Tables {
    Small<Int> open;
    Small<Path> paths;
  };
  struct NoTables {
    uint64_t unfit = 0; // not 0 if a leaf would have needed them
  };
  std::conditional_t<plain, NoTables, Tables> tables;
};

/// Calls f(numbers, lists of the leaves or modes of each operand...), with the short numbers if
/// they can hold all leaves.
template <class F, class... Operands>
auto withNumbers(Arith &arith, F &&f, const Operands &...operands) {
  Numbers<PlainNumber> plain(arith);
  return [&](auto &&...lists) {
    if (plain.fit())
      return f(plain, std::move(lists)...);
    Numbers<LeafNumber> n(arith);
    return f(n, n.listOf(operands)...);
  }(plain.listOf(operands)...);
}

/// Adds a mode to coalesced modes, which stay coalesced. Two modes become one if the first
/// statically ends where the second, a static one, begins (a dynamic extent stays a separate mode),
/// and may(first, second) holds. Source: CUTLASS layout.hpp, bw_coalesce.
template <class Number, class May>
void addCoalesced(Numbers<Number> &n, Modes<Number> &modes, Number extent, Number step, May &&may) {
  if (extent.is(1))
    return;
  if (!modes.empty()) {
    ModeOf<Number> &last = modes.back();
    const bool numbers = extent.isStatic() && step.isStatic() && last.step.isStatic() &&
                         (last.extent.isStatic() || last.step.is(0));
    if (numbers && last.step.path == step.path &&
        n.sameNumber(n.mul(last.extent, last.step), step) && may(last.extent, extent)) {
      last.extent = n.mul(last.extent, extent);
      return;
    }
  }
  modes.emplace_back(extent, step);
}
template <class Number>
void addCoalesced(Numbers<Number> &n, Modes<Number> &modes, Number extent, Number step) {
  addCoalesced(n, modes, extent, step, [](Number, Number) { return true; });
}

} // namespace tessera::layout
