// CarryLocals: fragments that loops make and hand on to their next iteration.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A fragment in registers is one place for each op that makes it, so one that an iteration makes
// and yields would be the same place as what the iteration before yielded. Such loops carry
// elements: what is yielded is copied to a place of the loop's argument, all loads before all
// stores. Where a copy would be seen, as something else has the same fragment, and where there is
// none, as of pointers into fragments, their makers take places as in CarryBlocks.
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

/// What is a view of a fragment that an iteration makes, and has no elements to copy.
bool isUncopied(Operation *loop, const Carried &one) {
  return !elementsOf(one.yielded.getType()) && LocalOrigins(one.yielded).inside(loop);
}

/// Whether nothing but the loop goes on with what an argument begins with, so that a copy of it is
/// as good.
bool isTakenOver(Operation *loop, OpOperand &init) {
  Operation *maker = init.get().getDefiningOp();
  Block *block = loop->getBlock();
  return makesLocal(maker) && maker->getBlock() == block &&
         llvm::all_of(init.get().getUses(), [&](OpOperand &use) {
           Operation *user = use.getOwner(), *before = block->findAncestorOpInBlock(*user);
           return &use == &init || (before && before->isBeforeInBlock(loop) &&
                                    !user->hasTrait<OpTrait::IsTerminator>() &&
                                    llvm::none_of(user->getResultTypes(), endsWithItsCall));
         });
}

/// Whether what an iteration hands on may be a fragment that something else has, too, who would see
/// what is written to it: one from outside, or one that goes on under two names.
bool staysKnown(LoopLikeOpInterface loop, ArrayRef<Carried> all) {
  auto isOutside = [&](Value value) {
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      if (argument.getOwner()->getParentOp() != loop)
        return !loop->isProperAncestor(argument.getOwner()->getParentOp());
      OpOperand *init = loop.getTiedLoopInit(argument); // none: of a while loop's body
      return init && !isTakenOver(loop, *init);
    }
    return makesLocal(value.getDefiningOp()) && !loop->isProperAncestor(value.getDefiningOp());
  };
  for (size_t i = 0; i < all.size(); ++i) {
    if (!all[i].byElements)
      continue;
    LocalOrigins origins(all[i].yielded, loop);
    if (origins.any(isOutside))
      return true;
    for (size_t j = 0; j < i; ++j)
      if (all[i].yielded != all[j].yielded &&
          origins.meets(LocalOrigins(all[j].yielded, loop), loop))
        return true;
  }
  return false;
}

/// Has what the iterations make take places in which no argument is: no copies, as in CarryBlocks.
LogicalResult keepReferences(Operation *loop, ArrayRef<Carried> all) {
  llvm::SetVector<Operation *> makers;
  for (const Carried &one : all)
    for (Operation *maker : LocalOrigins(one.yielded).makersIn(loop))
      makers.insert(maker);
  OpBuilder before(loop);
  for (Operation *maker : makers) {
    SmallVector<Value> others;
    for (Region &region : loop->getRegions())
      if (region.isAncestor(maker->getParentRegion()))
        for (BlockArgument argument : region.getArguments())
          if (LocalOrigins(argument).has(maker->getResult(0)))
            others.push_back(argument);
    if (failed(giveOtherPlaces(maker, others, before)))
      return failure();
  }
  return success();
}

/// What the loop takes over for an argument and can keep as its place, so that one place has all
/// its fragments: LLVM makes registers of it. Null if there is none.
Value ownPlace(Operation *loop, const Carried &one, ArrayRef<Carried> all) {
  OpOperand *init = cast<LoopLikeOpInterface>(loop).getTiedLoopInit(one.argument);
  bool isOnly =
      llvm::count_if(all, [&](const Carried &other) { return other.yielded == one.yielded; }) == 1;
  return init && isOnly && isTakenOver(loop, *init) ? init->get() : Value();
}

/// Whether there were any; fails if one cannot be carried.
FailureOr<bool> carry(Operation *loop, Operation *yield, MutableOperandRange yielded,
                      Block::BlockArgListType arguments) {
  SmallVector<Carried> all;
  for (auto [argument, operand] : llvm::zip(arguments, yielded))
    all.push_back({argument, operand.get()});
  const bool uncopied =
      llvm::any_of(all, [&](const Carried &one) { return isUncopied(loop, one); });
  if (!mark(loop, all) && !uncopied)
    return false;
  if (uncopied || staysKnown(cast<LoopLikeOpInterface>(loop), all)) {
    if (failed(keepReferences(loop, all)))
      return failure();
    return true;
  }
  OpBuilder before(loop);
  CopiesAtEnd copies;
  llvm::SmallDenseMap<Value, Value> places; // of what is yielded: twice the same stays the same
  for (auto [one, operand] : llvm::zip(all, yielded)) {
    if (!one.byElements)
      continue;
    Value &place = places[one.yielded];
    if (!place) {
      place = ownPlace(loop, one, all);
      if (!place)
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
    if (auto loop = dyn_cast<scf::ParallelOp>(op))
      for (Value value : loop.getBody()->getTerminator()->getOperands())
        if (LocalOrigins(value).inside(op))
          return note(op->emitOpError("reduces a value of type ")
                      << value.getType() << " that its iterations make, each in the same "
                      << "registers: reduce the elements, or carry the fragment by scf.for");
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
