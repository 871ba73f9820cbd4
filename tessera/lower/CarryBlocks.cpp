// CarryBlocks: fragments that loops of blocks make and hand on by arguments of blocks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What CarryLocals does for loops of `scf`, where the loops are branches: an argument that still
// has a fragment when the op that makes it runs again gets a place of its own, to which the
// elements are copied on the edge that hands it on. Nothing says which edge is a loop's, so what
// decides is which values are alive where a place is written again.
#include "tessera/lower/InlineLocals.h"
#include "tessera/lower/LocalOrigins.h"

#include "tessera/cute/Cute.h"

#include "mlir/Analysis/Liveness.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tessera::cute;

namespace tessera::lower {
namespace {

class Blocks {
public:
  explicit Blocks(Region &region) : region(region) {}
  /// Whether there was anything to do; fails where elements cannot be copied.
  FailureOr<bool> carry();

private:
  /// A value of the region that may be a view of something else, and all that may be.
  struct View {
    Value value;
    LocalOrigins origins;
  };

  void findViews();
  void markStale(const Liveness &);
  bool markBehind(BlockArgument written, const Liveness &);
  bool markBeside(BlockArgument copied);
  bool mark(const View &, Value source);
  bool isAliveAcross(Value, Operation *maker, const Liveness &) const;

  /// A branch to a block, what it hands on, and which of that is copied.
  struct Edge {
    BranchOpInterface branch;
    unsigned successor;
    SmallVector<Value> operands;
    SmallVector<bool> copied;
  };
  using Edges = SmallVector<Edge>;
  FailureOr<Edges> edgesTo(Block *) const;
  bool isCopied(BlockArgument, Value operand) const;
  Value placeOf(BlockArgument, const Edges &);
  void copyInto(Block *, const Edges &);
  void copyOn(Edge, Block *, const CopiesAtEnd &, ArrayRef<Value> operands);

  Region &region;
  SmallVector<View> views;
  /// Arguments that get a place of their own, and whose fragments are copied there.
  llvm::MapVector<BlockArgument, llvm::SmallSetVector<Value, 2>> marked;
  llvm::SmallDenseMap<Value, Value> places; // of arguments
};

/// Arguments of blocks of `region` that the ops before `value` made it of.
void rootsOf(Value value, Region &region, llvm::SmallSetVector<BlockArgument, 4> &roots) {
  if (!endsWithItsCall(value.getType()))
    return;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (argument.getOwner()->getParent() == &region && !argument.getOwner()->isEntryBlock())
      roots.insert(argument);
    return;
  }
  if (makesLocal(value.getDefiningOp()))
    return;
  value.getDefiningOp()->walk([&](Operation *op) {
    for (Value operand : op->getOperands())
      if (operand.getParentRegion() == &region)
        rootsOf(operand, region, roots);
  });
}

void Blocks::findViews() {
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
}

/// Whether a value that was there before `maker` runs is used after it, before it is made again.
bool Blocks::isAliveAcross(Value value, Operation *maker, const Liveness &liveness) const {
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

bool Blocks::mark(const View &view, Value source) {
  llvm::SmallSetVector<BlockArgument, 4> roots;
  rootsOf(view.value, region, roots);
  bool changed = false;
  for (BlockArgument root : roots)
    if (root != source && LocalOrigins(root).has(source))
      changed |= marked[root].insert(source);
  return changed;
}

/// Arguments that have a fragment when it is made again.
void Blocks::markStale(const Liveness &liveness) {
  region.walk([&](Operation *maker) {
    if (!makesLocal(maker))
      return;
    for (const View &view : views)
      if (view.value.getDefiningOp() != maker && view.origins.has(maker->getResult(0)) &&
          isAliveAcross(view.value, maker, liveness))
        mark(view, maker->getResult(0));
  });
}

/// Arguments that have the place of another one when it gets the next elements.
bool Blocks::markBehind(BlockArgument written, const Liveness &liveness) {
  Block *block = written.getOwner();
  bool changed = false;
  for (const View &view : views)
    if (view.value != written && view.origins.has(written) &&
        (liveness.getLiveIn(block).contains(view.value) ||
         (isa<BlockArgument>(view.value) && Value(view.value).getParentBlock() == block)))
      changed |= mark(view, written);
  return changed;
}

/// Arguments that get the same fragment on the same edge: what is written to one shows in the
/// other.
bool Blocks::markBeside(BlockArgument copied) {
  Block *block = copied.getOwner();
  bool changed = false;
  for (auto at = block->pred_begin(); at != block->pred_end(); ++at) {
    auto branch = dyn_cast<BranchOpInterface>((*at)->getTerminator());
    if (!branch)
      continue;
    SuccessorOperands operands = branch.getSuccessorOperands(at.getSuccessorIndex());
    Value operand = operands[copied.getArgNumber()];
    if (!isCopied(copied, operand))
      continue;
    for (BlockArgument other : block->getArguments())
      if (other != copied && operands[other.getArgNumber()] == operand)
        for (Value source : llvm::to_vector(marked[copied]))
          changed |= marked[other].insert(source);
  }
  return changed;
}

bool Blocks::isCopied(BlockArgument argument, Value operand) const {
  auto found = marked.find(argument);
  if (found == marked.end() || operand == argument)
    return false;
  LocalOrigins origins(operand);
  return llvm::any_of(found->second, [&](Value source) { return origins.has(source); });
}

/// The branches to a block; fails where something cannot be copied.
FailureOr<Blocks::Edges> Blocks::edgesTo(Block *block) const {
  Edges edges;
  for (auto at = block->pred_begin(); at != block->pred_end(); ++at) {
    auto branch = dyn_cast<BranchOpInterface>((*at)->getTerminator());
    if (!branch)
      continue;
    Edge edge{branch, at.getSuccessorIndex(), {}, {}};
    edge.operands =
        llvm::to_vector(branch.getSuccessorOperands(edge.successor).getForwardedOperands());
    for (auto [argument, operand] : llvm::zip(block->getArguments(), edge.operands)) {
      edge.copied.push_back(isCopied(argument, operand));
      if (edge.copied.back() && !elementsOf(operand.getType()))
        return refuseToCarry(branch, operand.getType(), "to a block that leads back to here",
                             "block", "hand on");
    }
    edges.push_back(std::move(edge));
  }
  return edges;
}

/// Made before all that the region does. Two arguments to which every edge copies the same have one
/// place, so that what is written to one shows in the other.
Value Blocks::placeOf(BlockArgument argument, const Edges &edges) {
  auto isOneWith = [&, i = argument.getArgNumber()](BlockArgument other) {
    const unsigned j = other.getArgNumber();
    return llvm::all_of(edges, [&](const Edge &edge) {
      return edge.copied[i] == edge.copied[j] &&
             (!edge.copied[i] || edge.operands[i] == edge.operands[j]);
    });
  };
  for (BlockArgument other : argument.getOwner()->getArguments())
    if (Value place = places.lookup(other); place && isOneWith(other))
      return place;
  OpBuilder b = OpBuilder::atBlockBegin(&region.front());
  return places[argument] = MemRefAllocaOp::create(
             b, argument.getLoc(), cast<CuteMemRefType>(argument.getType()), Value());
}

/// Has an edge hand on the places, and copies there before it.
void Blocks::copyOn(Edge edge, Block *block, const CopiesAtEnd &copies, ArrayRef<Value> operands) {
  MutableOperandRange given =
      edge.branch.getSuccessorOperands(edge.successor).getMutableForwardedOperands();
  Operation *end = edge.branch;
  // Copies of one edge must not run on another one.
  if (end->getNumSuccessors() > 1) {
    OpBuilder b(end);
    Block *between = b.createBlock(block);
    auto jump = cf::BranchOp::create(b, end->getLoc(), block, operands);
    given.clear();
    end->setSuccessor(between, edge.successor);
    end = jump;
  } else {
    given.assign(operands);
  }
  copies.write(end);
}

void Blocks::copyInto(Block *block, const Edges &edges) {
  for (const Edge &edge : edges) {
    CopiesAtEnd copies;
    llvm::SmallPtrSet<Value, 4> written;
    SmallVector<Value> operands = edge.operands;
    for (BlockArgument argument : block->getArguments()) {
      if (!edge.copied[argument.getArgNumber()])
        continue;
      Value &operand = operands[argument.getArgNumber()];
      Value place = placeOf(argument, edges);
      if (written.insert(place).second)
        copies.all.emplace_back(operand, place);
      operand = place;
    }
    if (!copies.all.empty())
      copyOn(edge, block, copies, operands);
  }
}

FailureOr<bool> Blocks::carry() {
  findViews();
  if (llvm::none_of(views, [](const View &view) { return isa<BlockArgument>(view.value); }))
    return false;
  {
    Liveness liveness(region.getParentOp());
    markStale(liveness);
    for (bool changed = !marked.empty(); changed;) {
      changed = false;
      SmallVector<BlockArgument> written;
      for (auto &[argument, sources] : marked)
        written.push_back(argument);
      for (BlockArgument argument : written)
        changed |= markBehind(argument, liveness) || markBeside(argument);
    }
  }
  llvm::MapVector<Block *, Edges> changes; // all of them before the first is made
  for (auto &[argument, sources] : marked) {
    FailureOr<Edges> edges = edgesTo(argument.getOwner());
    if (failed(edges))
      return failure();
    changes[argument.getOwner()] = std::move(*edges);
  }
  for (auto &[block, edges] : changes)
    copyInto(block, edges);
  return !marked.empty();
}
} // namespace

FailureOr<bool> carryBetweenBlocks(Region &region) { return Blocks(region).carry(); }

} // namespace tessera::lower
