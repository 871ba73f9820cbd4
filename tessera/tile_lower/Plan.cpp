// Plan: decisions about a kernel before its code is made: threads, and instructions of products.
// The rest is in PlanLoads.cpp, PlanGroups.cpp and PlanLayouts.cpp.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/tile_lower/PlanValues.h"
#include "tessera/tile_lower/ProductLayouts.h"

#include "tessera/atom/Instructions.h"
#include "tessera/atom/Occupancy.h"
#include "tessera/atom/Registry.h"
#include "tessera/cuda_tile/Hints.h"
#include "tessera/tile_lower/Elements.h"
#include "tessera/tile_lower/Facts.h"
#include "tessera/tile_lower/Kernel.h"
#include "tessera/tile_lower/Rows.h"

using namespace mlir;
using namespace tessera::cuda_tile;

namespace tessera::tile_lower {

Extents extentsOf(Type lhs, Type rhs) {
  ArrayRef<int64_t> a = shapeOf(lhs), b = shapeOf(rhs);
  Extents out{1, a[a.size() - 2], b.back(), a.back()};
  if (a.size() == 3)
    out.batch = a[0];
  return out;
}

int64_t elementsOf(Value value) {
  return isa<TileType>(value.getType()) ? countOf(value.getType()) : 0;
}

bool isInCombiner(Operation *op) {
  for (op = op->getParentOp(); op && !isa<EntryOp>(op); op = op->getParentOp())
    if (isa<ReduceOp, ScanOp>(op))
      return true;
  return false;
}

bool isMadeAnywhere(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return false;
  if (auto constant = dyn_cast<ConstantOp>(op))
    return cast<DenseElementsAttr>(constant.getValue()).isSplat();
  if (isa<BroadcastOp>(op))
    return elementsOf(op->getOperand(0)) == 1;
  return isa<IotaOp>(op);
}

bool isUnary(Operation *op) {
  const Row *row = rowOf(op);
  return row && row->element && op->getNumOperands() == 1 && op->getNumResults() == 1;
}

namespace {

number::Format formatOf(Type element, bool isSigned) {
  if (element.isInteger(8))
    return isSigned ? number::Format::s8 : number::Format::u8;
  std::string name;
  llvm::raw_string_ostream(name) << element;
  return number::findMlir(name).value_or(number::Format::none);
}

/// The instruction with the largest K that the target has and that is not longer than K; f16 and
/// i8 sum up in f32 and i32.
const atom::MmaRow *rowFor(Operation *op, const Extents &extents, atom::Target target) {
  auto integers = dyn_cast<MmaIOp>(op);
  if (!integers && !isa<MmaFOp>(op))
    return nullptr;
  Type lhs = elementOf(op->getOperand(0).getType()), rhs = elementOf(op->getOperand(1).getType());
  number::Format a = formatOf(lhs, !integers || integers.getSignednessLhs() == Signedness::Signed);
  number::Format b = formatOf(rhs, !integers || integers.getSignednessRhs() == Signedness::Signed);
  number::Format sum = integers ? number::Format::s32 : number::Format::f32;
  const atom::MmaRow *best = nullptr;
  for (const atom::MmaRow &row : atom::mmaRows()) {
    bool fits = row.recipe == atom::Recipe::MmaSync && row.m.first == 16 && row.n.first == 8 &&
                row.a.element == a && row.b.element == b && row.c.element == sum &&
                row.d.element == sum && row.overflow == atom::Overflow::Wrapped &&
                row.kind == atom::MmaKind::None && row.k <= extents.k && row.needs.metBy(target);
    if (fits && (!best || row.k > best->k))
      best = &row;
  }
  return best;
}

} // namespace

/// Launchers of other front ends give no shared memory. From sm_90 on ptxas 13 takes static arrays
/// up to what a block can get at all (and an H200's driver runs them); for older targets it says
/// "uses too much shared data" beyond 48 KiB.
int64_t sharedLimitOf(StringRef arch) {
  Result<atom::Target> target = atom::Target::parse(arch.str());
  return target && target->number() >= 90 ? target->maxDynamicShared()
                                          : atom::Target::maxStaticShared;
}

int64_t placeOf(ArrayRef<int64_t> places, int64_t element) {
  int64_t out = 0;
  for (size_t bit = 0; bit < places.size(); ++bit)
    if (element >> bit & 1)
      out ^= places[bit];
  return out;
}

namespace {
/// What tells how many threads share the tiles of a program.
struct Shared {
  int64_t elements = 1; // of the largest tile
  bool isMultiplying = false, isReducing = false;

  explicit Shared(EntryOp entry) {
    entry.walk([&](Operation *op) {
      for (Value result : op->getResults())
        elements = std::max(elements, elementsOf(result));
      isMultiplying |= isa<MmaFOp, MmaFScaledOp, MmaIOp>(op);
      isReducing |= isa<ReduceOp, ScanOp>(op);
    });
  }
};
} // namespace

/// 128 threads, and 256 where 128 would hold more than 64 registers of some tile; as many warps as
/// the program asks for, if it does. Rows that are reduced have as few warps as can hold them: what
/// warps say to each other, and what each does once, is most of the work of short rows.
static int threadBitsOf(EntryOp entry, StringRef arch) {
  std::optional<int64_t> warps =
      hints::numberOf(entry.getOptimizationHintsAttr(), arch, "num_worker_warps_per_cta");
  if (warps == 4 || warps == 8)
    return log2Of(*warps * 32);
  constexpr int64_t many = 128 * 128, ofThread = 32;
  constexpr int warp = 5, usual = 7, most = 8;
  const Shared shared(entry);
  const int bits = shared.elements >= many ? most : usual;
  if (!shared.isReducing || shared.isMultiplying)
    return bits;
  return std::clamp(log2Of(std::max<int64_t>(shared.elements / ofThread, 1)), warp, most);
}

std::unique_ptr<const Plan> Plan::make(EntryOp entry, StringRef arch) {
  std::unique_ptr<const Plan> plan(new Plan(entry, arch, /*mayRound=*/true));
  if (!plan->isRoundedByTma())
    plan.reset(new Plan(entry, arch, /*mayRound=*/false));
  return plan;
}

Plan::Plan(EntryOp entry, StringRef arch, bool mayRound)
    : arch(arch), body(&entry.getBody().front()), mayRound(mayRound) {
  constexpr int64_t leastScratch = 16384;
  sharedLimit = sharedLimitOf(arch);
  sharedBudget = wholeBudget = sharedLimit - leastScratch;
  threadBits = threadBitsOf(entry, arch);
  chooseInstructions(entry);
  followOccupancy(entry, leastScratch);
  stage(entry);
  chooseGroups(entry);
  joinClasses(entry);
  chooseLayouts(entry);
  chooseBlocks(entry);
  orderBlocks(entry);
  entry.walk([&](ForOp loop) {
    if (!isInCombiner(loop))
      pipeline(loop, hasGroupProducts());
  });
  produce(entry);
  for (auto &[op, product] : products)
    layOutOperands(*product);
  // If the ring leaves room for a second block, so does the rest.
  int64_t room = loader && isForTwoBlocks ? sharedBudget / 2 : sharedBudget;
  bool isRoomy = room - sharedOf(*body) + leastScratch >= Kernel::mostShared;
  scratchBytes = isRoomy ? Kernel::mostShared : leastScratch;
}

const BitLayout *Plan::layoutOf(Value value) const {
  auto id = ids.find(value);
  if (id == ids.end())
    return nullptr;
  auto layout = layouts.find(parents[size_t(id->second)]);
  return layout == layouts.end() ? nullptr : &layout->second;
}
const Product *Plan::productOf(Operation *op) const {
  auto found = products.find(op);
  return found == products.end() ? nullptr : found->second.get();
}
const Staging *Plan::stagingOf(Operation *load) const {
  auto found = stagings.find(load);
  return found == stagings.end() ? nullptr : found->second.get();
}
const Pipeline *Plan::pipelineOf(Operation *loop) const {
  auto found = pipelines.find(loop);
  return found == pipelines.end() ? nullptr : found->second.get();
}
const Source *Plan::sourceOf(Value operand) const {
  auto found = sources.find(operand);
  return found == sources.end() ? nullptr : found->second.get();
}

//===--- Threads and instructions

/// The order of tile blocks is open, but programs may depend on the one that hardware has where
/// blocks tell each other something, or print.
void Plan::orderBlocks(EntryOp entry) {
  bool isAlone = true;
  entry.walk([&](Operation *op) {
    isAlone = isAlone && !isa<AtomicRMWTkoOp, AtomicCASTkoOp, PrintTkoOp>(op);
    if (auto load = dyn_cast<LoadPtrTkoOp>(op))
      isAlone = isAlone && load.getMemoryOrderingSemantics() == MemoryOrderingSemantics::Weak;
    if (auto load = dyn_cast<LoadViewTkoOp>(op))
      isAlone = isAlone && load.getMemoryOrderingSemantics() == MemoryOrderingSemantics::Weak;
  });
  if (!isAlone)
    return;
  for (int axis = 0; axis < 3; ++axis) {
    bool isGrowing = false, isShrinking = false;
    for (auto &[op, product] : products)
      for (auto loop = op->getParentOfType<ForOp>(); loop; loop = loop->getParentOfType<ForOp>()) {
        std::optional<int> first = growthOf(loop.getLowerBound(), axis);
        std::optional<int> last = growthOf(loop.getUpperBound(), axis);
        isGrowing |= first == 0 && last == 1;
        isShrinking |= !first || !last || *first - *last > 0;
        // Of two bounds that both grow, nothing is known.
      }
    lastFirst[size_t(axis)] = isGrowing && !isShrinking;
  }
}

/// Registers of a thread that sums of products take at a time: while an inner loop runs, those of
/// the loops around it are held.
int64_t Plan::mostSums() const {
  llvm::DenseMap<Block *, int64_t> sums;
  int64_t most = 0, more = 0;
  for (auto &[op, product] : products) {
    const Extents &e = product->extents;
    sums[op->getBlock()] += e.batch * e.m * e.n >> threadBits;
    more = std::max(more, product->moreRegisters());
  }
  for (auto &[block, own] : sums) {
    int64_t all = own;
    for (Operation *op = block->getParentOp(); !isa<EntryOp>(op); op = op->getParentOp())
      all += sums.lookup(op->getBlock());
    most = std::max(most, all);
  }
  return most + more;
}

/// Registers of a thread besides those of sums, for products. Threads may add up what warpgroups
/// multiply of bytes, in registers of their own: ptxas 13.0 takes 120 for a tile of 128 x 32 and
/// fails with 48 (C7600).
static int64_t otherRegistersOf(const auto &products) {
  constexpr int64_t usual = 32, ofBytes = 96;
  const bool addsBytes = llvm::any_of(products, [](const auto &entry) {
    auto floats = dyn_cast<MmaFOp>(entry.first);
    return floats && !floats.getFastAcc() && entry.second->row->a.storedBits() == 8;
  });
  return addsBytes ? ofBytes : usual;
}

/// Registers of a thread for left operands that are made of the sums of other products of their
/// block, as in attention. `mma.sync` reads them from registers. A warpgroup's products hold fewer
/// registers at a time, as they are awaited in turn.
static int64_t madeOperandsOf(const auto &products, atom::Target target, int threadBits) {
  if (atom::hasInstruction(target, "wgmma.mma_async"))
    return 0;
  constexpr int64_t bitsOfRegister = 32;
  int64_t most = 0;
  for (auto &[op, product] : products) {
    llvm::SmallPtrSet<Operation *, 16> seen;
    SmallVector<Value> made = {op->getOperand(0)};
    bool isMade = false;
    while (!made.empty() && !isMade) {
      Operation *from = made.pop_back_val().getDefiningOp();
      if (!from || from->getBlock() != op->getBlock() || !seen.insert(from).second)
        continue;
      isMade = products.contains(from);
      made.append(from->operand_begin(), from->operand_end());
    }
    const Extents &e = product->extents;
    if (isMade)
      most = std::max(most, (e.batch * e.m * e.k >> threadBits) * product->row->a.storedBits() /
                                bitsOfRegister);
  }
  return most;
}

/// The number of blocks that the hint asks for, but no more than can hold their accumulators in
/// registers, and operands made of them, with some left for everything else: beyond that, ptxas
/// moves accumulators to local memory.
void Plan::followOccupancy(EntryOp entry, int64_t scratch) {
  constexpr int64_t mostOfThread = 255;
  auto hint = hints::numberOf(entry.getOptimizationHintsAttr(), arch, "occupancy");
  Result<atom::Target> target = atom::Target::parse(arch);
  if (!hint || !target)
    return;
  int64_t registers = mostSums() + otherRegistersOf(products);
  registers += madeOperandsOf(products, *target, threadBits);
  atom::Occupancy held = atom::occupancyOf(*target, {.registers = std::min(registers, mostOfThread),
                                                     .threads = int64_t(1) << threadBits});
  blocksPerMultiprocessor = std::max<int64_t>(std::min(*hint, held.blocks), 1);
  const atom::Multiprocessor &multiprocessor = atom::multiprocessorOf(target->number());
  int64_t part =
      multiprocessor.sharedBytes() / blocksPerMultiprocessor - multiprocessor.reservedBytes();
  sharedBudget = std::max<int64_t>(std::min(sharedBudget, part - scratch), 0);
}

/// Two blocks on a multiprocessor multiply in turn. 64 registers of sums leave as many to
/// everything else, unless the program itself holds operands in them. A program that asks how many
/// blocks there are is launched with one for each multiprocessor.
void Plan::chooseBlocks(EntryOp entry) {
  constexpr int64_t fewSums = 64, blocks = 2;
  bool writesAgain = false, asks = false;
  int64_t sums = 0;
  for (auto &[op, product] : products) {
    if (product->isGroup())
      sums += layoutOfSums(*product, threadBits, false).registerCount() + product->moreRegisters();
    writesAgain = writesAgain || product->remade;
    isHeld = isHeld || !sourceOf(op->getOperand(0)) || !sourceOf(op->getOperand(1));
  }
  entry.walk([&](GetNumTileBlocksOp) { asks = true; });
  isForTwoBlocks = sums <= fewSums && !asks;
  // While one block writes operands again the other multiplies.
  if (!blocksPerMultiprocessor && threadBits == 8 && isForTwoBlocks && writesAgain && !isHeld)
    blocksPerMultiprocessor = blocks;
}

Result<Product> Plan::onTensorCores(Operation *op) const {
  TESSERA_TRY(atom::Target target, atom::Target::parse(arch));
  Extents extents = extentsOf(op->getOperand(0).getType(), op->getOperand(1).getType());
  constexpr int64_t leastRows = 16, leastColumns = 8;
  if (extents.m < leastRows || extents.n < leastColumns)
    return Reason{"SmallProduct",
                  cat("an instruction has ", leastRows, " rows and ", leastColumns, " columns")};
  const atom::MmaRow *row = rowFor(op, extents, target);
  if (!row)
    return Reason{"NoInstruction", cat(arch, " has no instruction for ",
                                       shown(elementOf(op->getOperand(0).getType())),
                                       " that sums up in 32 bits, with K of up to ", extents.k)};
  Product product;
  product.row = row;
  product.extents = extents;
  // Warps that share a part of the result hold more of it.
  for (bool keepsRows : {false, true})
    if (layoutOfSums(product, threadBits, keepsRows).registerCount() > mostRegisters)
      return Reason{"LargeProduct",
                    cat("the sums take more than ", mostRegisters, " registers of a thread")};
  return product;
}

void Plan::chooseInstructions(EntryOp entry) {
  entry.walk([&](Operation *op) {
    if (isa<MmaFOp, MmaIOp>(op))
      if (Result<Product> product = onTensorCores(op))
        products[op] = std::make_unique<Product>(*std::move(product));
  });
}

} // namespace tessera::tile_lower
