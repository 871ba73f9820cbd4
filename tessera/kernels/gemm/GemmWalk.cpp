// Tiles of a walk, and of many products.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/kernels/gemm/GemmWalk.h"

#include "tessera/kernels/WarpGroups.h"

using namespace tessera;
using namespace tessera::dsl;
using namespace tessera::kernels;

Tensor kernels::ofProduct(const GemmConfig &c, Tensor coords, const TilePosition &tile, bool isB) {
  if (c.groups == "none")
    return coords;
  if (isB || c.groups != "contiguous")
    return coords(_, _, tile.group);
  return rowsFrom(coords, tile.start);
}

TilePosition kernels::tileOfWalk(const GemmConfig &c, const GemmParameters &given, Num rank, Num t,
                                 Num firstK, Num endK) {
  // So many rows of any number of columns can be counted in 32 bits; of more, those that there are.
  constexpr int always = 63;
  Operand group = c.group <= always ? Operand(c.group) : Operand(min(given.tilesM, c.group));
  Num perGroup = given.tilesN * group;
  Num first = t / perGroup * group, inside = t % perGroup;
  Num rows = min(given.tilesM - first, group);
  return {(first + inside % rows) * c.clusterBlocks() + rank, inside / rows, firstK, endK};
}

Num kernels::tilesOfProducts(const GemmConfig &c, Num tilesM, Num tilesN,
                             const GemmExtras &extras) {
  if (c.groups == "contiguous") // each may end within a tile
    return (tilesM + *extras.products) * tilesN;
  Num tiles = tilesM * tilesN;
  return extras.products ? tiles * *extras.products : tiles;
}
Num kernels::rowsOfProduct(const GemmConfig &c, const GemmExtras &extras, Num group) {
  const Tensor &bounds = *extras.bounds;
  return c.groups == "masked" ? load(bounds, group) : load(bounds, group + 1) - load(bounds, group);
}
