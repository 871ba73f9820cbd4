// Loads of the first iterations of loops that run over the same numbers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/tile_lower/Kept.h"

#include "tessera/tile_lower/Elements.h"
#include "tessera/tile_lower/Kernel.h"
#include "tessera/tile_lower/PlanValues.h"
#include "tessera/tile_lower/Unrolled.h"

#include "mlir/IR/OperationSupport.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tessera::cuda_tile;

namespace tessera::tile_lower {

namespace {
// What blocks keep is taken from the L1 cache, in which the other operands of rows stay: with 16
// KiB for 128 threads LayerNorm of rows of 4096 is 9 % faster than with 32 (docs/tile.md). One
// iteration may take more.
constexpr int64_t mostIterations = 4, ofThread = 128, leastBytes = 8192, mostBytes = 16384,
                  mostOfOne = 32768;

/// Whether two values are computed alike from the loops' numbers and values outside of the loops.
bool isSame(Value a, ForOp loopA, Value b, ForOp loopB) {
  llvm::DenseSet<std::pair<Value, Value>> seen;
  SmallVector<std::pair<Value, Value>> left = {{a, b}};
  auto compareLater = [&](Value x, Value y) {
    left.emplace_back(x, y);
    return success();
  };
  while (!left.empty()) {
    auto [x, y] = left.pop_back_val();
    bool isNumber = x == loopA.getInductionVar() && y == loopB.getInductionVar();
    bool isFixed = x == y && !loopA->isAncestor(x.getParentBlock()->getParentOp());
    if (isFixed || isNumber || !seen.insert({x, y}).second)
      continue;
    auto ofX = dyn_cast<OpResult>(x), ofY = dyn_cast<OpResult>(y);
    if (!ofX || !ofY || ofX.getResultNumber() != ofY.getResultNumber())
      return false;
    Operation *opX = ofX.getOwner(), *opY = ofY.getOwner();
    if (opX->getNumRegions() || !isMemoryEffectFree(opX) ||
        !OperationEquivalence::isEquivalentTo(opX, opY, compareLater, nullptr,
                                              OperationEquivalence::IgnoreLocations))
      return false;
  }
  return true;
}
/// A type of views of which no padding is asked.
Type withoutPadding(Type view) {
  MLIRContext *context = view.getContext();
  return llvm::TypeSwitch<Type, Type>(view)
      .Case([&](PartitionViewType own) {
        return PartitionViewType::get(context, own.getTileShape(), own.getTensorView(),
                                      own.getDimMap(), {});
      })
      .Case([&](StridedViewType own) {
        return StridedViewType::get(context, own.getTileShape(), own.getTraversalStrides(),
                                    own.getTensorView(), own.getDimMap(), {});
      })
      .Default([](Type other) { return other; });
}
/// Whether two loads yield the same. What cp.async copies has padding with zeros, which do where a
/// view asks for none, too.
bool isSameLoad(LoadViewTkoOp a, ForOp loopA, LoadViewTkoOp b, ForOp loopB) {
  Operation *viewA = a.getView().getDefiningOp(), *viewB = b.getView().getDefiningOp();
  auto areSame = [&](ValueRange x, ValueRange y) {
    return x.size() == y.size() && llvm::all_of(llvm::zip(x, y), [&](auto pair) {
             return isSame(std::get<0>(pair), loopA, std::get<1>(pair), loopB);
           });
  };
  return viewA && viewB && viewA->getName() == viewB->getName() &&
         withoutPadding(a.getView().getType()) == withoutPadding(b.getView().getType()) &&
         areSame(viewA->getOperands(), viewB->getOperands()) &&
         areSame(a->getOperands().drop_front(), b->getOperands().drop_front()) &&
         a.getInbounds() == b.getInbounds();
}
bool runAlike(ForOp a, ForOp b) {
  return a.getUnsignedCmp() == b.getUnsignedCmp() &&
         llvm::all_of(
             llvm::zip(a->getOperands().take_front(3), b->getOperands().take_front(3)),
             [&](auto pair) { return isSame(std::get<0>(pair), a, std::get<1>(pair), b); });
}

/// Adds the loads of a loop to those that are known, each to those like it.
void addLoads(KeptTiles &group, ForOp loop, const Plan &plan) {
  for (auto load : loop.getBody()->getOps<LoadViewTkoOp>()) {
    llvm::SetVector<Operation *> addressing;
    if (!loadedAhead(load, loop, addressing))
      continue;
    const BitLayout *layout = plan.layoutOf(load.getTile());
    auto same = llvm::find_if(group.tiles, [&](const KeptTiles::Shared &other) {
      auto [first, firstLoop] = other.loads.front();
      return layout && *layout == *other.staging->layout &&
             isSameLoad(cast<LoadViewTkoOp>(first), cast<ForOp>(firstLoop), load, loop);
    });
    if (same != group.tiles.end())
      same->loads[load] = loop;
    else if (std::shared_ptr<const Staging> staging = plan.stagedForItself(load)) {
      group.tiles.push_back({.staging = std::move(staging)});
      group.tiles.back().loads[load] = loop;
    }
  }
}

/// Leaves what several loops share, and decides what of it is copied: `room` bytes for several
/// iterations, `most` for one.
void choose(KeptTiles &group, int64_t room, int64_t most) {
  llvm::erase_if(group.tiles, [&](const KeptTiles::Shared &tile) {
    return llvm::all_of(tile.loads, [&](auto &load) { return load.second == tile.firstLoop(); });
  });
  for (KeptTiles::Shared &tile : group.tiles)
    if (group.bytes + tile.staging->bytes <= most) {
      tile.offset = group.bytes;
      group.bytes += tile.staging->bytes;
    }
  if (group.bytes)
    group.iterations = std::clamp<int64_t>(room / group.bytes, 1, mostIterations);
}
} // namespace

SmallVector<const KeptTiles::Shared *> KeptTiles::sharedBy(ForOp loop) const {
  SmallVector<const Shared *> out;
  for (const Shared &tile : tiles)
    if (llvm::any_of(tile.loads, [&](auto &load) { return load.second == loop; }))
      out.push_back(&tile);
  return out;
}

SmallVector<const KeptTiles::Shared *> KeptTiles::readBy(ForOp loop) const {
  SmallVector<const Shared *> out = sharedBy(loop);
  llvm::erase_if(out, [](const Shared *tile) { return !tile->offset; });
  return out;
}

std::vector<KeptTiles> keptTiles(EntryOp entry, const Plan &plan) {
  std::vector<KeptTiles> out;
  bool hasProducts = false;
  entry.walk([&](Operation *op) { hasProducts |= isa<MmaFOp, MmaIOp, MmaFScaledOp>(op); });
  if (hasProducts)
    return out;
  entry.walk([&](Block *block) {
    auto first = std::ptrdiff_t(out.size()); // of this block
    for (auto loop : block->getOps<ForOp>())
      if (!isInCombiner(loop) && isCuttable(plan, loop)) {
        auto same = std::find_if(out.begin() + first, out.end(), [&](const KeptTiles &group) {
          return runAlike(ForOp(group.loops[0]), loop);
        });
        if (same == out.end())
          same = out.insert(same, KeptTiles{});
        same->loops.push_back(loop);
      }
  });
  const int64_t wanted = std::clamp(ofThread << plan.threadBits, leastBytes, mostBytes);
  const int64_t room = std::min(wanted, plan.roomForLoads());
  const int64_t most = std::min(mostOfOne, plan.roomForLoads());
  for (KeptTiles &group : out) {
    for (ForOp loop : group.loops)
      addLoads(group, loop, plan);
    choose(group, room, most);
  }
  llvm::erase_if(out, [](const KeptTiles &group) { return group.tiles.empty(); });
  return out;
}

} // namespace tessera::tile_lower
