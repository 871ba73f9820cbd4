// Which tiles live across reductions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/tile_lower/Held.h"

#include "tessera/atom/Occupancy.h"
#include "tessera/cuda_tile/Hints.h"
#include "tessera/tile_lower/Elements.h"

#include <algorithm>

using namespace mlir;
using namespace tessera::cuda_tile;

namespace tessera::tile_lower {

namespace {

// Of the registers of a thread, as many may hold tiles across a reduction or from one iteration to
// the next, and all of them at most these and what is loaded at a time. Blocks of few threads are
// left as they are.
constexpr int64_t registers = 64, mostHeld = 32, fewThreads = 128;

/// Whether a value is made again where it is needed, or is the same for all elements.
bool isCheap(Value value) {
  Operation *op = value.getDefiningOp();
  return op && isa<ConstantOp, IotaOp, BroadcastOp>(op);
}

/// Whether a value is there before an op, and needed after it.
bool livesAcross(Value value, Operation *op) {
  Block *block = value.getParentBlock();
  Operation *here = block->findAncestorOpInBlock(*op), *made = value.getDefiningOp();
  if (!here || made == here || (made && !made->isBeforeInBlock(here)))
    return false;
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    Operation *used = block->findAncestorOpInBlock(*user);
    return used && (used == here ? here != op : here->isBeforeInBlock(used));
  });
}

/// Registers of tiles that live across an op, are carried by a loop, or are loaded by a block.
class Counted {
public:
  Counted(const Plan &plan, ArrayRef<KeptTiles> kept) : plan(plan) {
    for (const KeptTiles &group : kept)
      for (const KeptTiles::Shared &tile : group.tiles)
        for (auto [load, loop] : tile.loads)
          shared.insert(load);
  }

  int64_t of(ValueRange tiles) const {
    int64_t count = 0;
    for (Value tile : tiles)
      if (const BitLayout *layout = isa<TileType>(tile.getType()) ? plan.layoutOf(tile) : nullptr)
        count += layout->registerCount() *
                 std::max<int64_t>(1, memoryBytes(elementOf(tile.getType())) / 4);
    return count;
  }
  int64_t across(ReduceOp op, ArrayRef<Value> tiles) const {
    int64_t held = 0;
    for (Value tile : tiles)
      if (livesAcross(tile, op))
        held += of(tile);
    return held;
  }
  int64_t loadedBy(Block &block) const {
    int64_t registers = 0;
    for (Operation &op : block)
      if (isa<LoadViewTkoOp, LoadPtrTkoOp>(op) && !shared.contains(&op)) {
        // Until they are used, short numbers are as close together as in memory.
        int64_t bytes = memoryBytes(elementOf(op.getResult(0).getType()));
        registers += bytes < 4 ? of(op.getResult(0)) * bytes / 4 : of(op.getResult(0));
      }
    return registers;
  }

private:
  const Plan &plan;
  llvm::DenseSet<Operation *> shared;
};

} // namespace

int64_t blocksOfRows(EntryOp entry, const Plan &plan, ArrayRef<KeptTiles> kept) {
  Result<atom::Target> target = atom::Target::parse(plan.arch);
  const Counted counted(plan, kept);
  SmallVector<ReduceOp> reductions;
  SmallVector<Value> tiles;
  int64_t held = 0, carried = 0, loaded = 0, shared = 0, largest = 0;
  bool isOther = !target || plan.blocksPerMultiprocessor || plan.producer() ||
                 hints::numberOf(entry.getOptimizationHintsAttr(), plan.arch, "occupancy");
  auto addTile = [&](Value value) {
    if (isa<TileType>(value.getType()) && plan.layoutOf(value) && !isCheap(value))
      tiles.push_back(value);
  };
  entry.walk([&](Operation *op) {
    isOther |= isa<MmaFOp, MmaIOp, MmaFScaledOp, ScanOp>(op);
    if (auto reduce = dyn_cast<ReduceOp>(op); reduce && plan.layoutOf(op->getOperand(0)))
      reductions.push_back(reduce);
    if (isa<ForOp, LoopOp>(op))
      carried = std::max(carried, counted.of(op->getResults()));
    llvm::for_each(op->getResults(), addTile);
    for (Region &region : op->getRegions())
      for (Block &block : region) {
        llvm::for_each(block.getArguments(), addTile);
        loaded = std::max(loaded, counted.loadedBy(block));
      }
  });
  const int64_t threads = int64_t(1) << plan.threadBits;
  if (isOther || reductions.empty() || threads <= fewThreads)
    return 0;
  for (ReduceOp reduce : reductions) {
    held = std::max(held, counted.across(reduce, tiles));
    largest = std::max(largest, counted.of(reduce->getOperands()));
  }
  for (Value tile : tiles)
    largest = std::max(largest, counted.of(tile));
  // Loops that run once hold what they share (Once.h).
  for (const KeptTiles &group : kept) {
    int64_t ofGroup = 0;
    for (const KeptTiles::Shared &tile : group.tiles)
      ofGroup += tile.staging->layout->registerCount();
    shared = std::max(shared, ofGroup);
  }
  if (std::max({held + shared, carried, largest}) > mostHeld || held + shared + loaded > registers)
    return 0;
  return atom::occupancyOf(*target, {.registers = registers, .threads = threads}).blocks;
}

} // namespace tessera::tile_lower
