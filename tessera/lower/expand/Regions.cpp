// Loops and branches: cute values cross as their leaves, what a loop does not change does
// not cross.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/lower/expand/Rebuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute;

namespace tessera::lower {

namespace {
struct RegionRules {
  Rebuilder &e;

  //===--- for --------------------------------------------------------------------------------===//

  LogicalResult forLoop(scf::ForOp loop) {
    Location loc = loop.getLoc();
    SmallVector<unsigned> carried;
    SmallVector<Value> inits;
    for (unsigned i = 0; i < loop.getNumRegionIterArgs(); ++i) {
      if (e.invariants.isInvariant(loop, i)) {
        e.alias(loop.getRegionIterArg(i), loop.getInitArgs()[i]);
        e.alias(loop.getResult(i), loop.getInitArgs()[i]);
      } else {
        carried.push_back(i);
        llvm::append_range(inits,
                           e.parts(loop.getInitArgs()[i], loop.getRegionIterArg(i).getType()));
      }
    }
    Value lower = e.value(loop.getLowerBound()), upper = e.value(loop.getUpperBound()),
          step = e.value(loop.getStep());
    auto built = scf::ForOp::create(e.b, loc, lower, upper, step, inits, /*bodyBuilder=*/nullptr,
                                    loop.getUnsignedCmp());
    built->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
    {
      OpBuilder::InsertionGuard guard(e.b);
      Emit::RegionMemo scope(e.emit);
      Block *block = built.getBody();
      if (!block->empty())
        block->back().erase();
      e.b.setInsertionPointToEnd(block);
      e.bind(loop.getInductionVar(), built.getInductionVar());
      ValueRange arguments = built.getRegionIterArgs();
      for (unsigned i : carried)
        arguments = e.take(loop.getRegionIterArg(i), arguments);
      if (failed(e.body(*loop.getBody())))
        return failure();
      SmallVector<Value> yielded;
      for (unsigned i : carried)
        llvm::append_range(yielded,
                           e.parts(loop.getYieldedValues()[i], loop.getRegionIterArg(i).getType()));
      scf::YieldOp::create(e.b, loc, yielded);
    }
    ValueRange results = built.getResults();
    for (unsigned i : carried)
      results = e.take(loop.getResult(i), results);
    return success();
  }

  //===--- if, while --------------------------------------------------------------------------===//

  LogicalResult branch(scf::IfOp branch) {
    if (std::optional<int64_t> condition = e.number(branch.getCondition())) {
      Region &taken = *condition ? branch.getThenRegion() : branch.getElseRegion();
      if (taken.empty())
        return success();
      if (failed(e.body(taken.front())))
        return failure();
      for (auto [result, v] :
           llvm::zip(branch.getResults(), taken.front().getTerminator()->getOperands()))
        e.alias(result, v);
      return success();
    }
    SmallVector<unsigned> carried;
    SmallVector<Type> types;
    for (OpResult result : branch.getResults()) {
      Value same = e.invariants.source(result);
      if (same != result) {
        e.alias(result, same);
        continue;
      }
      carried.push_back(result.getResultNumber());
      llvm::append_range(types, e.partTypes(result.getType()));
    }
    bool hasElse = !branch.getElseRegion().empty();
    auto built = scf::IfOp::create(e.b, branch.getLoc(), types, e.value(branch.getCondition()),
                                   /*addThenBlock=*/true, /*addElseBlock=*/hasElse);
    built->setDiscardableAttrs(branch->getDiscardableAttrDictionary());
    for (unsigned r = 0; r < (hasElse ? 2u : 1u); ++r)
      if (failed(
              region(branch->getRegion(r), built->getRegion(r), carried, branch->getResultTypes())))
        return failure();
    ValueRange results = built.getResults();
    for (unsigned i : carried)
      results = e.take(branch.getResult(i), results);
    return success();
  }

  /// Fills the block of `to` from `from`, yielding the parts of the carried operands.
  LogicalResult region(Region &from, Region &to, ArrayRef<unsigned> carried, TypeRange types) {
    OpBuilder::InsertionGuard guard(e.b);
    Emit::RegionMemo scope(e.emit);
    Block *block = to.empty() ? &to.emplaceBlock() : &to.front();
    if (!block->empty())
      block->back().erase();
    e.b.setInsertionPointToEnd(block);
    if (failed(e.body(from.front())))
      return failure();
    SmallVector<Value> yielded;
    for (unsigned i : carried)
      llvm::append_range(yielded, e.parts(from.front().getTerminator()->getOperand(i), types[i]));
    scf::YieldOp::create(e.b, e.loc(), yielded);
    return success();
  }

  //===--- index_switch, execute_region, select -----------------------------------------------===//

  SmallVector<Type> partTypes(TypeRange types) {
    SmallVector<Type> parts;
    for (Type type : types)
      llvm::append_range(parts, e.partTypes(type));
    return parts;
  }
  /// Takes the results of an op none of whose results is left out.
  void takeAll(Operation *old, ValueRange results) {
    for (Value result : old->getResults())
      results = e.take(result, results);
  }

  LogicalResult indexSwitch(scf::IndexSwitchOp op) {
    auto all = llvm::to_vector(llvm::seq(op.getNumResults()));
    auto built = scf::IndexSwitchOp::create(e.b, op.getLoc(), partTypes(op.getResultTypes()),
                                            e.value(op.getArg()), op.getCases(),
                                            unsigned(op.getCases().size()));
    built->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    for (auto [from, to] : llvm::zip(op->getRegions(), built->getRegions()))
      if (failed(region(from, to, all, op.getResultTypes())))
        return failure();
    takeAll(op, built.getResults());
    return success();
  }

  /// A region with one block is replaced by its ops; several blocks stay in a region of their own.
  LogicalResult executeRegion(scf::ExecuteRegionOp op) {
    Region &region = op.getRegion();
    if (region.hasOneBlock()) {
      Block &block = region.front();
      if (failed(e.body(block)))
        return failure();
      for (auto [result, v] : llvm::zip(op.getResults(), block.getTerminator()->getOperands()))
        e.alias(result, v);
      return success();
    }
    auto built = scf::ExecuteRegionOp::create(e.b, op.getLoc(), partTypes(op.getResultTypes()));
    built->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    {
      OpBuilder::InsertionGuard guard(e.b);
      Emit::RegionMemo scope(e.emit);
      e.b.setInsertionPointToEnd(&built.getRegion().emplaceBlock());
      if (failed(e.blocks(llvm::to_vector(llvm::make_pointer_range(region.getBlocks())))))
        return failure();
    }
    takeAll(op, built.getResults());
    return success();
  }
  /// For a region with several blocks: the rule of their op fills the others.
  LogicalResult yield(scf::YieldOp op) {
    SmallVector<Value> yielded;
    for (auto [v, type] : llvm::zip(op.getOperands(), op->getParentOp()->getResultTypes()))
      llvm::append_range(yielded, e.parts(v, type));
    scf::YieldOp::create(e.b, op.getLoc(), yielded);
    return success();
  }

  /// A choice between cute values is one between their parts. `--canonicalize` makes it of a
  /// branch.
  LogicalResult select(arith::SelectOp op) {
    if (op.getCondition().getType().isInteger(1))
      if (std::optional<int64_t> condition = e.number(op.getCondition())) {
        e.alias(op.getResult(), *condition ? op.getTrueValue() : op.getFalseValue());
        return success();
      }
    if (!hasLeaves(op.getType()))
      return e.clone(op);
    SmallVector<Value> chosen;
    for (auto [yes, no] : llvm::zip(e.parts(op.getTrueValue(), op.getType()),
                                    e.parts(op.getFalseValue(), op.getType())))
      chosen.push_back(yes == no ? yes
                                 : Value(arith::SelectOp::create(
                                       e.b, op.getLoc(), e.value(op.getCondition()), yes, no)));
    e.take(op.getResult(), chosen);
    return success();
  }

  /// What nobody reads, which passes hand on where a way has no value (lift-cf-to-scf).
  LogicalResult poison(ub::PoisonOp op) {
    if (!hasLeaves(op.getType()))
      return e.clone(op);
    SmallVector<Value> parts;
    for (Type type : e.partTypes(op.getType()))
      parts.push_back(ub::PoisonOp::create(e.b, op.getLoc(), type));
    e.take(op.getResult(), parts);
    return success();
  }

  LogicalResult whileLoop(scf::WhileOp loop) {
    Location loc = loop.getLoc();
    SmallVector<Value> inits;
    SmallVector<Type> beforeTypes, afterTypes;
    for (auto [init, argument] : llvm::zip(loop.getInits(), loop.getBeforeArguments())) {
      llvm::append_range(inits, e.parts(init, argument.getType()));
      llvm::append_range(beforeTypes, e.partTypes(argument.getType()));
    }
    for (Type type : loop.getResultTypes())
      llvm::append_range(afterTypes, e.partTypes(type));
    auto built = scf::WhileOp::create(e.b, loc, afterTypes, inits, nullptr, nullptr);
    built->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
    auto fill = [&](Block *from, Block *to) -> LogicalResult {
      OpBuilder::InsertionGuard guard(e.b);
      Emit::RegionMemo scope(e.emit);
      if (!to->empty())
        to->back().erase();
      e.b.setInsertionPointToEnd(to);
      ValueRange arguments = to->getArguments();
      for (BlockArgument argument : from->getArguments())
        arguments = e.take(argument, arguments);
      if (failed(e.body(*from)))
        return failure();
      if (auto condition = dyn_cast<scf::ConditionOp>(from->getTerminator())) {
        SmallVector<Value> passed;
        for (auto [v, type] : llvm::zip(condition.getArgs(), loop.getResultTypes()))
          llvm::append_range(passed, e.parts(v, type));
        scf::ConditionOp::create(e.b, loc, e.value(condition.getCondition()), passed);
        return success();
      }
      SmallVector<Value> yielded;
      for (auto [v, argument] :
           llvm::zip(from->getTerminator()->getOperands(), loop.getBeforeArguments()))
        llvm::append_range(yielded, e.parts(v, argument.getType()));
      scf::YieldOp::create(e.b, loc, yielded);
      return success();
    };
    if (failed(fill(loop.getBeforeBody(), built.getBeforeBody())) ||
        failed(fill(loop.getAfterBody(), built.getAfterBody())))
      return failure();
    ValueRange results = built.getResults();
    for (Value result : loop.getResults())
      results = e.take(result, results);
    return success();
  }
};

template <class Op, LogicalResult (RegionRules::*rule)(Op)>
LogicalResult apply(Rebuilder &e, Operation *op) {
  return (RegionRules{e}.*rule)(cast<Op>(op));
}
constexpr Rebuilder::NamedRule rules[] = {
    {"scf.for", apply<scf::ForOp, &RegionRules::forLoop>},
    {"scf.if", apply<scf::IfOp, &RegionRules::branch>},
    {"scf.while", apply<scf::WhileOp, &RegionRules::whileLoop>},
    {"scf.index_switch", apply<scf::IndexSwitchOp, &RegionRules::indexSwitch>},
    {"scf.execute_region", apply<scf::ExecuteRegionOp, &RegionRules::executeRegion>},
    {"scf.yield", apply<scf::YieldOp, &RegionRules::yield>},
    {"arith.select", apply<arith::SelectOp, &RegionRules::select>},
    {"ub.poison", apply<ub::PoisonOp, &RegionRules::poison>},
};
} // namespace

ArrayRef<Rebuilder::NamedRule> regionRules() { return rules; }

} // namespace tessera::lower
