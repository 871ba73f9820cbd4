// Where the elements of a product's operands lie in tensor memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/atom/TensorMemory.h"

#include "tessera/atom/Errors.h"

#include "tessera/layout/Domains.h"
#include "tessera/layout/Text.h"

namespace tessera::atom {

namespace {
constexpr int64_t dataPaths = 128, columns = 16384, laneOfColumns = 65536, columnBits = 32;

/// The tile of one product as virtual addresses, lane + 128 * column: which lanes M has, and how
/// many runs of lanes share N.
struct Tile {
  int ctas;
  bool weightStationary;
  int64_t m;
  std::optional<TensorTiling> tiling; // of all where there is none
  layout::Tree shape, stride;         // of M
  int64_t groups = 1, groupStride = 0;
  int64_t tileStep = 1; // tiles along M from one to the next
};
std::vector<Tile> tiles() {
  using enum TensorTiling;
  using layout::Tree;
  return {
      {1, false, 64, Interleaved, Tree::of({16, 4}), Tree::of({1, 32})},
      {1, false, 64, Apart, Tree::of({16, 4}), Tree::of({1, 32}), 1, 0, 2},
      {1, false, 128, {}, 128, 1},
      {2, false, 32, Interleaved, 32, 1, 4, 32},
      {2, false, 64, Interleaved, 64, 1, 2, 64},
      {2, false, 64, Duplicated, 128, 1},
      {2, false, 128, {}, 128, 1},
      {1, true, 32, Interleaved, 32, 1, 4, 32},
      {1, true, 64, Interleaved, 64, 1, 2, 64},
      {1, true, 32, Duplicated, 128, 1},
      {1, true, 64, Duplicated, 128, 1},
      {1, true, 128, {}, 128, 1},
  };
}
/// Apart is of one CTA, Duplicated of two or of .ws.
bool has(const TensorPlacement &placement) {
  return placement.ctas == 1 && !placement.weightStationary
             ? placement.tiling != TensorTiling::Duplicated
             : placement.tiling != TensorTiling::Apart;
}
} // namespace

std::optional<layout::Layout> tensorLayout(const TensorPlacement &placement,
                                           const layout::Tree &shape) {
  layout::Const arith;
  if (!shape.isTuple() || shape.rank() < 2 || !shape.isStatic() || !shape[0].isTuple() ||
      shape[0].rank() != 2 || !has(placement))
    return std::nullopt;
  int64_t m = layout::product(arith, shape[0][0]).value,
          n = layout::product(arith, shape[0][1]).value;
  for (const Tile &tile : tiles()) {
    if (tile.ctas != placement.ctas || tile.weightStationary != placement.weightStationary ||
        tile.m != m || (tile.tiling && *tile.tiling != placement.tiling) || n % tile.groups)
      continue;
    layout::Tree across = n, step = dataPaths;
    if (tile.groups > 1) {
      across = layout::Tree::of({n / tile.groups, tile.groups});
      step = layout::Tree::of({dataPaths, tile.groupStride});
    }
    layout::Layout one{layout::Tree(std::vector{tile.shape, across}),
                       layout::Tree(std::vector{tile.stride, step})};
    layout::Layout more = layout::compactMajor(
        arith,
        layout::Tree(std::vector<layout::Tree>(shape.modes().begin() + 1, shape.modes().end())));
    more.stride = more.stride.map(
        [&](layout::Leaf leaf) { return layout::Leaf(leaf.value.value * tile.tileStep); });
    auto all = layout::product(arith, one, more, layout::Grouping::Tiled);
    if (!all)
      return std::nullopt;
    layout::Layout addresses{layout::Tree::of({dataPaths, columns}),
                             layout::Tree::of({laneOfColumns * (columnBits / placement.valueBits),
                                               placement.storageBits / placement.valueBits})};
    auto result = layout::composition(arith, addresses, all->outer());
    return result ? std::optional(*std::move(result)) : std::nullopt;
  }
  return std::nullopt;
}

//===--- tiled copies -------------------------------------------------------------------------===//

namespace {
/// With 1:0 after it, so that what is past the end has stride 0.
Result<layout::Layout> padded(const layout::Layout &l) {
  return layout::concat({l, layout::Layout{layout::Tree(1), layout::Tree(0)}});
}

/// The tiled copy whose (thread, value) are these addresses of `data`. Source: CUTLASS
/// make_cotiled_copy.
Result<TensorCopyTiling> cotiled(const layout::Layout &addresses, const layout::Layout &data,
                                 std::string_view name) {
  layout::Const arith;
  TESSERA_TRY(layout::Layout inverse, layout::leftInverse(arith, data));
  TESSERA_TRY(layout::Layout elements, padded(inverse));
  TESSERA_TRY(layout::Layout coords, layout::composition(arith, elements, addresses));
  TESSERA_TRY(layout::Layout whole, padded(data));
  TESSERA_TRY(layout::Layout reached, layout::composition(arith, whole, coords[1]));
  if (!(layout::coalesce(arith, reached) == layout::coalesce(arith, addresses[1])))
    return fail(Error::TensorCopyAddresses, std::string(name), layout::str(data));
  layout::Tree shape = data.shape.isLeaf() ? layout::Tree(std::vector{data.shape})
                                           : layout::productEach(arith, data.shape);
  TensorCopyTiling tiling;
  std::vector<layout::Tile> modes;
  for (size_t i = 0; i < shape.rank(); ++i) {
    std::vector<layout::Tree> only(shape.rank(), layout::Tree(0));
    only[i] = layout::Tree(1);
    TESSERA_TRY(layout::Layout mode,
                layout::composition(arith, layout::Layout{shape, layout::Tree(only)}, coords));
    modes.emplace_back(layout::filter(arith, mode));
  }
  tiling.tiler = layout::Tile(std::move(modes));
  TESSERA_TRY(layout::AnyLayout tile,
              layout::composition(arith, layout::AnyLayout(layout::compactMajor(arith, shape)),
                                  tiling.tiler));
  TESSERA_TRY(layout::Layout back, layout::leftInverse(arith, tile.outer()));
  TESSERA_TRY(tiling.layoutTV, layout::composition(arith, back, coords));
  return tiling;
}
} // namespace

Result<layout::Layout> tensorAddresses(const CopyRow &row, int64_t amount, int64_t bits) {
  layout::Const arith;
  Extents extents{.ctas = row.key.ctas};
  (row.amounts.unit == Amounts::Bits ? extents.bits : extents.repeat) = amount;
  TESSERA_TRY(layout::Layout address, layout::upcast(arith, layoutOf(row.address, extents), bits));
  return layout::coalesce(arith, address);
}

Result<TensorCopyTiling> tensorCopyTiling(const CopyRow &row, int64_t amount, int64_t bits,
                                          const layout::Layout &tensor) {
  TESSERA_TRY(layout::Layout values, tensorAddresses(row, amount, bits));
  // A warp names the first of its data paths; one thread of each CTA names them all.
  const int64_t lane = laneOfColumns * (columnBits / bits);
  layout::Layout threads =
      row.completion == Completion::TcgenCommit
          ? layout::Layout{layout::Tree(row.key.ctas), layout::Tree(0)}
          : layout::Layout{layout::Tree::of({32, 4}), layout::Tree::of({0, 32 * lane})};
  TESSERA_TRY(layout::Layout tv, layout::concat({threads, values}));
  return cotiled(tv, tensor, row.name);
}

} // namespace tessera::atom
