// The version of loops that run once.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/tile_lower/Once.h"

#include "tessera/tile_lower/Planned.h"
#include "tessera/tile_lower/Unrolled.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tessera::cuda_tile;

namespace tessera::tile_lower {

namespace {

/// Ops of a block that are made twice, those in it included; more take long to compile.
constexpr int64_t mostTwice = 400;

bool isPlainSum(AddFOp add) {
  return add && !add.getFlushToZero() && add.getRoundingMode() == RoundingMode::NearestEven &&
         elementOf(add.getType()).isF32();
}
/// A constant of which all elements are +0.
bool isZero(Value value) {
  DenseElementsAttr elements;
  return matchPattern(value, m_Constant(&elements)) && elements.isSplat() &&
         isa<FloatType>(elements.getElementType()) && elements.getSplatValue<APFloat>().isPosZero();
}
bool isSumOfAll(Operation *op) {
  auto reduce = dyn_cast<ReduceOp>(op);
  if (!reduce || reduce->getNumOperands() != 1)
    return false;
  Block &body = reduce.getBody().front();
  return body.getOperations().size() == 2 && isPlainSum(dyn_cast<AddFOp>(body.front())) &&
         body.front().getOperand(0) != body.front().getOperand(1) &&
         llvm::all_of(body.front().getOperands(), llvm::IsaPred<BlockArgument>);
}

/// The loops of one group, one iteration of each.
class Turn {
public:
  Turn(Kernel &k, const KeptTiles &loops) : k(k), loops(loops) {}

  /// Whether a loop has exactly one iteration.
  Value isOnly(ForOp loop) {
    auto wide = [&](Value number) {
      return k.resize(k.scalar(number), k.i64, !loop.getUnsignedCmp());
    };
    Value first = wide(loop.getLowerBound()), end = wide(loop.getUpperBound());
    Value second = k.add(first, wide(loop.getStep()));
    return k.andi(k.compare(arith::CmpIPredicate::slt, first, end),
                  k.compare(arith::CmpIPredicate::sge, second, end));
  }

  /// Makes one iteration. Loads that a loop before has made are not made again: outside of tensors
  /// they yield zeros, whether or not their views ask for any.
  LogicalResult lower(ForOp loop) {
    Unrolled form;
    for (const KeptTiles::Shared *tile : loops.sharedBy(loop))
      for (auto [load, in] : tile->loads)
        if (auto found = loaded.find(tile); in == loop && found != loaded.end()) {
          form.known.insert(load);
          k.alias(load->getResult(0), found->second.getTile());
        }
    form.first = loadsFirst(loop, [&](Operation *op) { return !form.known.contains(op); });
    findSums(loop);
    std::vector<ThreadTile> carried = initial(loop);
    if (failed(lowerCopies(k, loop, form, k.scalar(loop.getLowerBound()), k.scalar(loop.getStep()),
                           carried)))
      return failure();
    for (const KeptTiles::Shared *tile : loops.sharedBy(loop))
      for (auto [load, in] : tile->loads)
        if (in == loop && !form.known.contains(load))
          loaded.try_emplace(tile, cast<LoadViewTkoOp>(load));
    size_t next = 0;
    for (Value result : loop.getResults())
      if (isa<TileType>(result.getType()))
        k.define(result, carried[next++]);
    return success();
  }

  /// Makes an op between the loops or after them.
  LogicalResult lower(Operation *op) {
    if (failed(k.lowerOne(*op)))
      return failure();
    if (sums.contains(op)) {
      ThreadTile sum = k.held(op->getResult(0));
      for (Value &part : sum.registers)
        part = k.make<arith::AddFOp>(part, k.real(k.f32, 0.0));
      k.define(op->getResult(0), std::move(sum));
    }
    return success();
  }

private:
  bool isInRegisters(Value tile) const {
    return countOf(tile.getType()) == 1 || k.plan->layoutOf(tile);
  }

  /// Finds what the loop only adds to zero, for sums of all of it.
  void findSums(ForOp loop) {
    auto passed = loop.getBody()->getTerminator()->getOperands();
    for (auto [i, value] : llvm::enumerate(loop.getRegionIterValues())) {
      auto add = passed[i].getDefiningOp<AddFOp>();
      Value result = loop.getResult(unsigned(i));
      if (!isPlainSum(add) || !add->hasOneUse() || !value.hasOneUse() ||
          !isZero(loop.getInitValues()[i]) ||
          !llvm::all_of(result.getUsers(), [&](Operation *user) {
            return user->getBlock() == loop->getBlock() && isSumOfAll(user) &&
                   isInRegisters(user->getResult(0));
          }))
        continue;
      if (add.getLhs() == value)
        k.addedToZero[add] = add.getRhs();
      else if (add.getRhs() == value)
        k.addedToZero[add] = add.getLhs();
      else
        continue;
      sums.insert(result.getUsers().begin(), result.getUsers().end());
    }
  }

  /// What the loop begins with, in the form in which its iterations pass it on.
  std::vector<ThreadTile> initial(ForOp loop) {
    std::vector<ThreadTile> out;
    for (auto [value, from] : llvm::zip(loop.getRegionIterValues(), loop.getInitValues())) {
      if (!isa<TileType>(value.getType()))
        continue; // tokens hold nothing
      ThreadTile to = k.newTileFor(value);
      const ThreadTile held = k.inLayout(from, to.layout);
      for (size_t r = 0; r < to.registers.size(); ++r)
        to.registers[r] = held.registers[held.isUniform ? 0 : r];
      out.push_back(std::move(to));
    }
    return out;
  }

  Kernel &k;
  const KeptTiles &loops;
  llvm::DenseMap<const KeptTiles::Shared *, LoadViewTkoOp> loaded;
  llvm::SmallPtrSet<Operation *, 4> sums; // to which +0 is added
};

std::optional<LogicalResult> addToZero(Kernel &k, Operation *op) {
  Value other = k.isOnce ? k.addedToZero.lookup(op) : Value();
  if (!other)
    return std::nullopt;
  k.define(op->getResult(0), k.asPlanned(op->getResult(0), k.held(other)));
  return success();
}

constexpr PlannedRow rows[] = {{"addf", addToZero}};

} // namespace

ArrayRef<PlannedRow> plannedOnceRows() { return rows; }

KeptTiles *onceFrom(Kernel &k, Operation &op) {
  if (k.produced || k.isOnce)
    return nullptr;
  for (KeptTiles &group : k.kept)
    if (group.loops.front() == &op) {
      int64_t ops = 0;
      for (Operation *next = &op; next; next = next->getNextNode())
        next->walk([&](Operation *) { ++ops; });
      return ops <= mostTwice ? &group : nullptr;
    }
  return nullptr;
}

LogicalResult lowerOnce(Kernel &k, Operation &op, KeptTiles &loops) {
  loops.isAlsoOnce = true;
  Turn turn(k, loops);
  Block *once = k.newBlock(), *others = k.newBlock();
  k.branchIf(turn.isOnly(cast<ForOp>(op)), once, others);
  k.goTo(once);
  const int64_t topBefore = k.sharedTop;
  k.isOnce = true;
  for (Operation *next = &op; next; next = next->getNextNode()) {
    bool isTurn = llvm::is_contained(loops.loops, next);
    if (failed(isTurn ? turn.lower(cast<ForOp>(next)) : turn.lower(next)))
      return failure();
  }
  k.isOnce = false;
  k.sharedTop = topBefore;
  k.goTo(others);
  return success();
}

} // namespace tessera::tile_lower
