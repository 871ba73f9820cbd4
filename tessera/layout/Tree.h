// Tree: a nested tuple of leaves; shapes, strides, coordinates and integer tuples are all trees.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/layout/Int.h"

#include <array>
#include <cassert>
#include <initializer_list>
#include <iterator>
#include <new>
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
  /// False, with no change, if the path would be too deep or an index too large.
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

/// A leaf: a number, a scaled basis `value@path` (strides only), or `_` (coordinates and tiles
/// only).
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

class Tree;

/// The modes of a tuple: a list in one block of memory. Short blocks are reused from those that
/// this thread freed (Trees.cpp), since allocating results took longer than computing them.
class Trees {
public:
  Trees() = default;
  Trees(Trees &&other) noexcept : block(std::exchange(other.block, nullptr)) {}
  Trees(const Trees &other) {
    if (other.block)
      copy(other);
  }
  explicit Trees(std::vector<Tree> &&);
  // These begin without a list: if memory runs out, what was built by then is freed.
  Trees(size_t count, const Tree &value) : Trees() {
    fill(count, [&](size_t) -> const Tree & { return value; });
  }
  template <class It> Trees(It first, It last) : Trees() { append(first, last); }
  // Two overloads: with a single one that takes a value, assigning from a list would count as
  // noexcept, and running out of memory for the value would end the process.
  Trees &operator=(Trees &&other) noexcept {
    Trees taken(std::move(other)); // it may be in this list
    std::swap(block, taken.block);
    return *this;
  }
  Trees &operator=(const Trees &other) { return *this = Trees(other); }
  ~Trees() {
    if (block)
      release(block);
  }
  explicit operator bool() const { return block; } // whether there is a list, possibly empty
  operator std::vector<Tree>() const;

  size_t size() const { return block ? block->used : 0; }
  bool empty() const { return size() == 0; }
  Tree *begin() { return block ? block->modes() : nullptr; }
  Tree *end();
  const Tree *begin() const { return block ? block->modes() : nullptr; }
  const Tree *end() const;
  auto rbegin() const { return std::reverse_iterator(end()); }
  auto rend() const { return std::reverse_iterator(begin()); }
  Tree &operator[](size_t i);
  const Tree &operator[](size_t i) const;
  Tree &back() { return (*this)[size() - 1]; }

  void push_back(const Tree &value);
  void push_back(Tree &&value);
  template <class... Parts> Tree &emplace_back(Parts &&...parts);
  template <class It> void append(It first, It last) {
    for (; first != last; ++first)
      push_back(*first);
  }
  void reserve(size_t capacity);
  /// Turns a new list into one of `count` trees make(i), each built in place.
  template <class Make> void fill(size_t count, Make &&make);
  /// No list becomes an empty one.
  void exist() {
    if (!block)
      block = &none;
  }

  friend bool operator==(const Trees &a, const Trees &b);

private:
  struct Block {
    uint32_t used, capacity;
    Tree *modes() { return reinterpret_cast<Tree *>(this + 1); }
  };

  static Block *blockOf(size_t capacity);
  /// Room for one more.
  Tree *place();
  /// Turns no list into a copy; leaves it as it is if memory runs out.
  void copy(const Trees &other);
  static void release(Block *);

  static Block none; // of all empty lists, and never written
  Block *block = nullptr;
};

/// A leaf or a tuple of trees. `()`, `x` and the rank-1 tuple `(x)` are three different things.
class Tree {
public:
  Tree() = default;
  Tree(Leaf leaf) : leafValue(leaf) {}
  Tree(Int value) : leafValue(value) {}
  Tree(int64_t value) : leafValue(value) {}
  Tree(Trees modes) : children(std::move(modes)) { children.exist(); }
  Tree(std::vector<Tree> modes) : Tree(Trees(std::move(modes))) {}
  static Tree of(std::initializer_list<Tree> children) {
    return Trees(children.begin(), children.end());
  }
  /// Turns a new tree into a tuple of `rank` modes make(i), built in place; the other one has
  /// leaves 0.
  template <class Make> void open(size_t rank, Make &&make) {
    assert(isLeaf());
    children.fill(rank, make);
  }
  void open(size_t rank) {
    open(rank, [](size_t) { return Tree(); });
  }

  bool isTuple() const { return bool(children); }
  bool isLeaf() const { return !children; }
  /// Number of top-level modes; a leaf has one.
  size_t rank() const { return isTuple() ? children.size() : 1; }

  const Leaf &leaf() const {
    assert(isLeaf());
    return leafValue;
  }
  Leaf &leaf() {
    assert(isLeaf());
    return leafValue;
  }

  /// Mode `i`; a leaf is its own mode 0.
  const Tree &operator[](size_t i) const { return isTuple() ? children[i] : *this; }
  Tree &operator[](size_t i) { return isTuple() ? children[i] : *this; }
  const Trees &modes() const {
    assert(isTuple());
    return children;
  }
  Trees &modes() {
    assert(isTuple());
    return children;
  }

  /// Calls `f(const Leaf &)` on every leaf, depth first.
  template <class F> void forEachLeaf(F &&f) const {
    if (isLeaf())
      f(leafValue);
    else
      for (const Tree &child : children)
        child.forEachLeaf(f);
  }
  template <class F> void forEachLeaf(F &&f) {
    if (isLeaf())
      f(leafValue);
    else
      for (Tree &child : children)
        child.forEachLeaf(f);
  }

  /// The tree of the same profile whose leaves are `f(leaf)`; f may return a leaf or a tree.
  template <class F> Tree map(F &&f) const {
    if (isLeaf())
      return Tree(f(leafValue));
    Trees mapped;
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

  friend bool operator==(const Tree &a, const Tree &b) {
    return a.isLeaf() == b.isLeaf() &&
           (a.isLeaf() ? a.leafValue == b.leafValue : a.children == b.children);
  }

private:
  Leaf leafValue;
  Trees children; // empty for a leaf
};

inline Tree *Trees::end() { return begin() + size(); }
inline const Tree *Trees::end() const { return begin() + size(); }
inline Tree &Trees::operator[](size_t i) { return block->modes()[i]; }
inline const Tree &Trees::operator[](size_t i) const { return block->modes()[i]; }
inline void Trees::push_back(const Tree &value) { emplace_back(value); }
inline void Trees::push_back(Tree &&value) { emplace_back(std::move(value)); }
template <class Make> void Trees::fill(size_t count, Make &&make) {
  if (count == 0)
    return exist();
  Block *made = block = blockOf(count);
  for (size_t i = 0; i < count; made->used = uint32_t(++i)) // counts it after it is built
    new (made->modes() + i) Tree(make(i));
}
/// An argument may be in this list, so a new block gets the new tree first.
template <class... Parts> Tree &Trees::emplace_back(Parts &&...parts) {
  if (block && block->used < block->capacity) {
    Tree *made = new (block->modes() + block->used) Tree(std::forward<Parts>(parts)...);
    ++block->used; // once it is there
    return *made;
  }
  Tree made(std::forward<Parts>(parts)...);
  return *new (place()) Tree(std::move(made));
}

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
