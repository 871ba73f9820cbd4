// Tiles: layouts as text.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/kernels/Tiles.h"

#include "tessera/base/Sentence.h"

namespace tessera::kernels {

constexpr int64_t atomRows = 8; // after which the swizzle repeats

SmemTile::SmemTile(int64_t rows, int64_t columns, int64_t elementBits)
    : rows(rows), columns(columns), panel(8 * rowBytes / elementBits), panelStride(rows * panel) {}

SmemTile SmemTile::transposed() const {
  SmemTile other = *this;
  other.exchanged = !exchanged;
  return other;
}
SmemTile SmemTile::within(int64_t rowsOfWhole) const {
  SmemTile part = *this;
  part.panelStride = rowsOfWhole * panel;
  return part;
}

std::string SmemTile::swizzled() const { return cat(swizzle, " o 0 o ", layout()); }
std::string SmemTile::staged(int64_t stages, int64_t apart) const {
  int64_t panels = columns / panel;
  std::string shape[] = {cat("(", atomRows, ",", rows / atomRows, ")"),
                         cat("(", panel, ",", panels, ")")};
  std::string strides[] = {cat("(", panel, ",", atomRows * panel, ")"),
                           cat("(1,", panels > 1 ? panelStride : 0, ")")};
  if (exchanged)
    std::swap(shape[0], shape[1]), std::swap(strides[0], strides[1]);
  std::string third = stages ? cat(",(1,", stages, ")") : "",
              strideOfThird = stages ? cat(",(0,", apart, ")") : "";
  return cat("(", shape[0], ",", shape[1], third, "):(", strides[0], ",", strides[1], strideOfThird,
             ")");
}

} // namespace tessera::kernels
