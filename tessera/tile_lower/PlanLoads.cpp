// Plan: which loads go to shared memory, and which run ahead of their loop.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/tile_lower/PlanValues.h"

#include "tessera/tile_lower/Elements.h"
#include "tessera/tile_lower/Kernel.h"
#include "tessera/tile_lower/Rows.h"

using namespace mlir;
using namespace tessera::cuda_tile;

namespace tessera::tile_lower {

//===--- Loads into shared memory

/// What nobody uses feeds no product: it is made of a tile in registers.
bool Plan::feedsProductsOnly(Value value) const {
  return !value.use_empty() && llvm::all_of(value.getUses(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    if (products.contains(user))
      return use.getOperandNumber() < 2;
    if (isa<ReshapeOp, PermuteOp>(user) || isUnary(user))
      return feedsProductsOnly(user->getResult(0));
    return false;
  });
}

/// Rows of up to 128 bytes of neighbours, swizzled in units of 16 bytes, so that eight rows of 16
/// bytes at one place of theirs are in all 32 banks: S<3,4,3> of rows of 128 bytes, less of shorter
/// ones, as wgmma and TMA have them.
static void placeElements(Staging &staging) {
  Type tile = staging.load.getTile().getType();
  int64_t bytes = memoryBytes(elementOf(tile));
  staging.bytes = std::max<int64_t>(1024, countOf(tile) * bytes);
  const BitList &order = staging.traversal.order;
  int widest = log2Of(128 / bytes);
  auto along = size_t(staging.traversal.runBits), run = std::min(along, size_t(widest));
  int rowBits = int(run) + log2Of(bytes);
  staging.swizzle = {.bits = std::max(0, rowBits - 4), .base = 4, .shift = 3};
  staging.places.resize(order.size());
  staging.plain.resize(order.size());
  int bit = 0;
  auto place = [&](size_t i) {
    int64_t plain = bytes << bit++;
    staging.plain[size_t(order[i])] = plain;
    staging.places[size_t(order[i])] = staging.swizzle(plain);
  };
  // Longer rows are cut: the further bits of the dimension come last.
  for (size_t i = 0; i < run; ++i)
    place(i);
  for (size_t i = along; i < order.size(); ++i)
    place(i);
  for (size_t i = run; i < along; ++i)
    place(i);
}

/// Whether cp.async can copy a tile: 4 bytes or more at a time, and zeros outside of the tensor.
static bool canBeAsync(LoadViewTkoOp load, const Traversal &traversal) {
  Type view = load.getView().getType(), element = elementOf(load.getTile().getType());
  auto padding = dyn_cast_or_null<PaddingValueAttr>(cast<TileView>(view).getPaddingValue());
  return memoryBytes(element) << traversal.vectorBits >= 4 && !isFourBits(element) &&
         (!padding || padding.getValue() == PaddingValue::Zero) &&
         !isa<GatherScatterViewType>(view);
}

void Plan::follow(Operation *product, unsigned operand) {
  SmallVector<Operation *> between;
  Value value = product->getOperand(operand);
  Operation *op = value.getDefiningOp();
  while (op && (isa<ReshapeOp, PermuteOp>(op) || isUnary(op))) {
    between.push_back(op);
    op = op->getOperand(0).getDefiningOp();
  }
  auto load = dyn_cast_or_null<LoadViewTkoOp>(op);
  if (!load || load.getMemoryOrderingSemantics() != MemoryOrderingSemantics::Weak ||
      !feedsProductsOnly(load.getTile()) || isFourBits(elementOf(load.getTile().getType())))
    return;
  std::unique_ptr<Staging> &staging = stagings[load];
  if (!staging) {
    auto made = std::make_unique<Staging>();
    made->load = load;
    made->traversal = traversalOf(load.getView(), load.getInbounds().value_or(ArrayRef<bool>()));
    placeElements(*made);
    if (made->bytes > sharedLeft) {
      stagings.erase(load);
      return;
    }
    made->isAsync = canBeAsync(load, made->traversal);
    sharedLeft -= made->bytes;
    staging = std::move(made);
  }
  followed.insert(between.begin(), between.end());
  auto source =
      std::make_unique<Source>(Source{staging.get(), staging->places, staging->plain, {}});
  for (Operation *op : llvm::reverse(between)) {
    if (isa<PermuteOp>(op)) {
      for (SmallVector<int64_t> *places : {&source->places, &source->plain}) {
        SmallVector<int64_t> before = *places;
        for (auto [i, bit] : llvm::enumerate(permutedBits(op)))
          (*places)[size_t(bit)] = before[i];
      }
    } else if (!isa<ReshapeOp>(op)) {
      source->elementwise.push_back(op);
    }
  }
  sources[value] = std::move(source);
}

void Plan::stage(EntryOp entry) {
  entry.walk([&](Operation *op) {
    if (products.contains(op))
      for (unsigned operand : {0u, 1u})
        follow(op, operand);
  });
}

//===--- Pipelines

/// Collects the ops of the body that `value` needs, in their order; false if there is one whose
/// value another iteration does not know beforehand.
static bool collect(Value value, ForOp loop, llvm::SetVector<Operation *> &out) {
  if (value == loop.getInductionVar())
    return true;
  Operation *op = value.getDefiningOp();
  if (!op)
    return cast<BlockArgument>(value).getOwner() != loop.getBody();
  if (!loop->isProperAncestor(op))
    return true;
  const Row *row = rowOf(op);
  bool isPure =
      (row && row->element) || isa<ConstantOp, ReshapeOp, BroadcastOp, AssumeOp, MakeTensorViewOp,
                                   MakePartitionViewOp, MakeStridedViewOp, GetTileBlockIdOp,
                                   GetNumTileBlocksOp, GetIndexSpaceShapeOp, GetTensorShapeOp>(op);
  bool isScalar = llvm::all_of(op->getResults(), [](Value result) {
    return !isa<TileType>(result.getType()) || elementsOf(result) == 1;
  });
  if (!isPure || !isScalar || op->getBlock() != loop.getBody())
    return false;
  for (Value operand : op->getOperands())
    if (!collect(operand, loop, out))
      return false;
  out.insert(op);
  return true;
}

/// A load into registers that may run ahead: each thread copies what it reads later.
std::unique_ptr<Staging> Plan::stagedForItself(LoadViewTkoOp load) const {
  const BitLayout *layout = layoutOf(load.getTile());
  auto out = std::make_unique<Staging>();
  out->load = load;
  out->traversal = traversalOf(load.getView(), load.getInbounds().value_or(ArrayRef<bool>()));
  Type element = elementOf(load.getTile().getType());
  if (!layout || load.getMemoryOrderingSemantics() != MemoryOrderingSemantics::Weak ||
      !isCoalesced(*layout, out->traversal, memoryBytes(element)) ||
      !canBeAsync(load, out->traversal))
    return nullptr;
  out->layout = *layout;
  out->isAsync = true;
  out->bytes = (memoryBytes(element) * layout->registerCount()) << threadBits;
  return out;
}

void Plan::pipeline(ForOp loop) {
  constexpr int64_t mostStages = 4, fewestStages = 2;
  // More blocks on a multiprocessor do more than more stages of loads without products.
  constexpr int64_t mostForItself = 16384;
  if (elementOf(loop.getInductionVar().getType()).getIntOrFloatBitWidth() > 32)
    return;
  auto out = std::make_unique<Pipeline>();
  llvm::SetVector<Operation *> addressing;
  SmallVector<std::unique_ptr<Staging>> own;
  int64_t paidBytes = 0; // for one stage
  for (Operation &op : *loop.getBody()) {
    auto load = dyn_cast<LoadViewTkoOp>(op);
    if (!load)
      continue;
    const Staging *staging = stagingOf(&op);
    std::unique_ptr<Staging> made = staging ? nullptr : stagedForItself(load);
    if (made)
      staging = made.get();
    if (!staging || !staging->isAsync)
      continue;
    // An order within the loop would have to be kept.
    Value token = load.getToken();
    if (token && loop->isAncestor(token.getParentBlock()->getParentOp()))
      continue;
    bool isKnown = collect(load.getView(), loop, addressing);
    for (Value index : load.getIndex())
      isKnown = isKnown && collect(index, loop, addressing);
    if (!isKnown)
      continue;
    out->loads.push_back(staging);
    out->bytes += staging->bytes;
    if (made)
      own.push_back(std::move(made));
    else
      paidBytes += staging->bytes;
  }
  if (out->loads.empty())
    return;
  out->isShared = paidBytes > 0;
  // Two blocks are to fit a multiprocessor where three stages do.
  int64_t room = (sharedLeft + paidBytes) / out->bytes;
  int64_t half = sharedLeft / 2 / out->bytes;
  out->stages = std::min({room, mostStages, std::max<int64_t>(half, 3)});
  if (!out->isShared)
    out->stages = std::min(out->stages, std::max(mostForItself / out->bytes, fewestStages));
  if (out->stages < fewestStages)
    return;
  // Another loop has the place again, unless one is in the other; that of products was taken from
  // the start.
  bool isNested = loop->getParentOfType<ForOp>() || loop->getParentOfType<LoopOp>();
  loop.getBody()->walk([&](ForOp) { isNested = true; });
  if (out->isShared || isNested)
    sharedLeft -= out->stages * out->bytes - paidBytes;
  else
    largestRing = std::max(largestRing, out->stages * out->bytes);
  out->addressing.assign(addressing.begin(), addressing.end());
  llvm::sort(out->addressing, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  for (std::unique_ptr<Staging> &staging : own)
    stagings[staging->load] = std::move(staging);
  pipelines[loop] = std::move(out);
}

} // namespace tessera::tile_lower
