// Reductions along a dimension, with a region of the program as combiner.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A reduction combines neighbours until one element is left, in the order of tile_eval, so that
// sums of floating-point numbers have the same bits.
#include "tessera/tile_lower/Combine.h"
#include "tessera/tile_lower/Rows.h"

using namespace mlir;
using namespace tessera::cuda_tile;

namespace tessera::tile_lower {

namespace {

SmallVector<Value> valuesAt(Kernel &k, ArrayRef<ThreadTile> tiles, const Slot &slot) {
  SmallVector<Value> out;
  for (const ThreadTile &tile : tiles)
    out.push_back(k.get(tile, slot));
  return out;
}

/// Combines tiles of one shape element by element into new ones; none after an error.
SmallVector<ThreadTile> combined(Kernel &k, Region &region, ArrayRef<ThreadTile> current,
                                 llvm::function_ref<SmallVector<Value>(const Slot &)> accumulated) {
  SmallVector<ThreadTile> out;
  for (const ThreadTile &tile : current)
    out.push_back(k.newTile(tile.element, tile.count));
  bool isGood = true;
  k.forSlots(current[0].count, [&](const Slot &slot) {
    SmallVector<Value> values;
    if (isGood)
      values = combined(k, region, paired(valuesAt(k, current, slot), accumulated(slot)));
    isGood = !values.empty();
    for (size_t i = 0; i < values.size(); ++i)
      k.set(out[i], slot, values[i]);
  });
  return isGood ? out : SmallVector<ThreadTile>();
}

LogicalResult reduce(Kernel &k, Operation *op) {
  auto reduce = cast<ReduceOp>(op);
  Split split = splitOf(shapeOf(op->getOperand(0).getType()), size_t(reduce.getDim()));
  SmallVector<ThreadTile> tiles;
  for (Value operand : op->getOperands())
    tiles.push_back(k.tile(operand));
  for (; split.along > 1; split.along /= 2) {
    int64_t count = split.outer * split.along / 2 * split.inner;
    // Element (o, c, i) of the result is made of (o, 2c, i) and (o, 2c + 1, i).
    auto even = [&](const Slot &slot) {
      Value before = k.udiv(slot.element, split.inner);
      return k.add(slot.element, k.mul(before, split.inner));
    };
    auto odd = [&](const Slot &slot) { return k.add(even(slot), split.inner); };
    SmallVector<ThreadTile> current, accumulated;
    for (const ThreadTile &tile : tiles) {
      SmallVector<ThreadTile> both = k.moved(tile, count, {even, odd});
      accumulated.push_back(both[0]);
      current.push_back(both[1]);
    }
    tiles = combined(k, reduce.getBody(), current,
                     [&](const Slot &slot) { return valuesAt(k, accumulated, slot); });
    if (tiles.empty())
      return failure();
  }
  for (auto [result, tile] : llvm::zip(op->getResults(), tiles))
    k.define(result, tile);
  return success();
}

constexpr Row rows[] = {
    {"reduce", nullptr, reduce},
    {"scan", nullptr, scan},
};

} // namespace

ArrayRef<Row> reductionRows() { return rows; }

} // namespace tessera::tile_lower
