// Structure of nested tuples: profiles, flattening, congruence.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/layout/Tree.h"

#include <algorithm>

namespace tessera::layout {

std::vector<Leaf> Tree::leaves() const {
  std::vector<Leaf> all;
  all.reserve(leafCount());
  forEachLeaf([&](const Leaf &leaf) { all.push_back(leaf); });
  return all;
}

size_t Tree::leafCount() const {
  size_t count = 0;
  forEachLeaf([&](const Leaf &) { ++count; });
  return count;
}

size_t Tree::depth() const {
  if (isLeaf())
    return 0;
  size_t deepest = 0;
  for (const Tree &child : children)
    deepest = std::max(deepest, child.depth());
  return deepest + 1;
}

bool Tree::isStatic() const {
  if (isLeaf())
    return leafValue.isStatic();
  return std::all_of(children.begin(), children.end(), [](const Tree &t) { return t.isStatic(); });
}

bool Tree::hasUnderscore() const {
  if (isLeaf())
    return leafValue.any;
  return std::any_of(children.begin(), children.end(),
                     [](const Tree &t) { return t.hasUnderscore(); });
}

bool Tree::isAllUnderscore() const {
  if (isLeaf())
    return leafValue.any;
  return std::all_of(children.begin(), children.end(),
                     [](const Tree &t) { return t.isAllUnderscore(); });
}

bool Tree::hasBasis() const {
  if (isLeaf())
    return leafValue.isBasis();
  return std::any_of(children.begin(), children.end(), [](const Tree &t) { return t.hasBasis(); });
}

bool congruent(const Tree &a, const Tree &b) {
  if (a.isLeaf() || b.isLeaf())
    return a.isLeaf() && b.isLeaf();
  return std::equal(a.modes().begin(), a.modes().end(), b.modes().begin(), b.modes().end(),
                    congruent);
}

bool weaklyCongruent(const Tree &a, const Tree &b) {
  if (a.isLeaf())
    return true;
  if (b.isLeaf())
    return false;
  return std::equal(a.modes().begin(), a.modes().end(), b.modes().begin(), b.modes().end(),
                    weaklyCongruent);
}

Tree flatten(const Tree &tree) {
  if (tree.isLeaf())
    return tree;
  Trees flat;
  tree.forEachLeaf([&](const Leaf &leaf) { flat.emplace_back(leaf); });
  return flat;
}

namespace {
Tree takeModes(const Trees &flat, size_t &next, const Tree &profile) {
  if (profile.isLeaf())
    return flat[next++];
  Trees modes;
  for (const Tree &mode : profile.modes())
    modes.push_back(takeModes(flat, next, mode));
  return modes;
}
} // namespace

Tree unflatten(const Tree &flat, const Tree &profile) {
  if (profile.isLeaf())
    return unwrap(flat);
  size_t next = 0;
  return takeModes(wrap(flat).modes(), next, profile);
}

Tree wrap(Tree tree) {
  if (tree.isTuple())
    return tree;
  return Tree::of({std::move(tree)});
}

Tree unwrap(Tree tree) {
  while (tree.isTuple() && tree.rank() == 1) {
    Tree only = std::move(tree.modes()[0]);
    tree = std::move(only);
  }
  return tree;
}

Tree repeat(const Tree &value, size_t count) { return Trees(count, value); }

Tree take(const Tree &tree, size_t begin, size_t end) {
  Trees modes;
  for (size_t i = begin; i < end; ++i)
    modes.push_back(tree[i]);
  return modes;
}

Tree repeatLike(const Tree &profile, const Leaf &value) {
  return profile.map([&](const Leaf &) { return value; });
}

} // namespace tessera::layout
