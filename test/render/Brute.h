// Brute: layouts evaluated by loops over their leaves, without the algebra that pictures are made
// with.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/layout/Layout.h"
#include "tessera/layout/Text.h"

#include <gtest/gtest.h>

namespace tessera::render::test {

/// The layout of a text that is known to be right.
inline layout::AnyLayout parsed(std::string_view text) {
  Result<layout::AnyLayout> layout = layout::parseAnyLayout(text);
  EXPECT_TRUE(layout) << text;
  return *layout;
}

inline std::vector<int64_t> leavesOf(const layout::Tree &tree) {
  std::vector<int64_t> out;
  tree.forEachLeaf([&](const layout::Leaf &leaf) { out.push_back(leaf.value.value); });
  return out;
}

inline int64_t brutalSize(const layout::Tree &shape) {
  int64_t size = 1;
  for (int64_t extent : leavesOf(shape))
    size *= extent;
  return size;
}

/// Leaf i of the flat shape takes (coordinate / product of the shapes before) % shape; the last
/// takes the rest.
inline int64_t brutalIndex(const layout::Layout &layout, int64_t coordinate) {
  std::vector<int64_t> shape = leavesOf(layout.shape), stride = leavesOf(layout.stride);
  int64_t index = 0;
  for (size_t i = 0; i < shape.size(); ++i) {
    index += (i + 1 == shape.size() ? coordinate : coordinate % shape[i]) * stride[i];
    coordinate /= shape[i];
  }
  return index;
}

/// Bits [base + shift, +bits) exclusive-ored into bits [base, +bits), one at a time; shift > 0.
inline int64_t brutalSwizzle(int bits, int base, int shift, int64_t index) {
  for (int i = 0; i < bits; ++i)
    if (index >> (base + shift + i) & 1)
      index ^= int64_t(1) << (base + i);
  return index;
}

} // namespace tessera::render::test
