// Plan: which loads go to shared memory, and which run ahead of their loop.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/tile_lower/PlanValues.h"

#include "tessera/cuda_tile/Hints.h"
#include "tessera/tile_lower/Elements.h"
#include "tessera/tile_lower/Facts.h"
#include "tessera/tile_lower/Kernel.h"
#include "tessera/tile_lower/Rows.h"
#include "tessera/tile_lower/Runs.h"

using namespace mlir;
using namespace tessera::cuda_tile;

namespace tessera::tile_lower {

//===--- Room in shared memory

/// Bytes that loads of a block and of blocks in it, rings, and operands that are written again take
/// at a time, as Kernel::lowerBlock takes and frees them.
int64_t Plan::sharedOf(Block &block) const {
  constexpr uint64_t alignment = 1024; // of BlockMemory::takeShared
  const Pipeline *ring = pipelineOf(block.getParentOp());
  int64_t own = ring && !ring->isProduced ? ring->stages * ring->bytes : 0, nested = 0;
  if (loader && &block == body)
    own += loader->sharedBytes();
  for (Operation &op : block) {
    const Staging *staging = stagingOf(&op);
    if (staging && !(ring && llvm::is_contained(ring->loads, staging)))
      own += int64_t(llvm::alignTo(uint64_t(staging->bytes), alignment));
    if (const Product *product = productOf(&op); product && product->remade)
      own += product->remade->bytes;
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        nested = std::max(nested, sharedOf(inner));
  }
  return int64_t(llvm::alignTo(uint64_t(own), alignment)) + nested;
}

//===--- Loads into shared memory

/// A value without uses feeds no product: it is made from a tile in registers.
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

void Placement::setSwizzle(layout::Swizzle other) {
  swizzle = other;
  for (auto [place, before] : llvm::zip_equal(places, plain))
    place = swizzle(before);
}

Placement placedInRows(ArrayRef<int8_t> order, int runBits, int64_t bytes) {
  constexpr int64_t longest = 128, least = 1024;
  auto along = size_t(runBits), run = std::min(along, size_t(log2Of(longest / bytes)));
  Placement out;
  out.bytes = std::max(least, bytes << order.size());
  out.places.resize(order.size());
  out.plain.resize(order.size());
  int bit = 0;
  auto place = [&](size_t i) { out.plain[size_t(order[i])] = bytes << bit++; };
  // Longer rows are cut: the further bits of the dimension come last.
  for (size_t i = 0; i < run; ++i)
    place(i);
  for (size_t i = along; i < order.size(); ++i)
    place(i);
  for (size_t i = run; i < along; ++i)
    place(i);
  int rowBits = int(run) + log2Of(bytes);
  out.setSwizzle({.bits = std::max(0, rowBits - 4), .base = 4, .shift = 3});
  return out;
}

SmallVector<Value> addressesOf(Operation *load) {
  SmallVector<Value> out(load->getOperands());
  if (Value token = tokenOf(load))
    llvm::erase(out, token);
  return out;
}
Value tokenOf(Operation *load) {
  auto view = dyn_cast<LoadViewTkoOp>(load);
  return view ? view.getToken() : cast<LoadPtrTkoOp>(load).getToken();
}

namespace {
/// Whether cp.async can copy a tile: 4 bytes or more at a time, and zeros outside of the tensor.
constexpr int64_t leastCopied = 4;
bool canBeAsync(LoadViewTkoOp load, const Traversal &traversal) {
  Type view = load.getView().getType(), element = elementOf(load.getTile().getType());
  auto padding = dyn_cast_or_null<PaddingValueAttr>(cast<TileView>(view).getPaddingValue());
  return memoryBytes(element) << traversal.vectorBits >= leastCopied && !isFourBits(element) &&
         (!padding || padding.getValue() == PaddingValue::Zero) &&
         !isa<GatherScatterViewType>(view);
}
/// The same for pointers, of which a thread has some in registers, and zeros where the mask says
/// so.
bool canBeAsync(LoadPtrTkoOp load, const Traversal &traversal, int threadBits) {
  Type tile = load.getResult().getType();
  return memoryBytes(elementOf(tile)) << traversal.vectorBits >= leastCopied &&
         countOf(tile) >> threadBits <= mostRegisters &&
         (!load.getPaddingValue() || isEverywhere(load.getPaddingValue(), 0));
}

/// How a weak load fills shared memory; nothing if it cannot.
std::unique_ptr<Staging> stagingFor(Operation *op, int threadBits) {
  auto out = std::make_unique<Staging>();
  out->load = op;
  if (auto load = dyn_cast_or_null<LoadViewTkoOp>(op)) {
    if (load.getMemoryOrderingSemantics() != MemoryOrderingSemantics::Weak)
      return nullptr;
    out->traversal = traversalOf(load.getView(), load.getInbounds().value_or(ArrayRef<bool>()));
    out->isAsync = canBeAsync(load, out->traversal);
  } else if (auto load = dyn_cast_or_null<LoadPtrTkoOp>(op)) {
    out->traversal = traversalOfPointers(load.getSource(), load.getMask());
    out->isAsync = canBeAsync(load, out->traversal, threadBits);
    if (load.getMemoryOrderingSemantics() != MemoryOrderingSemantics::Weak || !out->isAsync)
      return nullptr;
  } else {
    return nullptr;
  }
  Type element = elementOf(out->tile());
  static_cast<Placement &>(*out) =
      placedInRows(out->traversal.order, out->traversal.runBits, memoryBytes(element));
  return isFourBits(element) ? nullptr : std::move(out);
}
} // namespace

void Plan::follow(Operation *product, unsigned operand) {
  SmallVector<Operation *> between;
  Value value = product->getOperand(operand);
  Operation *op = value.getDefiningOp();
  while (op && (isa<ReshapeOp, PermuteOp>(op) || isUnary(op))) {
    between.push_back(op);
    op = op->getOperand(0).getDefiningOp();
  }
  std::unique_ptr<Staging> made = stagingFor(op, threadBits);
  if (!made || !feedsProductsOnly(op->getResult(0)))
    return;
  std::unique_ptr<Staging> &staging = stagings[op];
  if (!staging) {
    staging = std::move(made);
    if (!fits()) {
      stagings.erase(op);
      return;
    }
  }
  followed.insert(between.begin(), between.end());
  auto source = std::make_unique<Source>(Source{{*staging}, staging.get()});
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

bool isIndexCode(Operation *op) {
  const Row *row = rowOf(op);
  return (row && row->element) ||
         isa<ConstantOp, IotaOp, ReshapeOp, BroadcastOp, AssumeOp, MakeTensorViewOp,
             MakePartitionViewOp, MakeStridedViewOp, GetTileBlockIdOp, GetNumTileBlocksOp,
             GetIndexSpaceShapeOp, GetTensorShapeOp>(op);
}
bool isScalarCode(Operation *op) {
  return isIndexCode(op) && llvm::all_of(op->getResults(), [](Value result) {
           return !isa<TileType>(result.getType()) || elementsOf(result) == 1;
         });
}

bool collectAhead(Value value, ForOp loop, bool (*isAhead)(Operation *),
                  llvm::SetVector<Operation *> &out) {
  if (value == loop.getInductionVar())
    return true;
  Operation *op = value.getDefiningOp();
  if (!op)
    return cast<BlockArgument>(value).getOwner() != loop.getBody();
  if (!loop->isProperAncestor(op) || out.contains(op))
    return true;
  if (!isAhead(op) || op->getBlock() != loop.getBody())
    return false;
  for (Value operand : op->getOperands())
    if (!collectAhead(operand, loop, isAhead, out))
      return false;
  out.insert(op);
  return true;
}

bool endsIn(ContinueOp end, ForOp loop) {
  Operation *op = end->getParentOp();
  while (!isa<ForOp, LoopOp>(op))
    op = op->getParentOp();
  return op == loop.getOperation();
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

/// The number of stages of a ring for which there is room, at most `most`; below two there is no
/// ring.
void Plan::sizeRing(int64_t most, std::optional<int64_t> latency, int64_t &stages) const {
  auto largest = [&](int64_t bytes) {
    for (stages = latency.value_or(most); stages >= fewestStages; --stages)
      if (sharedOf(*body) <= bytes)
        break;
    return stages;
  };
  // If two blocks may share a multiprocessor, each takes half of the memory, or more for three
  // stages.
  constexpr int64_t usual = 3;
  int64_t half = largest(sharedBudget / 2), room = largest(sharedBudget);
  stages = latency || !isForTwoBlocks ? room : std::min(room, std::max(half, usual));
}

void Plan::pipeline(ForOp loop, bool mayNeedTma) {
  constexpr int64_t mostStages = 4;
  if (elementOf(loop.getInductionVar().getType()).getIntOrFloatBitWidth() > 32)
    return;
  auto out = std::make_unique<Pipeline>();
  llvm::SetVector<Operation *> addressing;
  SmallVector<std::unique_ptr<Staging>> own;
  std::optional<int64_t> latency;
  for (Operation &op : *loop.getBody()) {
    auto view = dyn_cast<LoadViewTkoOp>(op);
    const Staging *staging = stagingOf(&op);
    std::unique_ptr<Staging> made = staging || !view ? nullptr : stagedForItself(view);
    if (made)
      staging = made.get();
    bool needsTma = staging && !staging->isAsync;
    if (!staging || (needsTma && !(mayNeedTma && boxesOf(*staging, arch))))
      continue;
    // Its token orders the load after another op of the loop.
    Value token = tokenOf(&op);
    if (token && loop->isAncestor(token.getParentBlock()->getParentOp()))
      continue;
    bool isKnown = llvm::all_of(addressesOf(&op), [&](Value needed) {
      return collectAhead(needed, loop, view ? isScalarCode : isIndexCode, addressing);
    });
    if (!isKnown)
      continue;
    out->needsTma = out->needsTma || needsTma;
    out->loads.push_back(staging);
    out->bytes += staging->bytes;
    if (auto hint = hints::numberOf(op.getAttrOfType<OptimizationHintsAttr>("optimization_hints"),
                                    arch, "latency"))
      latency = std::max(latency.value_or(0), *hint);
    if (made)
      own.push_back(std::move(made));
  }
  // Loads that no product reads only keep up with those of products. Without them, copies would
  // take the memory that serves as a cache, and waits (Unrolled.h).
  if (out->loads.size() == own.size())
    return;
  Pipeline &ring = *(pipelines[loop] = std::move(out));
  ring.latency = latency;
  sizeRing(mostStages, latency, ring.stages);
  if (ring.stages < fewestStages) {
    pipelines.erase(loop);
    return;
  }
  for (auto &[op, product] : products)
    if (product->remade && op->getBlock() == loop.getBody() &&
        llvm::is_contained(ring.loads, sourceOf(op->getOperand(1))->staging))
      ring.remaking.push_back(op);
  // Loads may begin during a product only if every thread copies something, as the others would
  // branch around the copies while the product is in flight; and every iteration has to reach the
  // product.
  bool isEveryones = llvm::all_of(ring.loads, [&](const Staging *staging) {
    return countOf(staging->tile()) >= staging->vector() << threadBits;
  });
  loop.getBody()->walk([&](ContinueOp end) {
    isEveryones = isEveryones && (end->getBlock() == loop.getBody() || !endsIn(end, loop));
  });
  for (Operation &op : *loop.getBody())
    if (const Product *product = productOf(&op);
        product && product->isGroup() && isEveryones && !ring.meanwhile)
      ring.meanwhile = &op;
  ring.addressing.assign(addressing.begin(), addressing.end());
  for (auto *ops : {&ring.addressing, &ring.remaking})
    llvm::sort(*ops, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  for (std::unique_ptr<Staging> &staging : own) {
    ring.own.push_back(staging->load);
    stagings[staging->load] = std::move(staging);
  }
}

} // namespace tessera::tile_lower
