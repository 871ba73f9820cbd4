// Hash: hash functions for MLIR's storage of types that hold a layout value.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/layout/Layout.h"

#include "llvm/ADT/Hashing.h"

namespace tessera::layout {

inline llvm::hash_code hash_value(const Int &x) {
  return x.isRatio()    ? llvm::hash_combine(x.value, x.over, '/')
         : x.isStatic() ? llvm::hash_value(x.value)
                        : llvm::hash_combine(int(x.width), x.div, '?');
}
inline llvm::hash_code hash_value(const Leaf &leaf) {
  llvm::hash_code hash = llvm::hash_combine(leaf.value, leaf.any, leaf.basis.size());
  for (size_t i = 0; i < leaf.basis.size(); ++i)
    hash = llvm::hash_combine(hash, leaf.basis[i]);
  return hash;
}
inline llvm::hash_code hash_value(const Tree &tree) {
  if (tree.isLeaf())
    return hash_value(tree.leaf());
  llvm::hash_code hash = llvm::hash_combine('(', tree.rank());
  for (const Tree &mode : tree.modes())
    hash = llvm::hash_combine(hash, mode);
  return hash;
}
inline llvm::hash_code hash_value(const Layout &l) { return llvm::hash_combine(l.shape, l.stride); }
inline llvm::hash_code hash_value(const Swizzle &s) {
  return llvm::hash_combine(s.bits, s.base, s.shift);
}
inline llvm::hash_code hash_value(const Composed &c) {
  llvm::hash_code inner = std::visit([](const auto &value) { return hash_value(value); }, c.inner);
  return llvm::hash_combine(inner, c.offset, c.outer);
}
inline llvm::hash_code hash_value(const AnyLayout &l) {
  return l.affine() ? hash_value(*l.affine()) : hash_value(*l.composed());
}
inline llvm::hash_code hash_value(const Tile &tile) {
  llvm::hash_code hash = llvm::hash_combine(int(tile.kind), tile.single);
  for (const Tile &mode : tile.modes)
    hash = llvm::hash_combine(hash, mode);
  return hash;
}

} // namespace tessera::layout
