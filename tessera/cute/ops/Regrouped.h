// Regrouped: how the public dialect groups the modes of divisions and products.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/layout/Algebra.h"

namespace tessera::cute {

/// `zipped`, a (tiles, rests) or (block, copies), in a grouping. A group with one mode becomes that
/// mode, while CuTe C++, and with it `tessera/layout`, keeps such a group.
inline layout::AnyLayout regrouped(const layout::AnyLayout &zipped, layout::Grouping grouping) {
  if (grouping == layout::Grouping::Logical || grouping == layout::Grouping::Zipped)
    return zipped;
  auto modesOf = [&](const layout::Tree &pair) {
    layout::Trees modes;
    auto spread = [&](const layout::Tree &group) {
      if (group.isTuple())
        modes.append(group.modes().begin(), group.modes().end());
      else
        modes.push_back(group);
    };
    if (grouping == layout::Grouping::Flat)
      spread(pair[0]);
    else
      modes.push_back(pair[0]);
    spread(pair[1]);
    return layout::Tree(std::move(modes));
  };
  return zipped.withOuter({modesOf(zipped.outer().shape), modesOf(zipped.outer().stride)});
}

/// The grouping to request from the algebra before `regrouped`.
inline layout::Grouping groupedFirst(layout::Grouping grouping) {
  return grouping == layout::Grouping::Logical ? grouping : layout::Grouping::Zipped;
}

} // namespace tessera::cute
