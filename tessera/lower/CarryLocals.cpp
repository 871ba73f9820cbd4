// CarryLocals: fragments that loops make and hand on to their next iteration.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A fragment in registers is one place for each op that makes it, so one that an iteration makes
// and yields would be the same place as what the iteration before yielded. Such loops carry
// elements: what is yielded is copied to a place of the loop's argument, all loads before all
// stores. What has no such copy, as pointers into such fragments, is refused.
#include "tessera/lower/InlineLocals.h"

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

/// What a value may be a view of: what ops made, and arguments of blocks. Branches and inner loops
/// are looked through.
class Origins {
public:
  explicit Origins(Value view) { add(view); }
  /// Whether it may be what an op inside of `loop` makes.
  bool inside(Operation *loop) const {
    return llvm::any_of(seen, [&](Value value) {
      Operation *op = value.getDefiningOp();
      return isa_and_nonnull<MemRefAllocaOp>(op) && loop->isProperAncestor(op);
    });
  }
  bool has(Value value) const { return seen.contains(value); }

private:
  void add(Value value) {
    if (!endsWithItsCall(value.getType()) || !seen.insert(value).second)
      return;
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      // The body of a while loop has what its condition gives it.
      auto loop = dyn_cast<scf::WhileOp>(argument.getOwner()->getParentOp());
      if (loop && argument.getOwner() == loop.getAfterBody())
        add(loop.getConditionOp().getArgs()[argument.getArgNumber()]);
      return;
    }
    Operation *op = value.getDefiningOp();
    const unsigned number = cast<OpResult>(value).getResultNumber();
    if (auto loop = dyn_cast<scf::ForOp>(op))
      add(loop.getInitArgs()[number]);
    if (auto loop = dyn_cast<scf::WhileOp>(op))
      return add(loop.getConditionOp().getArgs()[number]);
    for (Region &region : op->getRegions())
      for (auto yield : region.getOps<scf::YieldOp>())
        add(yield.getOperand(number));
    if (op->getNumRegions() == 0)
      llvm::for_each(op->getOperands(), [&](Value operand) { add(operand); });
  }

  llvm::SmallPtrSet<Value, 8> seen;
};

/// All elements of a fragment; null for what else there is.
VectorType elementsOf(Type type) {
  auto memref = dyn_cast<CuteMemRefType>(type);
  if (!memref || !endsWithItsCall(type) || !memref.getLayout().outer().isStatic() ||
      !VectorType::isValidElementType(memref.getElementType()))
    return {};
  layout::Const arith;
  layout::Int count = layout::product(arith, memref.getLayout().shape());
  return arith.overflowed() ? VectorType()
                            : VectorType::get({count.value}, memref.getElementType());
}

/// Marks what has to be carried by its elements: what an iteration makes, and what is handed on
/// from one argument to another whose place changes.
bool mark(Operation *loop, MutableArrayRef<Carried> all) {
  bool any = false;
  for (Carried &one : all) {
    one.byElements = elementsOf(one.yielded.getType()) && Origins(one.yielded).inside(loop);
    any |= one.byElements;
  }
  for (bool changed = any; changed;) {
    changed = false;
    for (Carried &one : all)
      for (const Carried &other : all)
        if (!one.byElements && other.byElements && &one != &other &&
            Origins(one.yielded).has(other.argument) && elementsOf(one.yielded.getType()))
          changed = one.byElements = true;
  }
  return any;
}

/// Whether there were any; fails if one cannot be carried.
FailureOr<bool> carry(Operation *loop, Operation *yield, MutableOperandRange yielded,
                      Block::BlockArgListType arguments) {
  SmallVector<Carried> all;
  for (auto [argument, operand] : llvm::zip(arguments, yielded)) {
    Value value = operand.get();
    if (!elementsOf(value.getType()) && Origins(value).inside(loop))
      return yield->emitOpError("hands a value of type ")
             << value.getType() << " on to the next iteration, which makes the fragment that it "
             << "points into again, in the same registers: make the fragment before the loop, or "
             << "yield a fragment whose layout is static";
    all.push_back({argument, value});
  }
  if (!mark(loop, all))
    return false;
  OpBuilder before(loop), end(yield);
  SmallVector<std::pair<Value, Value>> copies; // elements, and where they go
  for (auto [one, operand] : llvm::zip(all, yielded)) {
    if (!one.byElements)
      continue;
    Value place = MemRefAllocaOp::create(before, loop->getLoc(), one.yielded.getType(), Value());
    copies.emplace_back(MemRefLoadVecOp::create(end, yield->getLoc(),
                                                elementsOf(one.yielded.getType()), one.yielded),
                        place);
    operand.set(place);
  }
  for (auto [elements, place] : copies)
    MemRefStoreVecOp::create(end, yield->getLoc(), elements, place);
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
    return WalkResult::advance();
  });
  if (all.wasInterrupted())
    return failure();
  return changed;
}

} // namespace tessera::lower
