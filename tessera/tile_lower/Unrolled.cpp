// Several iterations of a loop at once, their loads first.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/tile_lower/Unrolled.h"

#include "tessera/tile_lower/PlanValues.h"
#include "tessera/tile_lower/Planned.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tessera::cuda_tile;

namespace tessera::tile_lower {

namespace {
constexpr int64_t mostCopies = 4, mostOps = 64;
constexpr int64_t enoughBytes = 192; // of a thread on the way; measured on an H200

bool isLoad(Operation *op) { return isa<LoadViewTkoOp, LoadPtrTkoOp>(op); }
bool isTile(Value value) { return isa<TileType>(value.getType()); }

bool isPlain(Operation *op) {
  auto isWeak = [](auto access) {
    return access.getMemoryOrderingSemantics() == MemoryOrderingSemantics::Weak;
  };
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case<LoadViewTkoOp, LoadPtrTkoOp, StoreViewTkoOp, StorePtrTkoOp>(isWeak)
      .Case<ReduceOp, ContinueOp>([](auto) { return true; })
      .Case<MmaFOp, MmaIOp, MmaFScaledOp>([](auto) { return false; })
      .Default([](Operation *other) {
        return isIndexCode(other) || (other->getNumRegions() == 0 && isMemoryEffectFree(other));
      });
}
} // namespace

Value loadedAhead(Operation *op, ForOp loop, llvm::SetVector<Operation *> &addressing) {
  if (!isLoad(op))
    return Value();
  Value token = tokenOf(op);
  if (token && loop->isAncestor(token.getParentBlock()->getParentOp()))
    return Value();
  for (Value needed : addressesOf(op))
    if (!collectAhead(needed, loop, isIndexCode, addressing))
      return Value();
  return op->getResult(0);
}

bool isCuttable(const Plan &plan, ForOp loop) {
  constexpr unsigned widest = 32;
  auto isInRegisters = [&](Value value) {
    return !isTile(value) || countOf(value.getType()) == 1 || plan.layoutOf(value);
  };
  int64_t ops = 0;
  return elementOf(loop.getInductionVar().getType()).getIntOrFloatBitWidth() <= widest &&
         llvm::all_of(loop.getRegionIterValues(), isInRegisters) &&
         llvm::all_of(*loop.getBody(), [&](Operation &op) {
           return isPlain(&op) && !plan.stagingOf(&op) &&
                  llvm::all_of(op.getResults(), isInRegisters) && ++ops <= mostOps;
         });
}

SmallVector<Operation *> loadsFirst(ForOp loop, function_ref<bool(Operation *)> isWanted) {
  llvm::SetVector<Operation *> ops;
  for (Operation &op : *loop.getBody()) {
    llvm::SetVector<Operation *> addressing = ops;
    if (isWanted(&op) && loadedAhead(&op, loop, addressing)) {
      ops = std::move(addressing);
      ops.insert(&op);
    }
  }
  SmallVector<Operation *> out(ops.begin(), ops.end());
  llvm::sort(out, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return out;
}

std::optional<Unrolled> unrolled(const Plan &plan, ForOp loop) {
  if (!isCuttable(plan, loop))
    return std::nullopt;
  Unrolled out;
  int64_t bytes = 0;
  out.first = loadsFirst(loop, [](Operation *) { return true; });
  for (Operation *op : out.first)
    if (isLoad(op)) {
      Value loaded = op->getResult(0);
      const BitLayout *layout = plan.layoutOf(loaded);
      bytes += (layout ? layout->registerCount() : 1) * memoryBytes(elementOf(loaded.getType()));
    }
  for (out.copies = mostCopies; out.copies > 1 && out.copies * bytes > enoughBytes;)
    out.copies /= 2;
  return bytes && out.copies > 1 ? std::optional(out) : std::nullopt;
}

LogicalResult lowerCopies(Kernel &k, ForOp loop, const Unrolled &plan, Value number, Value step,
                          std::vector<ThreadTile> &carried) {
  auto begin = [&](int64_t copy) {
    Value own = copy ? k.add(number, k.mul(step, copy)) : number;
    k.define(loop.getInductionVar(),
             ThreadTile{.element = own.getType(), .count = 1, .registers = {own}});
  };
  std::vector<llvm::DenseMap<Value, ThreadTile>> loaded(size_t(plan.copies));
  for (int64_t copy = 0; copy < plan.copies; ++copy) {
    begin(copy);
    for (Operation *op : plan.first) {
      if (failed(k.lowerOne(*op)))
        return failure();
      if (isLoad(op))
        loaded[size_t(copy)][op->getResult(0)] = k.held(op->getResult(0));
    }
  }
  for (int64_t copy = 0; copy < plan.copies; ++copy) {
    begin(copy);
    size_t next = 0;
    for (Value value : loop.getRegionIterValues())
      if (isTile(value))
        k.define(value, carried[next++]);
    for (auto &[value, tile] : loaded[size_t(copy)])
      k.define(value, tile);
    for (Operation &op : loop.getBody()->without_terminator())
      if (!(isLoad(&op) && llvm::is_contained(plan.first, &op)) && !plan.known.contains(&op) &&
          failed(k.lowerOne(op)))
        return failure();
    std::vector<ThreadTile> passed;
    for (Value value : loop.getBody()->getTerminator()->getOperands())
      if (isTile(value)) {
        ThreadTile to = carried[passed.size()];
        const ThreadTile from = k.inLayout(value, to.layout);
        for (size_t r = 0; r < to.registers.size(); ++r)
          to.registers[r] = from.registers[from.isUniform ? 0 : r];
        passed.push_back(std::move(to));
      }
    carried = std::move(passed);
  }
  return success();
}

} // namespace tessera::tile_lower
