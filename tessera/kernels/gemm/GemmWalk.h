// GemmWalk: where a block is in D, and a persistent walk over tiles. For the GEMMs only.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/kernels/gemm/Gemm.h"
#include "tessera/kernels/gemm/GemmParameters.h"

namespace tessera::kernels {

/// Where a block is in D, in tiles; its tiles of K; with slices of K, its tile and slice.
struct TilePosition {
  dsl::Num m, n;
  dsl::Num firstK, endK;
  dsl::Num index = {}, slice = {}, slices = {};
  dsl::Num group = {};            // or batch, for many products
  dsl::Num start = {}, rows = {}; // of a contiguous group in A and D
};

/// Number of tiles in an extent; the last one may be partial.
inline dsl::Num tilesOf(dsl::Num extent, int tile) { return (extent + (tile - 1)) / tile; }

/// The coordinates of a product's rows in D or A, or in B.
dsl::Tensor ofProduct(const GemmConfig &, dsl::Tensor coords, const TilePosition &, bool isB);

/// Tile t of a persistent walk: rows of `group` tiles, column by column, so that tiles close in
/// time share A and B; with the caller's tiles of K.
TilePosition tileOfWalk(const GemmConfig &, const GemmParameters &, dsl::Num rank, dsl::Num t,
                        dsl::Num firstK, dsl::Num endK);

/// In the host function: an upper bound of the number of tiles (of a cluster) of all products; the
/// product with the most rows has `tilesM` x `tilesN`.
dsl::Num tilesOfProducts(const GemmConfig &, dsl::Num tilesM, dsl::Num tilesN, const GemmExtras &);
/// Number of rows that count of a batch, or of a contiguous group.
dsl::Num rowsOfProduct(const GemmConfig &, const GemmExtras &, dsl::Num group);

/// Calls `body(tile, values)` for every `step`-th tile from `first` on, one product after the
/// other; each has as many tiles as its rows need. The body changes the values; the result is their
/// last state.
template <class Values, class Body>
Values forTilesOfProducts(const GemmConfig &c, const GemmParameters &given, dsl::Num rank,
                          dsl::Num first, dsl::Num step, Values start, Body body) {
  using dsl::Num;
  const GemmExtras &extras = given.extras;
  if (c.groups == "batches") {
    Num units = given.tilesM * given.tilesN;
    return dsl::For(first, units * *extras.products, step, start, [&](Num t, Values &values) {
      TilePosition tile = tileOfWalk(c, given, rank, t % units, dsl::i32(0), given.tilesK);
      tile.group = t / units;
      body(tile, values);
    });
  }
  auto tilesOfGroup = [&](Num group) {
    Num rows = rowsOfProduct(c, extras, group);
    return tilesOf(rows, c.tileM * c.clusterBlocks()) * given.tilesN;
  };
  struct Walk {
    Values values;
    Num group, before; // number of tiles of the groups before
    auto members() { return std::tie(values, group, before); }
  };
  std::array<Num, 1> all = {dsl::i32(0)};
  all = dsl::For(0, *extras.products, 1, all, [&](Num group, std::array<Num, 1> &sum) {
    sum[0] = sum[0] + tilesOfGroup(group);
  });
  Walk begin{start, dsl::i32(0), dsl::i32(0)};
  return dsl::For(first, all[0], step, begin,
                  [&](Num t, Walk &now) {
                    std::array<Num, 2> found = {now.group, now.before};
                    found = dsl::While(
                        found,
                        [&](std::array<Num, 2> &at) { return t >= at[1] + tilesOfGroup(at[0]); },
                        [&](std::array<Num, 2> &at) {
                          at[1] = at[1] + tilesOfGroup(at[0]);
                          at[0] = at[0] + 1;
                        });
                    now.group = found[0], now.before = found[1];
                    GemmParameters of = given;
                    of.tilesM =
                        tilesOf(rowsOfProduct(c, extras, now.group), c.tileM * c.clusterBlocks());
                    TilePosition tile =
                        tileOfWalk(c, of, rank, t - now.before, dsl::i32(0), given.tilesK);
                    tile.group = now.group;
                    if (c.groups == "contiguous") {
                      tile.start = dsl::load(*extras.bounds, now.group);
                      tile.rows = rowsOfProduct(c, extras, now.group);
                    }
                    body(tile, now.values);
                  })
      .values;
}

} // namespace tessera::kernels
