// Layouts of tiles.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/kernels/SmemTile.h"

#include "tessera/layout/Algebra.h"

#include <utility>

using namespace tessera;
using namespace tessera::kernels;
using layout::Tree;

static constexpr int64_t atomRows = 8; // after which the swizzle repeats

SmemTile::SmemTile(int64_t rows, int64_t columns, int64_t elementBits)
    : rows(rows), columns(columns), bytes(panelBytes(columns, elementBits)),
      panel(8 * bytes / elementBits), panelStride(rows * panel) {}

int64_t SmemTile::panelBytes(int64_t columns, int64_t elementBits) {
  int64_t bytes = columns * elementBits / 8, widest = rowBytes;
  while (widest > 32 && bytes % widest)
    widest /= 2;
  return widest;
}
layout::Swizzle SmemTile::swizzleOf(int64_t panelBytes) {
  return panelBytes == rowBytes ? swizzle : layout::Swizzle{panelBytes == 64 ? 2 : 1, 4, 3};
}

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

layout::Layout SmemTile::layout() const {
  int64_t panels = columns / panel;
  Tree shape[] = {Tree::of({atomRows, rows / atomRows}), Tree::of({panel, panels})};
  Tree stride[] = {Tree::of({panel, atomRows * panel}),
                   Tree::of({int64_t(1), panels > 1 ? panelStride : 0})};
  size_t first = exchanged, second = !exchanged;
  return {Tree::of({shape[first], shape[second]}), Tree::of({stride[first], stride[second]})};
}
layout::AnyLayout SmemTile::swizzled() const {
  return layout::compose(swizzleOf(bytes), int64_t(0), layout());
}
layout::Layout SmemTile::staged(int64_t stages, int64_t apart) const {
  layout::Layout tile = layout();
  return {Tree::of({tile.shape[0], tile.shape[1], Tree::of({int64_t(1), stages})}),
          Tree::of({tile.stride[0], tile.stride[1], Tree::of({int64_t(0), apart})})};
}
