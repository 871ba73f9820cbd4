// Plain axes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/render/Picture.h"

namespace tessera::render {

Axis Axis::plain(int64_t extent) {
  Axis axis;
  axis.extent = extent;
  axis.lines.assign(size_t(extent) + 1, 0);
  return axis;
}

Axis Axis::numbered(int64_t extent) {
  Axis axis = plain(extent);
  for (int64_t i = 0; i < extent; ++i)
    axis.labels.push_back(std::to_string(i));
  return axis;
}

} // namespace tessera::render
