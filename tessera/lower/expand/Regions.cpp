// Loops, branches and blocks: cute values cross as their leaves, what a loop does not change does
// not cross.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/lower/expand/Expander.h"
#include "tessera/lower/expand/Rules.h"

#include "tessera/lower/LoopAnnotation.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Dominance.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute;

namespace tessera::lower {

/// Loops of a known count and no annotation unroll up to this many ops: register arrays that they
/// index must not end up in local memory.
static constexpr int64_t unrollBudget = 4096;

//===--- blocks -------------------------------------------------------------------------------===//

/// Blocks that no other one reaches do not come along.
LogicalResult Expander::blocks(ArrayRef<Block *> old) {
  Block *entry = b.getInsertionBlock();
  values.map(old.front(), entry);
  for (Block *from : old.drop_front()) {
    auto *to = new Block;
    entry->getParent()->push_back(to);
    for (BlockArgument argument : from->getArguments())
      for (Type type : partTypes(argument.getType()))
        to->addArgument(type, argument.getLoc());
    values.map(from, to);
  }
  DominanceInfo dominance;
  auto visit = [&](auto &visit, DominanceInfoNode *node) -> LogicalResult {
    Emit::Scope scope(emit); // what a block computed is known in those that it dominates
    Block *from = node->getBlock(), *to = values.lookup(from);
    b.setInsertionPointToEnd(to);
    if (from != old.front()) {
      ValueRange arguments = to->getArguments();
      for (BlockArgument argument : from->getArguments()) {
        size_t count = partTypes(argument.getType()).size();
        emit.loc = argument.getLoc();
        bindParts(argument, arguments.take_front(count));
        arguments = arguments.drop_front(count);
      }
    }
    if (failed(block(*from)))
      return failure();
    return failure(llvm::any_of(
        node->children(), [&](DominanceInfoNode *child) { return failed(visit(visit, child)); }));
  };
  llvm::DominatorTreeBase<Block, false> &tree = dominance.getDomTree(old.front()->getParent());
  if (failed(visit(visit, tree.getNode(old.front()))))
    return failure();
  for (Block *from : old.drop_front())
    if (!tree.isReachableFromEntry(from))
      values.lookup(from)->erase();
  return success();
}

/// A branch whose cute operands become their leaves.
LogicalResult Expander::jump(BranchOpInterface branch) {
  auto built = cast<BranchOpInterface>(branch->clone());
  for (unsigned i = 0; i < branch->getNumSuccessors(); ++i) {
    built.getSuccessorOperands(i).getMutableForwardedOperands().clear();
    built->setSuccessor(values.lookup(branch->getSuccessor(i)), i);
  }
  for (OpOperand &operand : built->getOpOperands())
    operand.set(value(operand.get()));
  for (unsigned i = 0; i < branch->getNumSuccessors(); ++i) {
    SmallVector<Value> sent;
    for (Value operand : branch.getSuccessorOperands(i).getForwardedOperands())
      llvm::append_range(sent, parts(operand, operand.getType()));
    built.getSuccessorOperands(i).getMutableForwardedOperands().assign(sent);
  }
  b.insert(built);
  return success();
}

struct RegionRules {
  Expander &e;

  //===--- what passes through ----------------------------------------------------------------===//

  /// The value that `v` always is, where loops and branches only hand it on. Remembered: a chain of
  /// branches would otherwise be walked once for each path through it.
  Value source(Value v) {
    auto result = dyn_cast<OpResult>(v);
    if (!result || !isa<scf::ForOp, scf::IfOp>(result.getOwner()))
      return v;
    if (auto it = e.sources.find(v); it != e.sources.end())
      return it->second;
    Value found = v;
    if (auto loop = dyn_cast<scf::ForOp>(result.getOwner())) {
      if (isInvariant(loop, result.getResultNumber()))
        found = source(loop.getInitArgs()[result.getResultNumber()]);
    } else {
      auto branch = cast<scf::IfOp>(result.getOwner());
      Value a = source(branch.thenYield().getOperand(result.getResultNumber()));
      Value b = source(branch.elseYield().getOperand(result.getResultNumber()));
      bool inside = a.getDefiningOp() && branch->isProperAncestor(a.getDefiningOp());
      if (a == b && !inside)
        found = a;
    }
    e.sources[v] = found;
    return found;
  }
  bool isInvariant(scf::ForOp loop, unsigned i) {
    return source(loop.getYieldedValues()[i]) == loop.getRegionIterArg(i);
  }

  /// Binds an old value to what stands for another one.
  void alias(Value old, Value other) { e.bind(old, e.known(other)); }

  //===--- for --------------------------------------------------------------------------------===//

  std::optional<int64_t> number(Value old) {
    Datum d = e.datum(old);
    const layout::Int *x = d.as<layout::Int>();
    return x ? e.emit.constant(*x) : std::nullopt;
  }

  static int64_t countOps(scf::ForOp loop) {
    int64_t count = 0;
    loop->walk([&](Operation *) { ++count; });
    return count;
  }
  static bool mustStay(scf::ForOp loop) {
    auto annotation = loop->getAttrOfType<LLVM::LoopAnnotationAttr>(loopAnnotationName);
    return annotation && annotation.getUnroll() && !wantsFullUnroll(loop);
  }

  LogicalResult forLoop(scf::ForOp loop) {
    bool indexed = loop.getInductionVar().getType().isIndex();
    std::optional<int64_t> lower, upper, step;
    if (!indexed) {
      lower = number(loop.getLowerBound());
      upper = number(loop.getUpperBound());
      step = number(loop.getStep());
    }
    if (lower && upper && step && *step > 0) {
      int64_t trips = *upper > *lower ? (*upper - *lower + *step - 1) / *step : 0;
      bool small = trips <= 1 || (!mustStay(loop) && trips * countOps(loop) <= unrollBudget);
      if (wantsFullUnroll(loop) || small)
        return unroll(loop, *lower, trips, *step);
    }
    return keep(loop);
  }

  LogicalResult unroll(scf::ForOp loop, int64_t lower, int64_t trips, int64_t step) {
    SmallVector<Value> carried(loop.getInitArgs());
    for (auto [argument, init] : llvm::zip(loop.getRegionIterArgs(), carried))
      alias(argument, init);
    Type type = loop.getInductionVar().getType();
    for (int64_t i = 0; i < trips; ++i) {
      Value index = e.emit.constant(lower + i * step, type);
      e.bind(loop.getInductionVar(), index);
      if (failed(body(*loop.getBody())))
        return failure();
      next(loop);
    }
    for (auto [result, argument] : llvm::zip(loop.getResults(), loop.getRegionIterArgs()))
      alias(result, argument);
    return success();
  }

  /// The arguments of the next iteration are what this one yields; all at once, since they may
  /// change places.
  void next(scf::ForOp loop) {
    std::vector<Expander::Known> yielded;
    for (Value v : loop.getYieldedValues())
      yielded.push_back(e.known(v));
    for (auto [argument, known] : llvm::zip(loop.getRegionIterArgs(), yielded))
      e.bind(argument, std::move(known));
  }

  /// The ops of a block but for its terminator.
  LogicalResult body(Block &block) {
    for (Operation &op : block.without_terminator()) {
      e.emit.loc = op.getLoc();
      if (failed(e.op(&op)))
        return failure();
    }
    return success();
  }

  LogicalResult keep(scf::ForOp loop) {
    Location loc = loop.getLoc();
    SmallVector<unsigned> carried;
    SmallVector<Value> inits;
    for (unsigned i = 0; i < loop.getNumRegionIterArgs(); ++i) {
      if (isInvariant(loop, i)) {
        alias(loop.getRegionIterArg(i), loop.getInitArgs()[i]);
        alias(loop.getResult(i), loop.getInitArgs()[i]);
      } else {
        carried.push_back(i);
        llvm::append_range(inits,
                           e.parts(loop.getInitArgs()[i], loop.getRegionIterArg(i).getType()));
      }
    }
    Value lower = e.value(loop.getLowerBound()), upper = e.value(loop.getUpperBound()),
          step = e.value(loop.getStep());
    auto built = scf::ForOp::create(e.b, loc, lower, upper, step, inits);
    built->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
    {
      OpBuilder::InsertionGuard guard(e.b);
      Emit::Scope scope(e.emit);
      Block *block = built.getBody();
      if (!block->empty())
        block->back().erase();
      e.b.setInsertionPointToEnd(block);
      e.bind(loop.getInductionVar(), built.getInductionVar());
      ValueRange arguments = built.getRegionIterArgs();
      for (unsigned i : carried)
        arguments = take(loop.getRegionIterArg(i), arguments);
      if (failed(body(*loop.getBody())))
        return failure();
      SmallVector<Value> yielded;
      for (unsigned i : carried)
        llvm::append_range(yielded,
                           e.parts(loop.getYieldedValues()[i], loop.getRegionIterArg(i).getType()));
      scf::YieldOp::create(e.b, loc, yielded);
    }
    ValueRange results = built.getResults();
    for (unsigned i : carried)
      results = take(loop.getResult(i), results);
    return success();
  }

  /// Binds `old` to the first of `parts` and returns the others.
  ValueRange take(Value old, ValueRange parts) {
    size_t count = e.partTypes(old.getType()).size();
    e.bindParts(old, parts.take_front(count));
    return parts.drop_front(count);
  }

  //===--- if, while --------------------------------------------------------------------------===//

  LogicalResult branch(scf::IfOp branch) {
    if (std::optional<int64_t> condition = number(branch.getCondition())) {
      Region &taken = *condition ? branch.getThenRegion() : branch.getElseRegion();
      if (taken.empty())
        return success();
      if (failed(body(taken.front())))
        return failure();
      for (auto [result, v] :
           llvm::zip(branch.getResults(), taken.front().getTerminator()->getOperands()))
        alias(result, v);
      return success();
    }
    SmallVector<unsigned> carried;
    SmallVector<Type> types;
    for (OpResult result : branch.getResults()) {
      Value same = source(result);
      if (same != result) {
        alias(result, same);
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
      results = take(branch.getResult(i), results);
    return success();
  }

  /// Fills the block of `to` from `from`, yielding the parts of the carried operands.
  LogicalResult region(Region &from, Region &to, ArrayRef<unsigned> carried, TypeRange types) {
    OpBuilder::InsertionGuard guard(e.b);
    Emit::Scope scope(e.emit);
    Block *block = &to.front();
    if (!block->empty())
      block->back().erase();
    e.b.setInsertionPointToEnd(block);
    if (failed(body(from.front())))
      return failure();
    SmallVector<Value> yielded;
    for (unsigned i : carried)
      llvm::append_range(yielded, e.parts(from.front().getTerminator()->getOperand(i), types[i]));
    scf::YieldOp::create(e.b, e.loc(), yielded);
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
      Emit::Scope scope(e.emit);
      if (!to->empty())
        to->back().erase();
      e.b.setInsertionPointToEnd(to);
      ValueRange arguments = to->getArguments();
      for (BlockArgument argument : from->getArguments())
        arguments = take(argument, arguments);
      if (failed(body(*from)))
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
      results = take(result, results);
    return success();
  }
};

RuleTable regionRules() {
  static constexpr NamedRule rules[] = {
      {"scf.for",
       [](Expander &e, Operation *op) { return RegionRules{e}.forLoop(cast<scf::ForOp>(op)); }},
      {"scf.if",
       [](Expander &e, Operation *op) { return RegionRules{e}.branch(cast<scf::IfOp>(op)); }},
      {"scf.while",
       [](Expander &e, Operation *op) { return RegionRules{e}.whileLoop(cast<scf::WhileOp>(op)); }},
  };
  return rules;
}

} // namespace tessera::lower
