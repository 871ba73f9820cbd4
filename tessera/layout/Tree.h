// Tree: a nested tuple of leaves; shapes, strides, coordinates and integer tuples are all trees.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/layout/Int.h"

#include <array>
#include <cassert>
#include <string>
#include <utility>
#include <vector>

namespace tessera::layout {

/// The mode indices of a scaled basis E<i,j,...>, outermost first. `1@1@0` has the path {0, 1}.
class Path {
public:
  static constexpr size_t maxDepth = 7;
  static constexpr int64_t maxIndex = 254;

  bool empty() const { return count == 0; }
  size_t size() const { return count; }
  int operator[](size_t i) const { return indices[i]; }
  /// False, and nothing changed, if the path would be deeper or an index larger than fits.
  bool push(int64_t index) {
    if (count == maxDepth || index < 0 || index > maxIndex)
      return false;
    indices[count++] = uint8_t(index);
    return true;
  }
  /// The path within the outermost mode: {1} of {0, 1}.
  Path tail() const {
    Path rest;
    for (size_t i = 1; i < count; ++i)
      rest.push(indices[i]);
    return rest;
  }
  friend bool operator==(const Path &, const Path &) = default;

private:
  uint8_t count = 0;
  std::array<uint8_t, maxDepth> indices = {};
};

/// A leaf: a number, a scaled basis `value@path` (strides only), or `_` (coordinates and tiles only).
struct Leaf {
  Int value;
  Path basis;
  bool any = false;

  Leaf() = default;
  Leaf(Int v) : value(v) {}
  Leaf(int64_t v) : value(v) {}
  Leaf(Int v, Path p) : value(v), basis(p) {}
  static Leaf underscore() {
    Leaf leaf;
    leaf.any = true;
    return leaf;
  }

  bool isBasis() const { return !basis.empty(); }
  bool isStatic() const { return any || value.isStatic(); }
  /// A plain static number `v`.
  bool is(int64_t v) const { return !any && basis.empty() && value.is(v); }
  friend bool operator==(const Leaf &, const Leaf &) = default;
};

/// A leaf or a tuple of trees. `()`, `x` and the rank-1 tuple `(x)` are three different things.
class Tree {
public:
  Tree() = default;
  Tree(Leaf leaf) : leafValue(leaf) {}
  Tree(Int value) : leafValue(value) {}
  Tree(int64_t value) : leafValue(value) {}
  Tree(std::vector<Tree> children) : tuple(true), children(std::move(children)) {}
  static Tree of(std::initializer_list<Tree> children) { return std::vector<Tree>(children); }
  /// A new tree becomes a tuple of `rank` leaves 0 where it is.
  void open(size_t rank) {
    assert(!tuple && children.empty());
    tuple = true;
    children.resize(rank);
  }

  bool isTuple() const { return tuple; }
  bool isLeaf() const { return !tuple; }
  /// Number of top-level modes; a leaf has one.
  size_t rank() const { return tuple ? children.size() : 1; }

  const Leaf &leaf() const {
    assert(!tuple);
    return leafValue;
  }
  Leaf &leaf() {
    assert(!tuple);
    return leafValue;
  }

  /// Mode `i`; a leaf is its own mode 0.
  const Tree &operator[](size_t i) const { return tuple ? children[i] : *this; }
  Tree &operator[](size_t i) { return tuple ? children[i] : *this; }
  const std::vector<Tree> &modes() const {
    assert(tuple);
    return children;
  }
  std::vector<Tree> &modes() {
    assert(tuple);
    return children;
  }

  /// Calls `f(const Leaf &)` on every leaf, depth first.
  template <class F> void forEachLeaf(F &&f) const {
    if (!tuple)
      f(leafValue);
    else
      for (const Tree &child : children)
        child.forEachLeaf(f);
  }
  template <class F> void forEachLeaf(F &&f) {
    if (!tuple)
      f(leafValue);
    else
      for (Tree &child : children)
        child.forEachLeaf(f);
  }

  /// The tree of the same profile whose leaves are `f(leaf)`; f may return a leaf or a tree.
  template <class F> Tree map(F &&f) const {
    if (!tuple)
      return Tree(f(leafValue));
    std::vector<Tree> mapped;
    mapped.reserve(children.size());
    for (const Tree &child : children)
      mapped.push_back(child.map(f));
    return mapped;
  }

  std::vector<Leaf> leaves() const;
  size_t leafCount() const;
  /// 0 for a leaf, 1 + the depth of the deepest mode for a tuple (`()` has depth 1).
  size_t depth() const;
  bool isStatic() const;
  bool hasUnderscore() const;
  bool isAllUnderscore() const;
  bool hasBasis() const;

  friend bool operator==(const Tree &, const Tree &) = default;

private:
  bool tuple = false;
  Leaf leafValue;
  std::vector<Tree> children;
};

/// Same profile: both leaves, or tuples of equal rank with congruent modes.
bool congruent(const Tree &a, const Tree &b);
/// `a` is at most as deep as `b`: every leaf of `a` stands where `b` has a leaf or a tuple.
bool weaklyCongruent(const Tree &a, const Tree &b);

/// The leaves as a flat tuple; a leaf stays a leaf.
Tree flatten(const Tree &);
/// `flat` (one mode per leaf of `profile`) in the profile of `profile`.
Tree unflatten(const Tree &flat, const Tree &profile);
/// A leaf becomes the rank-1 tuple of it.
Tree wrap(Tree);
/// A rank-1 tuple becomes its only mode, repeatedly.
Tree unwrap(Tree);
/// `count` copies of `value` as a tuple.
Tree repeat(const Tree &value, size_t count);
/// Modes [begin, end) of a tuple.
Tree take(const Tree &, size_t begin, size_t end);
/// Every leaf of `profile` replaced by `value`.
Tree repeatLike(const Tree &profile, const Leaf &value);

} // namespace tessera::layout
