// CarryBlocks: fragments that loops of blocks make and hand on by arguments of blocks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A fragment in registers is one place for each op that makes it. Where that op may run again while
// something still has the last fragment, which liveness tells, it has one place more than there are
// such values, and takes the first in which none of them is. So every fragment stays what it is
// until nobody has it: whoever writes to it, and by which name, does not matter.
#include "tessera/lower/InlineLocals.h"
#include "tessera/lower/LocalOrigins.h"

#include "tessera/cuda/Cuda.h"
#include "tessera/cute/Cute.h"

#include "mlir/Analysis/Liveness.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tessera::cute;

namespace tessera::lower {
namespace {

/// A value of a region that may be a view of something else, and all that may be.
struct View {
  Value value;
  LocalOrigins origins;
};

SmallVector<View> viewsOf(Region &region) {
  SmallVector<View> views;
  auto add = [&](Value value) {
    if (endsWithItsCall(value.getType()))
      views.push_back({value, LocalOrigins(value)});
  };
  for (Block &block : region) {
    if (!block.isEntryBlock())
      llvm::for_each(block.getArguments(), add);
    for (Operation &op : block)
      llvm::for_each(op.getResults(), add);
  }
  return views;
}

/// Whether a value that is there before `maker` runs is used after it, before it is made again.
bool isAliveAcross(Value value, Operation *maker, Region &region, const Liveness &liveness) {
  Operation *op = region.findAncestorOpInRegion(*maker);
  Block *block = op->getBlock();
  const bool isBefore =
      value.getParentBlock() == block
          ? isa<BlockArgument>(value) || value.getDefiningOp()->isBeforeInBlock(op)
          : liveness.getLiveIn(block).contains(value);
  return isBefore &&
         (!liveness.isDeadAfter(value, op) || llvm::any_of(value.getUsers(), [&](Operation *user) {
           return op != maker && op->isProperAncestor(user);
         }));
}

/// The address of what a view begins with, in memory of a thread.
Value addressOf(OpBuilder &b, Location loc, Value view) {
  if (auto memref = dyn_cast<CuteMemRefType>(view.getType()))
    view = GetIterOp::create(b, loc, memref.getPtrType(), view);
  return PtrToIntOp::create(b, loc, b.getI32Type(), view);
}

} // namespace

LogicalResult giveOtherPlaces(Operation *maker, ArrayRef<Value> others, OpBuilder &places) {
  Location loc = maker->getLoc();
  auto type = dyn_cast<CuteMemRefType>(maker->getResult(0).getType());
  if (!type)
    return maker->emitOpError("makes a launch configuration in the place of the last one, which is "
                              "still handed on: make it before the loop, or launch where it is "
                              "made");
  layout::Const arith;
  Result<layout::Int> cosize = layout::cosize(arith, type.getLayout());
  if (!cosize)
    return maker->emitOpError() << cosize.reason().text;
  const int64_t bytes = (cosize->value * type.getPtrType().getElementBits() + 7) / 8;
  OpBuilder b(maker);
  SmallVector<Value> taken;
  for (Value other : others)
    taken.push_back(addressOf(b, loc, other));
  Value size = arith::ConstantIntOp::create(b, loc, b.getI32Type(), bytes);
  Value chosen = MemRefAllocaOp::create(places, loc, type, Value());
  for (size_t i = 0; i < others.size(); ++i) {
    Value place = MemRefAllocaOp::create(places, loc, type, Value());
    Value start = addressOf(b, loc, place), isFree;
    for (Value address : taken) {
      Value distance = arith::SubIOp::create(b, loc, address, start);
      Value outside = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::uge, distance, size);
      isFree = isFree ? Value(arith::AndIOp::create(b, loc, isFree, outside)) : outside;
    }
    chosen = arith::SelectOp::create(b, loc, isFree, place, chosen);
  }
  maker->getResult(0).replaceAllUsesWith(chosen);
  maker->erase();
  return success();
}

FailureOr<bool> carryBetweenBlocks(Region &region) {
  SmallVector<View> views = viewsOf(region);
  if (llvm::none_of(views, [](const View &view) { return isa<BlockArgument>(view.value); }))
    return false;
  llvm::MapVector<Operation *, SmallVector<Value>> again;
  Liveness liveness(region.getParentOp());
  region.walk([&](Operation *maker) {
    if (!makesLocal(maker))
      return;
    for (const View &view : views)
      if (view.value.getDefiningOp() != maker && view.origins.has(maker->getResult(0)) &&
          isAliveAcross(view.value, maker, region, liveness))
        again[maker].push_back(view.value);
  });
  for (auto &[maker, others] : again) {
    OpBuilder places = OpBuilder::atBlockBegin(&region.front());
    if (failed(giveOtherPlaces(maker, others, places)))
      return failure();
  }
  return !again.empty();
}

} // namespace tessera::lower
