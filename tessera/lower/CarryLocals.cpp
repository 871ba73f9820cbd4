// CarryLocals: fragments that loops make and hand on to their next iteration.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A fragment in registers is one place for each op that makes it, so one that an iteration makes
// and yields would be the same place as what the iteration before yielded. Such loops carry
// elements: what is yielded is copied to a place of the loop's argument, all loads before all
// stores. What has no such copy, as pointers into such fragments, is refused.
#include "tessera/lower/InlineLocals.h"
#include "tessera/lower/LocalOrigins.h"

#include "tessera/cuda/Cuda.h"
#include "tessera/cute/Cute.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tessera::cute;

namespace tessera::lower {
namespace {

/// One value that a loop carries.
struct Carried {
  BlockArgument argument;
  Value yielded;
  bool byElements = false;
};

/// Marks what has to be carried by its elements: what an iteration makes, and what is handed on
/// from one argument to another whose place changes.
bool mark(Operation *loop, MutableArrayRef<Carried> all) {
  bool any = false;
  for (Carried &one : all) {
    one.byElements = elementsOf(one.yielded.getType()) && LocalOrigins(one.yielded).inside(loop);
    any |= one.byElements;
  }
  for (bool changed = any; changed;) {
    changed = false;
    for (Carried &one : all)
      for (const Carried &other : all)
        if (!one.byElements && other.byElements && &one != &other &&
            LocalOrigins(one.yielded).has(other.argument) && elementsOf(one.yielded.getType()))
          changed = one.byElements = true;
  }
  return any;
}

/// The error of a yield of what cannot be copied.
LogicalResult refuseToCarry(Operation *yield, Type type) {
  if (isa<cuda::LaunchCfgType>(type))
    return yield->emitOpError("hands a launch configuration on to the next iteration, which makes "
                              "it again in the same place: make it before the loop, or launch in "
                              "the iteration that makes it");
  return yield->emitOpError("hands a value of type ")
         << type << " on to the next iteration, which makes the fragment that it points into "
         << "again, in the same registers: make the fragment before the loop, or yield a fragment "
         << "whose layout is static";
}

/// Whether there were any; fails if one cannot be carried.
FailureOr<bool> carry(Operation *loop, Operation *yield, MutableOperandRange yielded,
                      Block::BlockArgListType arguments) {
  SmallVector<Carried> all;
  for (auto [argument, operand] : llvm::zip(arguments, yielded)) {
    Value value = operand.get();
    if (!elementsOf(value.getType()) && LocalOrigins(value).inside(loop))
      return refuseToCarry(yield, value.getType());
    all.push_back({argument, value});
  }
  if (!mark(loop, all))
    return false;
  OpBuilder before(loop);
  CopiesAtEnd copies;
  llvm::SmallDenseMap<Value, Value> places; // of what is yielded: twice the same stays the same
  for (auto [one, operand] : llvm::zip(all, yielded)) {
    if (!one.byElements)
      continue;
    Value &place = places[one.yielded];
    if (!place) {
      place = MemRefAllocaOp::create(before, loop->getLoc(), one.yielded.getType(), Value());
      copies.all.emplace_back(one.yielded, place);
    }
    operand.set(place);
  }
  copies.write(yield);
  return true;
}
} // namespace

FailureOr<bool> carryLocals(Operation *root) {
  bool changed = false;
  auto note = [&](FailureOr<bool> carried) {
    changed |= succeeded(carried) && *carried;
    return failed(carried) ? WalkResult::interrupt() : WalkResult::advance();
  };
  // Inner loops first: what they yield may be made in an outer one.
  WalkResult all = root->walk([&](Operation *op) {
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      auto yield = cast<scf::YieldOp>(loop.getBody()->getTerminator());
      return note(carry(op, yield, yield.getResultsMutable(), loop.getRegionIterArgs()));
    }
    if (auto loop = dyn_cast<scf::WhileOp>(op)) {
      scf::YieldOp yield = loop.getYieldOp();
      return note(carry(op, yield, yield.getResultsMutable(), loop.getBeforeArguments()));
    }
    for (Region &region : op->getRegions())
      if (!region.empty() && !region.hasOneBlock())
        if (WalkResult blocks = note(carryBetweenBlocks(region)); blocks.wasInterrupted())
          return blocks;
    return WalkResult::advance();
  });
  if (all.wasInterrupted())
    return failure();
  return changed;
}

} // namespace tessera::lower
