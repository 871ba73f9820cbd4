// Plan: which loops have their loads made by a warp of its own, with TMA.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// That warp runs through the program too, but does of it only what says which loads come: scalars,
// views, and the loops and branches around the loads. So all of that must follow from the kernel's
// arguments and the block's number, and not from memory or from what a loop carries. As the warp
// may be iterations and loops ahead of the others, nothing that the program writes may have to come
// before its loads.
//
// TMA needs a tensor map of each tensor view: tessera/atom/TensorMap.h has its limits. For numbers
// known only at run time, the program's assumptions have to say that they are within these limits.
#include "tessera/tile_lower/PlanValues.h"

#include "tessera/atom/TensorMap.h"
#include "tessera/cuda_tile/Hints.h"
#include "tessera/tile_lower/Elements.h"
#include "tessera/tile_lower/Facts.h"
#include "tessera/tile_lower/ProductOverlap.h"

using namespace mlir;
using namespace tessera::cuda_tile;

namespace tessera::tile_lower {

int64_t Producer::imagesAt() const {
  return int64_t(llvm::alignTo(uint64_t(barriers() * stages * barrierBytes), uint64_t(mapBytes)));
}
int64_t Producer::sharedBytes() const {
  constexpr uint64_t alignment = 1024; // of BlockMemory::takeShared
  return int64_t(llvm::alignTo(uint64_t(controlBytes()), alignment)) + stages * bytes;
}

namespace {

//===--- Tensor maps

MakeTensorViewOp tensorOf(LoadViewTkoOp load) {
  Operation *view = load.getView().getDefiningOp();
  return view && view->getNumOperands() == 1 ? view->getOperand(0).getDefiningOp<MakeTensorViewOp>()
                                             : MakeTensorViewOp();
}

/// Whether numbers of a tensor view fit the fields of a map: those that are not stated fit as
/// signed 32-bit numbers that are not negative, and multiples of `divisor`.
bool areGood(ArrayRef<int64_t> stated, ValueRange dynamic, int64_t divisor) {
  constexpr int64_t least32 = int64_t(1) << 31;
  for (int64_t number : stated) {
    if (number != TensorViewType::dynamic) {
      if (number >= least32 || (number != 1 && number % divisor))
        return false;
      continue;
    }
    Value value = dynamic.front();
    dynamic = dynamic.drop_front();
    if (!isSmall(value) || divisorOf(value) % divisor)
      return false;
  }
  return true;
}

} // namespace

Result<Boxes> boxesOf(const Staging &staging, StringRef arch) {
  auto load = dyn_cast<LoadViewTkoOp>(staging.load);
  auto no = [](std::string why) { return Reason{"NoTma", std::move(why)}; };
  if (!load)
    return no("a load is by pointers");
  if (auto hint =
          dyn_cast_or_null<BoolAttr>(hints::of(load.getOptimizationHintsAttr(), arch, "allow_tma"));
      hint && !hint.getValue())
    return no("allow_tma is false");
  if (staging.layout)
    return no("a load is also read by threads");
  MakeTensorViewOp tensor = tensorOf(load);
  if (!tensor)
    return no("it is not known how a view was made");
  auto type = cast<TensorViewType>(tensor.getResult().getType());
  ArrayRef<int64_t> shape = shapeOf(load.getTile().getType());
  SmallVector<Dimension> dimensions = dimensionsOf(load.getView().getType(), shape);
  constexpr int64_t mostRank = atom::TensorMap::maxRank, unit = 16, mostExtent = 256, longest = 128;
  int64_t bytes = memoryBytes(type.getElementType()), run = int64_t(1) << staging.traversal.runBits;
  if (int64_t(shape.size()) > mostRank)
    return no(cat("a tensor map has up to ", mostRank, " dimensions"));
  if (bytes > 4)
    return no("elements have more than 4 bytes");
  Boxes out;
  for (size_t d = shape.size(); d-- > 0;)
    if (firstBitOf(shape, d) == staging.traversal.order.front() && shape[d] == run)
      out.dimensions.push_back(d);
  if (out.dimensions.size() != 1 ||
      type.getStrides()[dimensions[out.dimensions[0]].ofTensor] != 1 || run * bytes < unit)
    return no("a row of the tile is shorter than 16 bytes, or its stride is not known to be 1");
  if (divisorOf(tensor.getBase()) % unit ||
      !areGood(type.getStrides(), tensor.getDynamicStrides(), std::max<int64_t>(unit / bytes, 1)))
    return no("base and strides are not known to be multiples of 16 bytes (assume div_by), "
              "and strides to be numbers of 31 bits (assume bounded)");
  if (!areGood(type.getShape(), tensor.getDynamicShape(), 1))
    return no("extents are not known to be numbers of 31 bits (assume bounded)");
  out.extents.push_back(std::min(run, longest / bytes));
  out.count = run / out.extents[0];
  for (size_t d = shape.size(); d-- > 0;)
    if (d != out.dimensions[0]) {
      out.dimensions.push_back(d);
      out.extents.push_back(shape[d]);
    }
  for (int64_t extent : out.extents)
    if (extent > mostExtent)
      return no(cat("a box has up to ", mostExtent, " elements along a dimension"));
  layout::Swizzle swizzle{
      .bits = log2Of(out.extents[0] * bytes) - 4, .base = 4, .shift = 3}; // as placedInRows has it
  if (staging.swizzle != swizzle && !(swizzle.bits == 0 && staging.swizzle.isIdentity()))
    return no("the products that read the tile need another swizzle than TMA writes");
  return out;
}

namespace {

/// Whether two loads can use one tensor map.
bool isSameMap(const Staging &a, const Staging &b) {
  auto modesOf = [](const Staging &staging) {
    auto load = cast<LoadViewTkoOp>(staging.load);
    SmallVector<size_t> out;
    auto dimensions = dimensionsOf(load.getView().getType(), shapeOf(load.getTile().getType()));
    for (size_t d : staging.boxes->dimensions)
      out.push_back(dimensions[d].ofTensor);
    return out;
  };
  return tensorOf(cast<LoadViewTkoOp>(a.load)) == tensorOf(cast<LoadViewTkoOp>(b.load)) &&
         a.boxes->extents == b.boxes->extents && a.isRounded == b.isRounded &&
         modesOf(a) == modesOf(b);
}

//===--- What the warp knows

/// Collects the ops that a value needs, operands first; false if it needs more than scalars and
/// views of the kernel's arguments and of numbers of iterations, which `inLoops` allows.
bool collect(Value value, bool inLoops, llvm::SetVector<Operation *> &out) {
  Operation *op = value.getDefiningOp();
  if (!op) {
    auto argument = cast<BlockArgument>(value);
    Operation *parent = argument.getOwner()->getParentOp();
    auto loop = dyn_cast<ForOp>(parent);
    return isa<EntryOp>(parent) || (inLoops && loop && value == loop.getInductionVar());
  }
  if (out.contains(op))
    return true;
  if (!isScalarCode(op))
    return false;
  for (Value operand : op->getOperands())
    if (!collect(operand, inLoops, out))
      return false;
  out.insert(op);
  return true;
}

/// Whether a token stands for loads only, so that what comes after it may come before all stores.
bool isOfLoads(Value token, llvm::DenseSet<Value> &seen) {
  if (!token || !seen.insert(token).second)
    return true;
  auto areOfLoads = [&](ValueRange tokens) {
    return llvm::all_of(tokens, [&](Value each) { return isOfLoads(each, seen); });
  };
  Operation *op = token.getDefiningOp();
  if (!op) {
    // The values that a loop carries: the initial ones, and those that each iteration passes on.
    auto argument = cast<BlockArgument>(token);
    auto loop = dyn_cast<ForOp>(argument.getOwner()->getParentOp());
    if (!loop || argument.getArgNumber() == 0)
      return false;
    unsigned number = argument.getArgNumber() - 1;
    bool isGood = isOfLoads(loop.getInitValues()[number], seen);
    loop.getBody()->walk([&](ContinueOp end) {
      if (endsIn(end, loop))
        isGood = isGood && isOfLoads(end->getOperand(number), seen);
    });
    return isGood;
  }
  if (isa<MakeTokenOp>(op))
    return true;
  if (isa<JoinTokensOp>(op))
    return areOfLoads(op->getOperands());
  if (auto load = dyn_cast<LoadViewTkoOp>(op))
    return load.getMemoryOrderingSemantics() == MemoryOrderingSemantics::Weak &&
           isOfLoads(load.getToken(), seen);
  if (auto load = dyn_cast<LoadPtrTkoOp>(op))
    return load.getMemoryOrderingSemantics() == MemoryOrderingSemantics::Weak &&
           isOfLoads(load.getToken(), seen);
  return false;
}

/// The number of iterations of a loop, if its bounds are constants.
std::optional<int64_t> turnsOf(ForOp loop) {
  auto constantOf = [](Value value) -> std::optional<int64_t> {
    auto constant = value.getDefiningOp<ConstantOp>();
    if (!constant)
      return std::nullopt;
    return cast<DenseIntElementsAttr>(constant.getValue()).getSplatValue<APInt>().getSExtValue();
  };
  auto lower = constantOf(loop.getLowerBound()), upper = constantOf(loop.getUpperBound());
  auto step = constantOf(loop.getStep());
  if (!lower || !upper || !step || *step <= 0 || *upper <= *lower)
    return std::nullopt;
  return (*upper - *lower + *step - 1) / *step;
}

} // namespace

std::string Plan::whyNotProduced(ForOp loop, const Pipeline &ring, Producer &out) const {
  constexpr int64_t fewTurns = 3; // a map takes about as long as the loads of one
  if (llvm::none_of(*loop.getBody(), [&](Operation &op) {
        const Product *product = productOf(&op);
        return product && product->isGroup();
      }))
    return "the loop has no products of warpgroups";
  if (llvm::any_of(*loop.getBody(), [&](Operation &op) {
        const Product *product = productOf(&op);
        return product && product->remade;
      }))
    return "threads write B of a product again, and wait for each other anyway";
  if (auto turns = turnsOf(loop); turns && *turns < fewTurns)
    return cat("a loop of ", *turns, *turns == 1 ? " iteration" : " iterations",
               " is too short for it");
  auto entry = loop->getParentOfType<EntryOp>();
  bool returnsEarly = false;
  entry.walk([&](ReturnOp end) { returnsEarly |= end->getParentOp() != entry; });
  if (returnsEarly)
    return "the kernel returns early";
  bool waits = false;
  entry.walk([&](GdcWaitTkoOp) { waits = true; });
  if (waits)
    return "the kernel waits for the one before it";
  llvm::SetVector<Operation *> needed;
  SmallVector<Operation *> around;
  for (Operation *op = loop; op != entry; op = op->getParentOp()) {
    auto branch = dyn_cast<IfOp>(op);
    auto outer = dyn_cast<ForOp>(op);
    if (!branch && !outer)
      return "it is in a loop without a fixed number of iterations";
    SmallVector<Value> decides;
    if (branch)
      decides = {branch.getCondition()};
    else
      decides = {outer.getLowerBound(), outer.getUpperBound(), outer.getStep()};
    for (Value value : decides)
      if (!collect(value, true, needed))
        return "the number of iterations depends on memory or on what a loop carries";
    if (op == loop)
      continue;
    around.push_back(op);
    bool endsEarly = false;
    if (outer)
      outer.getBody()->walk([&](ContinueOp end) {
        endsEarly |= end->getBlock() != outer.getBody() && endsIn(end, outer);
      });
    if (endsEarly)
      return "an iteration of a loop around it may end early";
  }
  for (const Staging *staging : ring.loads) {
    Result<Boxes> boxes = boxesOf(*staging, arch);
    if (!boxes)
      return boxes.reason().text;
    auto load = cast<LoadViewTkoOp>(staging->load);
    llvm::DenseSet<Value> seen;
    if (!isOfLoads(load.getToken(), seen))
      return "a load comes after a store";
    bool isKnown = collect(tensorOf(load).getResult(), false, out.ofMaps);
    isKnown = isKnown && collect(load.getView(), true, needed);
    for (Value index : load.getIndex())
      isKnown = isKnown && collect(index, true, needed);
    if (!isKnown)
      return "the addresses of the loads depend on memory or on what a loop carries";
    stagings.find(load)->second->boxes = *std::move(boxes);
  }
  out.needed.insert(needed.begin(), needed.end());
  out.around.insert(around.begin(), around.end());
  return {};
}

void Plan::produce(EntryOp entry) {
  auto out = std::make_unique<Producer>();
  SmallVector<ForOp> rings, others;
  std::optional<int64_t> latency;
  // A tile that an outer loop holds would keep its stage while an inner one goes through the ring.
  llvm::DenseSet<Operation *> outer;
  entry.walk<WalkOrder::PostOrder>([&](ForOp loop) {
    auto found = pipelines.find(loop);
    if (found == pipelines.end())
      return;
    Pipeline &ring = *found->second;
    ring.whyNotProduced = outer.contains(loop) ? "a loop in it has loads of such a warp"
                                               : whyNotProduced(loop, ring, *out);
    if (!ring.whyNotProduced.empty())
      return others.push_back(loop);
    for (Operation *op = loop->getParentOp(); op != entry; op = op->getParentOp())
      outer.insert(op);
    rings.push_back(loop);
    out->last = loop;
    out->bytes = std::max(out->bytes, ring.bytes);
    if (ring.latency)
      latency = std::max(latency.value_or(0), *ring.latency);
    for (const Staging *staging : ring.loads) {
      Boxes &boxes = *stagings.find(staging->load)->second->boxes;
      while (boxes.map < out->maps.size() && !isSameMap(*out->maps[boxes.map], *staging))
        ++boxes.map;
      if (boxes.map == out->maps.size())
        out->maps.push_back(staging);
    }
  });
  for (ForOp loop : others)
    pipelineAgain(loop);
  if (rings.empty())
    return;
  loader = std::move(out);
  for (ForOp loop : rings)
    pipelines.find(loop)->second->isProduced = true;
  if (!loader->around.empty())
    loader->last = nullptr; // there may be loads again
  shareRegisters();
  // A block that is alone on its multiprocessor can use all of the shared memory.
  constexpr int64_t usualStages = 4, mostStages = 8;
  bool isAlone = threadBits == 8 && !isForTwoBlocks;
  constexpr int64_t otherRegisters = 32;
  int64_t blocks = std::max<int64_t>(blocksPerMultiprocessor, 1);
  int64_t registers = loader->registers ? loader->registers : registersWith(blocks, false);
  loader->hasEarly = true; // where it suits all loops of the ring
  for (ForOp loop : rings) {
    ProductOverlap overlap(*this, loop, *pipelines.find(loop)->second);
    overlap.choose(registers - mostSums() - otherRegisters, blocks > 1);
    loader->hasEarly = overlap.separate() && loader->hasEarly;
  }
  sizeRing(isAlone ? mostStages : usualStages, latency, loader->stages);
  if (loader->stages < fewestStages) {
    loader.reset();
    for (ForOp loop : rings) {
      Pipeline &ring = *pipelines.find(loop)->second;
      ring.isProduced = false;
      ring.carried = ring.sumsUse = ring.early = ring.othersUse = nullptr;
      ring.earlyLoads.clear();
      ring.whyNotProduced = "there is no room for a ring of its own";
      pipelineAgain(loop);
    }
    return;
  }
  // With two stages, two iterations read all of them. More barriers take time (docs/tile.md).
  bool isNarrow = loader->stages <= fewestStages;
  loader->hasEarly = loader->hasEarly && isNarrow;
  for (auto &[loop, ring] : pipelines)
    if (ring->isProduced) {
      ring->stages = loader->stages;
      ring->meanwhile = nullptr;
      if (!loader->hasEarly)
        ring->othersUse = nullptr;
      if (!loader->hasEarly && isNarrow)
        ring->early = nullptr;
    }
}

bool Plan::isRoundedByTma() const {
  return llvm::all_of(stagings, [&](const auto &entry) {
    const Staging *staging = entry.second.get();
    return !staging->isRounded || llvm::any_of(pipelines, [&](const auto &other) {
      return other.second->isProduced && llvm::is_contained(other.second->loads, staging);
    });
  });
}

/// The pipeline of a loop whose loads threads make, without those that only TMA could.
void Plan::pipelineAgain(ForOp loop) {
  Pipeline before = *pipelines.find(loop)->second;
  if (!before.needsTma)
    return;
  for (Operation *load : before.own)
    stagings.erase(load);
  pipelines.erase(loop);
  pipeline(loop, /*mayNeedTma=*/false);
  if (auto found = pipelines.find(loop); found != pipelines.end())
    found->second->whyNotProduced = before.whyNotProduced;
}

/// Registers of a thread that runs the program, if a multiprocessor holds so many blocks. Each of
/// its four parts has a quarter of the registers, for every fourth warp.
int64_t Plan::registersWith(int64_t blocks, bool isGroup) const {
  constexpr int64_t ofPart = 16384, parts = 4, unit = 8, most = 240;
  const int64_t warps = (int64_t(1) << threadBits) / Producer::warpThreads;
  const int64_t all = warps + (isGroup ? parts : 1);
  const int64_t held = (blocks * all + parts - 1) / parts; // of a part
  const int64_t atEntry = ofPart / held / Producer::warpThreads / unit * unit;
  // Threads can take no more than others have left: setmaxnreg would wait forever.
  const int64_t taken =
      isGroup ? (atEntry * all - Producer::ownRegisters * parts) / warps / unit * unit : atEntry;
  return std::min(taken, most);
}

/// How many blocks a multiprocessor holds, and whether one warpgroup gives registers to others. All
/// registers of one instruction have to fit what a thread has at launch (ptxas: C7602).
void Plan::shareRegisters() {
  constexpr int64_t two = 2, otherRegisters = 32, all = 65536;
  int64_t ofInstruction = 0;
  for (auto &[op, product] : products)
    if (product->isGroup())
      ofInstruction = std::max(ofInstruction, product->columns / 2 + otherRegisters);
  int64_t needed = mostSums() + otherRegisters;
  int64_t &blocks = blocksPerMultiprocessor;
  bool isAsked = blocks > 0;
  if (!isAsked)
    blocks = threadBits == 8 && isForTwoBlocks && !isHeld ? two : 1;
  auto isForGroup = [&] {
    int64_t threads = (int64_t(1) << threadBits) + Producer::groupThreads;
    return all / blocks / threads >= ofInstruction &&
           registersWith(blocks, true) > registersWith(blocks, false);
  };
  while (blocks > 1 && registersWith(blocks, isForGroup()) < needed) {
    --blocks;
    sharedBudget = wholeBudget;
    isForTwoBlocks = false;
  }
  loader->registers = isForGroup() ? registersWith(blocks, true) : 0;
  if (blocks == 1 && !isAsked)
    blocks = 0;
}

} // namespace tessera::tile_lower
