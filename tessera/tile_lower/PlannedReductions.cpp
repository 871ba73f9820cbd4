// Reductions of planned tiles: within threads, by shuffles within warps, and through shared memory
// between warps.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements that differ in one bit of their numbers are combined, bit after bit. The cheapest order
// of bits is that of registers first, then lanes, then warps. A combiner that may depend on the
// order gets neighbours first, as at level 0: where that is another order, level 0 does it.
#include "tessera/tile_lower/Combine.h"
#include "tessera/tile_lower/Planned.h"

using namespace mlir;
using namespace tessera::cuda_tile;

namespace tessera::tile_lower {

namespace {

using Done = std::optional<LogicalResult>;
constexpr size_t laneBits = 5;

/// One op on both arguments that gives the same for them in any order.
bool isCommutative(ReduceOp reduce) {
  Block &body = reduce.getBody().front();
  if (body.getOperations().size() != 2 || body.getNumArguments() != 2)
    return false;
  Operation &op = body.front();
  return isa<AddFOp, MulFOp, MaxFOp, MinFOp, AddIOp, MulIOp, MaxIOp, MinIOp, AndIOp, OrIOp, XOrIOp>(
             op) &&
         op.getNumOperands() == 2 && op.getOperand(0) != op.getOperand(1) &&
         isa<BlockArgument>(op.getOperand(0)) && isa<BlockArgument>(op.getOperand(1));
}

/// Whether neighbours are combined first.
bool isInOrder(const BitLayout &layout, int64_t removed) {
  int8_t last = -1;
  for (const BitList *bits : {&layout.registers, &layout.threads})
    for (int8_t bit : *bits)
      if (bit != noBit && (removed >> bit & 1)) {
        if (bit < last)
          return false;
        last = bit;
      }
  return true;
}

class Reduction {
public:
  Reduction(Kernel &k, ReduceOp reduce, const BitLayout &layout)
      : k(k), reduce(reduce), layout(layout), removed(reducedBits(reduce)) {
    for (Value operand : reduce->getOperands())
      tiles.push_back(k.inLayout(operand, layout));
    for (ThreadTile &tile : tiles)
      if (tile.isUniform)
        tile.registers.resize(size_t(layout.registerCount()), tile.registers[0]);
  }

  bool run() {
    for (size_t i = 0; i < layout.registers.size();)
      if (isRemoved(layout.registers[i])) {
        if (!foldRegisters(i))
          return false;
      } else {
        ++i;
      }
    for (size_t i = 0; i < laneBits; ++i)
      if (isRemoved(layout.threads[i]) && !foldLanes(i))
        return false;
    return foldWarps();
  }

  void define() {
    BitLayout left = without(layout, removed);
    for (auto [i, result] : llvm::enumerate(reduce->getResults())) {
      ThreadTile tile{.element = tiles[i].element,
                      .count = countOf(result.getType()),
                      .registers = tiles[i].registers,
                      .layout = left};
      k.define(result, tile.isScalar() ? tile : k.asPlanned(result, tile));
    }
  }

private:
  bool isRemoved(int8_t bit) const { return bit != noBit && (removed >> bit & 1); }

  /// Replaces register `to` of all tiles by the combination of two groups of values.
  bool fold(size_t to, ArrayRef<Value> first, ArrayRef<Value> second) {
    SmallVector<Value> values = combined(k, reduce.getBody(), paired(second, first));
    for (size_t i = 0; i < values.size(); ++i)
      tiles[i].registers[to] = values[i];
    return !values.empty();
  }
  SmallVector<Value> valuesAt(size_t r) const {
    SmallVector<Value> out;
    for (const ThreadTile &tile : tiles)
      out.push_back(tile.registers[r]);
    return out;
  }

  /// Registers that differ in bit i of their number become one.
  bool foldRegisters(size_t i) {
    auto low = (size_t(1) << i) - 1;
    size_t count = tiles[0].registers.size() / 2;
    for (size_t r = 0; r < count; ++r) {
      size_t even = (r & low) | (r & ~low) << 1;
      if (!fold(r, valuesAt(even), valuesAt(even | (low + 1))))
        return false;
    }
    for (ThreadTile &tile : tiles)
      tile.registers.resize(count);
    layout.registers.erase(layout.registers.begin() + ptrdiff_t(i));
    return true;
  }

  bool foldLanes(size_t i) {
    Value isOdd = k.differ(k.andi(k.thread, int64_t(1) << i), 0);
    bool keepsOrder = !isCommutative(reduce);
    for (size_t r = 0; r < tiles[0].registers.size(); ++r) {
      SmallVector<Value> mine = valuesAt(r), other;
      for (Value value : mine)
        other.push_back(k.shuffled(value, int64_t(1) << i));
      SmallVector<Value> first = mine, second = other;
      for (size_t t = 0; keepsOrder && t < mine.size(); ++t) {
        first[t] = k.select(isOdd, other[t], mine[t]);
        second[t] = k.select(isOdd, mine[t], other[t]);
      }
      if (!fold(r, first, second))
        return false;
    }
    return true;
  }

  /// Each warp writes its values, and all threads read those of all warps.
  bool foldWarps() {
    SmallVector<size_t> bits; // of threads
    for (size_t i = laneBits; i < layout.threads.size(); ++i)
      if (isRemoved(layout.threads[i]))
        bits.push_back(i);
    if (bits.empty())
      return true;
    BitLayout left = without(layout, removed);
    int64_t parts = int64_t(1) << bits.size(), count = 1;
    for (Value result : reduce->getResults())
      count = countOf(result.getType());
    // Parts of one element follow each other.
    SmallVector<int64_t> masks(layout.threads.size(), 0);
    int64_t replicas = 0;
    for (size_t i = 0; i < layout.threads.size(); ++i)
      if (left.threads[i] != noBit)
        masks[i] = parts << left.threads[i];
      else if (!llvm::is_contained(bits, i))
        replicas |= int64_t(1) << i;
    for (auto [part, bit] : llvm::enumerate(bits))
      masks[bit] = int64_t(1) << part;
    SmallVector<int64_t> shared = masks;
    for (size_t bit : bits)
      shared[bit] = 0;
    Value mine = k.combination(k.thread, masks), all = k.combination(k.thread, shared);
    Value owner = replicas ? k.equal(k.andi(k.thread, replicas), 0) : Value();
    SmallVector<int64_t> offsets;
    int64_t bytes = 0;
    for (const ThreadTile &tile : tiles) {
      offsets.push_back(bytes);
      bytes += (parts * count * memoryBytes(tile.element) + 15) / 16 * 16;
    }
    if (bytes > k.scratch)
      return false;
    auto address = [&](size_t i, Value index) {
      return k.shared(tiles[i].element, index, bytes - offsets[i], offsets[i]);
    };
    k.barrier();
    k.when(owner, [&] {
      for (size_t r = 0; r < tiles[0].registers.size(); ++r)
        for (size_t i = 0; i < tiles.size(); ++i)
          k.storeAt(tiles[i].element,
                    address(i, k.add(mine, left.registerPart(int64_t(r)) * parts)),
                    tiles[i].registers[r]);
    });
    k.barrier();
    for (size_t r = 0; r < tiles[0].registers.size(); ++r) {
      auto partAt = [&](int64_t part) {
        SmallVector<Value> out;
        for (size_t i = 0; i < tiles.size(); ++i)
          out.push_back(
              k.loadAt(tiles[i].element,
                       address(i, k.add(all, left.registerPart(int64_t(r)) * parts + part))));
        return out;
      };
      SmallVector<Value> sum = partAt(0);
      for (int64_t part = 1; part < parts; ++part) {
        if (!fold(r, sum, partAt(part)))
          return false;
        sum = valuesAt(r);
      }
    }
    return true;
  }

  Kernel &k;
  ReduceOp reduce;
  BitLayout layout;
  int64_t removed;
  SmallVector<ThreadTile> tiles;
};

Done reduce(Kernel &k, Operation *op) {
  auto reduce = cast<ReduceOp>(op);
  Value operand = op->getOperand(0);
  const BitLayout *layout = k.plan->layoutOf(operand);
  if (!layout || (!isCommutative(reduce) && !isInOrder(*layout, reducedBits(op))))
    return std::nullopt;
  for (Value result : op->getResults())
    if (countOf(result.getType()) > 1 && !k.plan->layoutOf(result))
      return std::nullopt;
  // Scratch holds what warps tell each other.
  int64_t bytes = 0;
  for (Value result : op->getResults())
    bytes +=
        countOf(result.getType()) * (k.threads / 32) * memoryBytes(elementOf(result.getType())) +
        16;
  if (bytes > k.scratch)
    return std::nullopt;
  Reduction reduction(k, reduce, *layout);
  if (!reduction.run())
    return failure();
  reduction.define();
  return success();
}

constexpr PlannedRow rows[] = {{"reduce", reduce}};

} // namespace

ArrayRef<PlannedRow> plannedReductionRows() { return rows; }

} // namespace tessera::tile_lower
