// Plan: classes of values that have one layout, and which one.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/tile_lower/PlanValues.h"
#include "tessera/tile_lower/ProductLayouts.h"

#include "tessera/tile_lower/Elements.h"
#include "tessera/tile_lower/Rows.h"
#include "tessera/tile_lower/Runs.h"

#include <set>
#include <vector>

using namespace mlir;
using namespace tessera::cuda_tile;

namespace tessera::tile_lower {

int Plan::classOf(Value value) {
  auto [place, isNew] = ids.try_emplace(value, int(parents.size()));
  if (isNew)
    parents.push_back(int(parents.size()));
  int id = place->second;
  while (parents[size_t(id)] != id)
    id = parents[size_t(id)] = parents[size_t(parents[size_t(id)])];
  return id;
}
void Plan::join(Value a, Value b) {
  if (elementsOf(a) != elementsOf(b) || elementsOf(a) <= 1 || isMadeAnywhere(a) ||
      isMadeAnywhere(b))
    return;
  int x = classOf(a), y = classOf(b);
  parents[size_t(std::max(x, y))] = std::min(x, y);
}

void Plan::joinClasses(EntryOp entry) {
  auto joinAll = [&](ValueRange a, ValueRange b) {
    for (auto [x, y] : llvm::zip(a, b))
      join(x, y);
  };
  entry.walk([&](Operation *op) {
    if (auto load = dyn_cast<LoadPtrTkoOp>(op); load && load.getMask() && stagings.contains(op))
      join(load.getSource(), load.getMask());
    if (isInCombiner(op) || followed.contains(op) || stagings.contains(op))
      return;
    for (Value result : op->getResults())
      if (elementsOf(result) > 1)
        classOf(result);
    for (Region &region : op->getRegions())
      if (!isa<ReduceOp, ScanOp>(op))
        for (Value argument : region.getArguments())
          if (elementsOf(argument) > 1)
            classOf(argument);
    const Row *row = rowOf(op);
    if ((row && row->element) || isa<ReshapeOp, AssumeOp>(op)) {
      for (Value operand : op->getOperands())
        join(operand, op->getResult(0));
    } else if (isa<MmaFOp, MmaIOp>(op)) {
      join(op->getOperand(2), op->getResult(0));
    } else if (auto load = dyn_cast<LoadPtrTkoOp>(op)) {
      for (Value other :
           {Value(load.getMask()), Value(load.getPaddingValue()), Value(load.getResult())})
        if (other)
          join(load.getSource(), other);
    } else if (auto store = dyn_cast<StorePtrTkoOp>(op)) {
      if (store.getMask())
        join(store.getDestination(), store.getMask());
    } else if (auto loop = dyn_cast<ForOp>(op)) {
      joinAll(loop.getInitValues(), loop.getRegionIterValues());
      joinAll(loop.getResults(), loop.getRegionIterValues());
    } else if (auto loop = dyn_cast<LoopOp>(op)) {
      joinAll(loop.getInitValues(), loop.getRegionIterValues());
    } else if (isa<ContinueOp, BreakOp, YieldOp>(op)) {
      Operation *to = op->getParentOp();
      auto isEnd = [&](Operation *parent) {
        return isa<YieldOp>(op)   ? isa<IfOp>(parent)
               : isa<BreakOp>(op) ? isa<LoopOp>(parent)
                                  : isa<ForOp, LoopOp>(parent);
      };
      while (to && !isEnd(to))
        to = to->getParentOp();
      if (!to)
        return;
      if (auto loop = dyn_cast<ForOp>(to))
        joinAll(op->getOperands(), loop.getRegionIterValues());
      else if (auto loop = dyn_cast<LoopOp>(to); loop && isa<ContinueOp>(op))
        joinAll(op->getOperands(), loop.getRegionIterValues());
      else
        joinAll(op->getOperands(), to->getResults());
    }
  });
  // Numbers become those of classes, so that they can be looked up.
  for (auto &[value, id] : ids)
    id = classOf(value);
}

/// The bits of an element that broadcasts give, or that a reduction takes away.
static int64_t bitsOfDims(ArrayRef<int64_t> shape, llvm::function_ref<bool(size_t)> isChosen) {
  int64_t out = 0;
  for (size_t d = 0; d < shape.size(); ++d)
    if (isChosen(d))
      out |= (shape[d] - 1) << firstBitOf(shape, d);
  return out;
}

int64_t broadcastBits(Operation *op) {
  ArrayRef<int64_t> from = shapeOf(op->getOperand(0).getType());
  ArrayRef<int64_t> to = shapeOf(op->getResult(0).getType());
  return bitsOfDims(to, [&](size_t d) { return from[d] == 1; });
}
int64_t reducedBits(Operation *op) {
  auto dim = size_t(cast<ReduceOp>(op).getDim());
  return bitsOfDims(shapeOf(op->getOperand(0).getType()), [&](size_t d) { return d == dim; });
}
int64_t extractedBits(Operation *op) {
  ArrayRef<int64_t> from = shapeOf(op->getOperand(0).getType());
  ArrayRef<int64_t> to = shapeOf(op->getResult(0).getType());
  int64_t out = 0;
  for (size_t d = 0; d < from.size(); ++d)
    out |= (from[d] - to[d]) << firstBitOf(from, d); // the high bits of the dimension
  return out;
}
int64_t joinedBit(Operation *op) {
  ArrayRef<int64_t> from = shapeOf(op->getOperand(0).getType());
  ArrayRef<int64_t> to = shapeOf(op->getResult(0).getType());
  auto dim = size_t(cast<CatOp>(op).getDim());
  return from[dim] << firstBitOf(to, dim);
}
BitList permutedBits(Operation *op) {
  ArrayRef<int64_t> from = shapeOf(op->getOperand(0).getType());
  ArrayRef<int64_t> to = shapeOf(op->getResult(0).getType());
  ArrayRef<int32_t> permutation = cast<PermuteOp>(op).getPermutation();
  BitList map(size_t(log2Of(countOf(from))));
  for (size_t d = 0; d < to.size(); ++d) {
    int first = firstBitOf(from, size_t(permutation[d])), there = firstBitOf(to, d);
    for (int bit = 0; bit < log2Of(to[d]); ++bit)
      map[size_t(first + bit)] = int8_t(there + bit);
  }
  return map;
}

/// Of an access by pointers, with vectors that leave no thread without work; whether it has any.
static std::pair<bool, BitLayout> layoutOfPointers(Operation *op, int threadBits, bool isStaged) {
  auto load = dyn_cast<LoadPtrTkoOp>(op);
  Value mask = load ? load.getMask() : cast<StorePtrTkoOp>(op).getMask();
  Traversal traversal = traversalOfPointers(op->getOperand(0), mask);
  int spare = std::max(0, int(traversal.order.size()) - threadBits);
  int bits = isStaged ? traversal.vectorBits : std::min(traversal.vectorBits, spare);
  return {bits > 0, blocked(traversal.order, threadBits, bits)};
}

namespace {
/// Gives layouts that make broadcasts and reductions free to the classes beside those that have
/// one. Ops are asked in their order, again and again, but only those that a class has to do with
/// which has got its layout since.
class Spread {
public:
  Spread(EntryOp entry, llvm::DenseMap<int, BitLayout> &layouts,
         llvm::function_ref<int(Value)> classIn)
      : layouts(layouts), classIn(classIn) {
    entry.walk([&](Operation *op) {
      if (!isa<ReduceOp, BroadcastOp, ExtractOp, CatOp, PermuteOp>(op))
        return;
      for (ValueRange values : {ValueRange(op->getOperands()), ValueRange(op->getResults())})
        for (Value value : values)
          relatedTo[classIn(value)].push_back(related.size());
      related.push_back(op);
    });
  }

  /// Asks all ops that a class has to do with.
  void wake(int id) {
    if (auto found = relatedTo.find(id); found != relatedTo.end())
      waiting.insert(found->second.begin(), found->second.end());
  }
  /// False if the class of the value has a layout, or cannot have this one.
  bool give(Value value, const BitLayout &layout) {
    int id = classIn(value);
    if (id < 0 || layouts.contains(id) || layout.registerCount() > mostRegisters)
      return false;
    layouts[id] = layout;
    wake(id);
    return true;
  }
  void run() {
    for (size_t next = 0; !waiting.empty();) {
      auto at = waiting.lower_bound(next);
      if (at == waiting.end()) { // from the first one again
        next = 0;
        continue;
      }
      next = *at + 1;
      Operation *op = related[*at];
      waiting.erase(at);
      ask(op);
    }
  }

private:
  bool has(Value value) const { return layouts.contains(classIn(value)); }
  const BitLayout &layoutOf(Value value) const { return layouts.find(classIn(value))->second; }

  void ask(Operation *op) {
    if (isa<ReduceOp>(op)) {
      for (auto [operand, result] : llvm::zip(op->getOperands(), op->getResults()))
        if (has(operand))
          give(result, without(layoutOf(operand), reducedBits(op)));
      return;
    }
    Value operand = op->getOperand(0), result = op->getResult(0);
    if (isa<BroadcastOp>(op)) {
      if (has(result))
        give(operand, without(layoutOf(result), broadcastBits(op)));
    } else if (isa<ExtractOp>(op)) {
      if (has(operand))
        give(result, without(layoutOf(operand), extractedBits(op)));
    } else if (isa<CatOp>(op)) {
      if (has(result))
        for (Value part : op->getOperands())
          give(part, without(layoutOf(result), joinedBit(op)));
    } else {
      BitList map = permutedBits(op);
      if (has(operand))
        give(result, renamed(layoutOf(operand), map));
      if (has(result)) {
        BitList back(map.size());
        for (size_t i = 0; i < map.size(); ++i)
          back[size_t(map[i])] = int8_t(i);
        give(operand, renamed(layoutOf(result), back));
      }
    }
  }

  llvm::DenseMap<int, BitLayout> &layouts; // by class
  llvm::function_ref<int(Value)> classIn;
  std::vector<Operation *> related;
  llvm::DenseMap<int, SmallVector<size_t>> relatedTo; // by class
  std::set<size_t> waiting;
};
} // namespace

void Plan::chooseLayouts(EntryOp entry) {
  // Which classes are reduced along rows, or multiply from the left.
  llvm::DenseSet<int> sums, results;
  auto classIn = [&](Value value) {
    auto id = ids.find(value);
    return id == ids.end() ? -1 : id->second;
  };
  entry.walk([&](Operation *op) {
    if (isInCombiner(op))
      return;
    if (auto reduce = dyn_cast<ReduceOp>(op)) {
      Type tile = op->getOperand(0).getType();
      if (size_t(reduce.getDim()) + 1 == shapeOf(tile).size())
        sums.insert(classIn(op->getOperand(0)));
    } else if (products.contains(op)) {
      results.insert(classIn(op->getResult(0)));
      if (!sources.contains(op->getOperand(0)))
        sums.insert(classIn(op->getOperand(0)));
    }
  });

  llvm::DenseMap<int, int> ranks; // of the values that decided so far
  auto anchor = [&](Value value, int rank, const BitLayout &layout) {
    int id = classIn(value);
    if (id >= 0 && layout.registerCount() <= mostRegisters && ranks.lookup(id) < rank) {
      ranks[id] = rank;
      layouts[id] = layout;
    }
  };
  enum {
    Simple = 1,
    Stored,
    Loaded,
    Multiplied,
    Fragment
  };
  entry.walk([&](Operation *op) {
    if (auto found = products.find(op); found != products.end()) {
      Product &product = *found->second;
      int lhs = classIn(op->getOperand(0));
      bool keepsRows = sums.contains(classIn(op->getResult(0))) ||
                       (!sources.contains(op->getOperand(0)) && results.contains(lhs));
      product.result = layoutOfSums(product, threadBits, keepsRows);
      anchor(op->getResult(0), Fragment, product.result);
    } else if (isa<MmaFOp, MmaIOp>(op) && !isInCombiner(op)) {
      anchor(op->getResult(0), Multiplied,
             layoutOfFused(extentsOf(op->getOperand(0).getType(), op->getOperand(1).getType()),
                           threadBits));
    } else if (auto load = dyn_cast<LoadViewTkoOp>(op)) {
      Traversal traversal =
          traversalOf(load.getView(), load.getInbounds().value_or(ArrayRef<bool>()));
      anchor(load.getTile(), Loaded, blocked(traversal.order, threadBits, traversal.vectorBits));
    } else if (auto store = dyn_cast<StoreViewTkoOp>(op)) {
      Traversal traversal =
          traversalOf(store.getView(), store.getInbounds().value_or(ArrayRef<bool>()));
      anchor(store.getTile(), Stored, blocked(traversal.order, threadBits, traversal.vectorBits));
    } else if (isa<LoadPtrTkoOp, StorePtrTkoOp>(op)) {
      auto [isWide, layout] = layoutOfPointers(op, threadBits, stagings.contains(op));
      anchor(op->getOperand(0), isWide ? Stored : Simple, layout);
    }
  });

  Spread spread(entry, layouts, classIn);
  for (const auto &[id, layout] : layouts)
    spread.wake(id);
  spread.run();
  // Others have their elements in order.
  entry.walk([&](Operation *op) {
    auto giveSimple = [&](Value value) {
      if (elementsOf(value) > 1 &&
          spread.give(value, blocked(bitsUpTo(log2Of(elementsOf(value))), threadBits)))
        spread.run();
    };
    for (Value result : op->getResults())
      giveSimple(result);
    for (Region &region : op->getRegions())
      for (Value argument : region.getArguments())
        giveSimple(argument);
  });
}

} // namespace tessera::tile_lower
