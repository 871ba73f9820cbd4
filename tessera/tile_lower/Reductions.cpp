// Reductions and scans along a dimension, with a region of the program as combiner.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A reduction combines neighbours until one element is left, in the order of tile_eval, so that
// sums of floating-point numbers have the same bits. A scan goes along the dimension in shared
// memory, one thread for each row; of tiles that do not fit there it combines elements 1, 2, 4, ...
// apart instead, which is another order.
#include "tessera/tile_lower/Combine.h"
#include "tessera/tile_lower/Rows.h"

using namespace mlir;
using namespace tessera::cuda_tile;

namespace tessera::tile_lower {

namespace {

SmallVector<Value> valuesAt(Kernel &k, ArrayRef<Tile> tiles, const Slot &slot) {
  SmallVector<Value> out;
  for (const Tile &tile : tiles)
    out.push_back(k.get(tile, slot));
  return out;
}

/// Combines tiles of one shape element by element into new ones; none after an error.
SmallVector<Tile> combined(Kernel &k, Region &region, ArrayRef<Tile> current,
                           llvm::function_ref<SmallVector<Value>(const Slot &)> accumulated) {
  SmallVector<Tile> out;
  for (const Tile &tile : current)
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
  return isGood ? out : SmallVector<Tile>();
}

/// Extents before, along and after the dimension.
struct Split {
  int64_t outer = 1, along = 1, inner = 1;
};
Split splitOf(ArrayRef<int64_t> shape, size_t dim) {
  Split out;
  for (size_t d = 0; d < shape.size(); ++d)
    (d < dim ? out.outer : d == dim ? out.along : out.inner) *= shape[d];
  return out;
}

LogicalResult reduce(Kernel &k, Operation *op) {
  auto reduce = cast<ReduceOp>(op);
  Split split = splitOf(shapeOf(op->getOperand(0).getType()), size_t(reduce.getDim()));
  SmallVector<Tile> tiles;
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
    SmallVector<Tile> current, accumulated;
    for (const Tile &tile : tiles) {
      SmallVector<Tile> both = k.moved(tile, count, {even, odd});
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

/// Each thread goes along rows (o, i) of all operands, which lie one after the other in shared
/// memory. Results take the places of the operands.
LogicalResult scanRows(Kernel &k, ScanOp op, const Split &split, ArrayRef<int64_t> offsets,
                       ArrayRef<Value> identities) {
  SmallVector<Tile> tiles;
  for (Value operand : op->getOperands())
    tiles.push_back(k.tile(operand));
  int64_t count = tiles[0].count, rows = split.outer * split.inner;
  auto address = [&](size_t i, Value index) {
    Type element = tiles[i].element;
    return k.shared(element, index, count * memoryBytes(element), offsets[i]);
  };
  k.barrier();
  k.when(k.isOwner(count), [&] {
    k.forSlots(count, [&](const Slot &slot) {
      for (size_t i = 0; i < tiles.size(); ++i)
        k.storeAt(tiles[i].element, address(i, slot.element), k.get(tiles[i], slot));
    });
  });
  k.barrier();
  bool isGood = true;
  auto goAlong = [&](Value row) {
    Value first =
        k.add(k.mul(k.udiv(row, split.inner), split.along * split.inner), k.urem(row, split.inner));
    SmallVector<Type> types = {k.i32};
    SmallVector<Value> start = {k.int32(0)};
    for (Value identity : identities) {
      types.push_back(identity.getType());
      start.push_back(identity);
    }
    Block *head = k.newBlock(types), *inside = k.newBlock(), *after = k.newBlock();
    k.branch(head, start);
    k.goTo(head);
    Value n = head->getArgument(0);
    k.branchIf(k.below(n, split.along), inside, after);
    k.goTo(inside);
    Value at = op.getReverse() ? k.sub(k.int32(split.along - 1), n) : n;
    Value index = k.add(first, k.mul(at, split.inner));
    SmallVector<Value> current, accumulated;
    for (size_t i = 0; i < tiles.size(); ++i) {
      current.push_back(k.loadAt(tiles[i].element, address(i, index)));
      accumulated.push_back(head->getArgument(unsigned(i + 1)));
    }
    SmallVector<Value> next = combined(k, op.getBody(), paired(current, accumulated));
    isGood &= !next.empty();
    if (!isGood)
      next = accumulated;
    for (size_t i = 0; i < tiles.size(); ++i)
      k.storeAt(tiles[i].element, address(i, index), next[i]);
    SmallVector<Value> passed = {k.add(n, 1)};
    passed.append(next);
    k.branch(head, passed);
    k.goTo(after);
  };
  k.when(k.isOwner(rows), [&] {
    if (rows <= k.threads)
      goAlong(k.thread);
    else
      k.repeat(rows / k.threads, [&](Value i) { goAlong(k.add(k.mul(i, k.threads), k.thread)); });
  });
  k.barrier();
  for (size_t i = 0; i < tiles.size(); ++i) {
    Tile out = k.newTile(tiles[i].element, count);
    k.forSlots(count, [&](const Slot &slot) {
      k.set(out, slot, k.loadAt(out.element, address(i, slot.element)));
    });
    k.define(op->getResult(unsigned(i)), std::move(out));
  }
  return success(isGood);
}

LogicalResult scan(Kernel &k, Operation *op) {
  auto scan = cast<ScanOp>(op);
  Split split = splitOf(shapeOf(op->getOperand(0).getType()), size_t(scan.getDim()));
  SmallVector<Value> identities = identitiesOf(k, op, scan.getIdentities());
  SmallVector<int64_t> offsets;
  int64_t bytes = 0;
  for (Value operand : op->getOperands()) {
    offsets.push_back(bytes);
    bytes += std::max<int64_t>(16, countOf(operand.getType()) *
                                       memoryBytes(elementOf(operand.getType())));
  }
  if (bytes <= k.scratch)
    return scanRows(k, scan, split, offsets, identities);

  SmallVector<Tile> tiles;
  for (Value operand : op->getOperands())
    tiles.push_back(k.tile(operand));
  tiles = combined(k, scan.getBody(), tiles, [&](const Slot &) { return identities; });
  if (tiles.empty())
    return failure();
  // Combines each element with the one that is so far before it. An element that has none keeps
  // what it has: it looks at itself.
  auto step = [&](Value apart) {
    auto isFirst = [&](const Slot &slot) {
      Value n = k.andi(k.udiv(slot.element, split.inner), split.along - 1);
      return k.below(scan.getReverse() ? k.sub(k.int32(split.along - 1), n) : n, apart);
    };
    auto before = [&](const Slot &slot) {
      Value distance = k.mul(apart, split.inner);
      Value there =
          scan.getReverse() ? k.add(slot.element, distance) : k.sub(slot.element, distance);
      return k.select(isFirst(slot), slot.element, there);
    };
    SmallVector<Tile> earlier;
    for (const Tile &tile : tiles)
      earlier.push_back(k.movedTo(tile, tile.count, before));
    bool isGood = true;
    k.forSlots(tiles[0].count, [&](const Slot &slot) {
      SmallVector<Value> current = valuesAt(k, tiles, slot), sums;
      if (isGood)
        sums = combined(k, scan.getBody(), paired(current, valuesAt(k, earlier, slot)));
      isGood = !sums.empty();
      for (size_t i = 0; i < sums.size(); ++i)
        k.set(tiles[i], slot, k.select(isFirst(slot), current[i], sums[i]));
    });
    return success(isGood);
  };
  if (!tiles[0].array) {
    for (int64_t apart = 1; apart < split.along; apart *= 2)
      if (failed(step(k.int32(apart))))
        return failure();
  } else { // which take much room: one step's code and memory for all
    Block *head = k.newBlock({k.i32}), *inside = k.newBlock(), *after = k.newBlock();
    k.branch(head, {k.int32(1)});
    k.goTo(head);
    Value apart = head->getArgument(0);
    k.branchIf(k.below(apart, split.along), inside, after);
    k.goTo(inside);
    if (failed(step(apart)))
      return failure();
    k.branch(head, {k.add(apart, apart)});
    k.goTo(after);
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
