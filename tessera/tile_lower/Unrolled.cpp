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

bool isTile(Value value) { return isa<TileType>(value.getType()); }

/// What a plain load yields, if it may be made ahead of its iteration: no token puts it after
/// another op of the loop.
Value loadedAhead(Operation *op, ForOp loop, llvm::SetVector<Operation *> &addressing) {
  if (!isa<LoadViewTkoOp, LoadPtrTkoOp>(op))
    return Value();
  Value token = tokenOf(op);
  if (token && loop->isAncestor(token.getParentBlock()->getParentOp()))
    return Value();
  for (Value needed : addressesOf(op))
    if (!collectAhead(needed, loop, isIndexCode, addressing))
      return Value();
  return op->getResult(0);
}

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

std::optional<Unrolled> unrolled(const Plan &plan, ForOp loop) {
  constexpr unsigned widest = 32;
  if (elementOf(loop.getInductionVar().getType()).getIntOrFloatBitWidth() > widest)
    return std::nullopt;
  auto isInRegisters = [&](Value value) {
    return !isTile(value) || countOf(value.getType()) == 1 || plan.layoutOf(value);
  };
  if (!llvm::all_of(loop.getRegionIterValues(), isInRegisters))
    return std::nullopt;
  Unrolled out;
  llvm::SetVector<Operation *> addressing, loads;
  int64_t bytes = 0, ops = 0;
  for (Operation &op : *loop.getBody()) {
    if (!isPlain(&op) || plan.stagingOf(&op) || !llvm::all_of(op.getResults(), isInRegisters) ||
        ++ops > mostOps)
      return std::nullopt;
    if (Value loaded = loadedAhead(&op, loop, addressing)) {
      const BitLayout *layout = plan.layoutOf(loaded);
      bytes += (layout ? layout->registerCount() : 1) * memoryBytes(elementOf(loaded.getType()));
      loads.insert(&op);
    }
  }
  for (out.copies = mostCopies; out.copies > 1 && out.copies * bytes > enoughBytes;)
    out.copies /= 2;
  if (loads.empty() || out.copies == 1)
    return std::nullopt;
  for (Operation &op : *loop.getBody())
    if (addressing.contains(&op) || loads.contains(&op))
      out.first.push_back(&op);
  return out;
}

LogicalResult lowerCopies(Kernel &k, ForOp loop, const Unrolled &plan, Value number, Value step,
                          std::vector<ThreadTile> &carried) {
  auto begin = [&](int64_t copy) {
    Value own = copy ? k.add(number, k.mul(step, copy)) : number;
    k.define(loop.getInductionVar(),
             ThreadTile{.element = own.getType(), .count = 1, .registers = {own}});
  };
  auto isLoad = [](Operation *op) { return isa<LoadViewTkoOp, LoadPtrTkoOp>(op); };
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
      if (!(isLoad(&op) && llvm::is_contained(plan.first, &op)) && failed(k.lowerOne(op)))
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
