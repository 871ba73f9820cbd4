// Evaluates thread-value layouts at single points, for comparison with formulas.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/layout/Algebra.h"
#include "tessera/layout/Domains.h"
#include "tessera/layout/Text.h"

namespace tessera::atom::test {

inline int64_t threadsOf(const layout::Layout &tv) {
  layout::Const none;
  return layout::size(none, tv[0]).value;
}
inline int64_t valuesOf(const layout::Layout &tv) {
  layout::Const none;
  return layout::size(none, tv[1]).value;
}

/// All indices of a (thread, value) layout, thread by thread, computed leaf by leaf without the
/// algebra: leaf i of the flat shape takes (coordinate / product of the shapes before) % shape.
inline std::vector<int64_t> values(const layout::Layout &tv) {
  struct Mode {
    std::vector<int64_t> shape, stride;
    int64_t at(int64_t coordinate) const {
      int64_t index = 0;
      for (size_t i = 0; i < shape.size(); ++i) {
        index += coordinate % shape[i] * stride[i];
        coordinate /= shape[i];
      }
      return index;
    }
    int64_t size() const {
      int64_t product = 1;
      for (int64_t extent : shape)
        product *= extent;
      return product;
    }
  };
  auto mode = [](const layout::Layout &part) {
    Mode out;
    part.shape.forEachLeaf(
        [&](const layout::Leaf &leaf) { out.shape.push_back(leaf.value.value); });
    part.stride.forEachLeaf(
        [&](const layout::Leaf &leaf) { out.stride.push_back(leaf.value.value); });
    return out;
  };
  Mode threads = mode(tv[0]), perThread = mode(tv[1]);
  std::vector<int64_t> all;
  for (int64_t thread = 0; thread < threads.size(); ++thread)
    for (int64_t value = 0; value < perThread.size(); ++value)
      all.push_back(threads.at(thread) + perThread.at(value));
  return all;
}

} // namespace tessera::atom::test
