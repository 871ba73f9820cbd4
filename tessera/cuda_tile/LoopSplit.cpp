// The pass loop-split: a loop whose body compares its induction variable with a fixed value becomes
// two.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes.td says what becomes of what.
#include "tessera/cuda_tile/CudaTile.h"
#include "tessera/cuda_tile/Passes.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

namespace tessera::cuda_tile {
#define GEN_PASS_DEF_LOOPSPLIT
#include "tessera/cuda_tile/Passes.h.inc"
} // namespace tessera::cuda_tile

using namespace mlir;
using namespace tessera::cuda_tile;

namespace {

/// A comparison of a loop's induction variable with a value that is the same in all iterations:
/// true for numbers below that value, or for the others.
struct Split {
  CmpIOp compare;
  Value fixed;
  bool trueBelow;
  /// Whether the fixed value itself counts as below.
  bool inclusive;
};

/// How many ops a branch must have to be worth a split; 0: never split.
int64_t thresholdOf(IfOp branch, ForOp loop, int64_t otherwise) {
  for (Operation *op : {branch.getOperation(), loop.getOperation(),
                        loop->getParentOfType<EntryOp>().getOperation()})
    if (auto hint = op ? op->getAttrOfType<IntegerAttr>("cuda_tile.loop_split") : IntegerAttr())
      return hint.getInt();
  return otherwise;
}
/// Whether one of the branches that a comparison decides has that many ops, or an expensive one.
bool isWorthwhile(CmpIOp compare, int64_t threshold) {
  auto isLarge = [&](Block *block) {
    return block && (int64_t(block->getOperations().size()) - 1 >= threshold ||
                     llvm::any_of(*block, [](Operation &op) {
                       return isa<LoadPtrTkoOp, LoadViewTkoOp, StorePtrTkoOp, StoreViewTkoOp,
                                  MmaFOp, MmaIOp, ReduceOp, IfOp, ForOp>(op);
                     }));
  };
  return llvm::any_of(compare->getUsers(), [&](Operation *user) {
    auto branch = dyn_cast<IfOp>(user);
    return branch &&
           (threshold == 1 || isLarge(branch.getThenBlock()) || isLarge(branch.getElseBlock()));
  });
}

/// The split that an `if` asks for.
std::optional<Split> splitOf(IfOp branch, ForOp loop, int64_t threshold) {
  auto compare = branch.getCondition().getDefiningOp<CmpIOp>();
  threshold = thresholdOf(branch, loop, threshold);
  if (!threshold || !compare || compare.getSignedness() != Signedness::Signed ||
      loop.getUnsignedCmp() || !isWorthwhile(compare, threshold))
    return std::nullopt;
  Value number = loop.getInductionVar(), lhs = compare.getLhs(), rhs = compare.getRhs();
  bool swapped = rhs == number;
  if (lhs == rhs || (lhs != number && !swapped))
    return std::nullopt;
  Value fixed = swapped ? lhs : rhs;
  if (loop.getRegion().isAncestor(fixed.getParentRegion()))
    return std::nullopt;
  using enum ComparisonPredicate;
  switch (compare.getComparisonPredicate()) {
  case LessThan: return Split{compare, fixed, !swapped, swapped};
  case LessThanOrEqual: return Split{compare, fixed, !swapped, !swapped};
  case GreaterThan: return Split{compare, fixed, swapped, !swapped};
  case GreaterThanOrEqual: return Split{compare, fixed, swapped, swapped};
  case Equal:
  case NotEqual: return std::nullopt;
  }
  return std::nullopt;
}
/// Of nested branches the innermost one comes first.
std::optional<Split> findSplit(ForOp loop, int64_t threshold) {
  std::optional<Split> found;
  loop.getRegion().walk([&](IfOp branch) {
    found = splitOf(branch, loop, threshold);
    return found ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found;
}

/// Bounds computed in front of a loop.
class Bounds {
public:
  Bounds(OpBuilder &builder, ForOp loop)
      : builder(builder), loc(loop.getLoc()), type(cast<TileType>(loop.getLowerBound().getType())),
        lower(loop.getLowerBound()), upper(loop.getUpperBound()), step(loop.getStep()) {}

  /// The first number of the loop that is not below the split. For a split outside of the loop's
  /// range the result is outside of it, too.
  Value first(const Split &split) {
    std::optional<APInt> by = known(step);
    if (by && by->isOne())
      return split.inclusive ? after(split.fixed) : split.fixed;
    return isPlain(split) ? rounded(split.inclusive ? add(split.fixed, one()) : split.fixed)
                          : clamped(split);
  }
  Value min(Value a, Value b) { return least(a, b, Signedness::Signed); }
  Value max(Value a, Value b) {
    return MaxIOp::create(builder, loc, type, a, b, Signedness::Signed);
  }

private:
  static std::optional<APInt> known(Value value) {
    DenseElementsAttr elements;
    if (!matchPattern(value, m_Constant(&elements)) || !elements.isSplat())
      return std::nullopt;
    return elements.getSplatValue<APInt>();
  }
  /// Whether all numbers are known, the split is in the loop's range, and nothing wraps on the way
  /// to the first number after it.
  bool isPlain(const Split &split) {
    std::optional<APInt> at = known(split.fixed), low = known(lower), high = known(upper),
                         by = known(step);
    if (!at || !low || !high || !by || at->slt(*low) || at->sge(*high) || !by->isStrictlyPositive())
      return false;
    unsigned width = at->getBitWidth(), wide = 2 * width + 2;
    APInt distance = at->sext(wide) - low->sext(wide) + (split.inclusive ? 1 : 0);
    APInt steps = (distance + by->sext(wide) - 1).sdiv(by->sext(wide));
    APInt whole = steps * by->sext(wide);
    return distance.isSignedIntN(width) && whole.isSignedIntN(width) &&
           (low->sext(wide) + whole).isSignedIntN(width);
  }
  /// The next number that is a whole number of steps from the first one.
  Value rounded(Value at) {
    Value steps = DivIOp::create(builder, loc, type, subtract(at, lower), step, Signedness::Signed,
                                 RoundingMode::PositiveInf);
    Value whole = MulIOp::create(builder, loc, type, steps, step, IntegerOverflow::None);
    return add(lower, whole);
  }
  /// The same for any numbers: distances are unsigned, because the distance of two signed numbers
  /// may not fit a signed one, and the result is at most the upper bound.
  Value clamped(const Split &split) {
    Value at = max(min(split.inclusive ? after(split.fixed) : split.fixed, upper), lower);
    Value rest = remainder(subtract(at, lower));
    Value missing = remainder(subtract(step, rest));
    return add(at, least(missing, subtract(upper, at), Signedness::Unsigned));
  }
  /// The number after one, or the upper bound where that is smaller.
  Value after(Value number) {
    std::optional<APInt> fixed = known(number);
    if (fixed && !fixed->isMaxSignedValue())
      return add(number, one());
    return add(min(number, subtract(upper, one())), one());
  }

  Value add(Value a, Value b) {
    return AddIOp::create(builder, loc, type, a, b, IntegerOverflow::None);
  }
  Value subtract(Value a, Value b) {
    return SubIOp::create(builder, loc, type, a, b, IntegerOverflow::None);
  }
  Value remainder(Value a) {
    return RemIOp::create(builder, loc, type, a, step, Signedness::Unsigned);
  }
  Value least(Value a, Value b, Signedness signedness) {
    return MinIOp::create(builder, loc, type, a, b, signedness);
  }
  Value one() {
    if (!single)
      single = ConstantOp::create(
          builder, loc, DenseElementsAttr::get(type, APInt(type.getElementTypeBitWidth(), 1)));
    return single;
  }

  OpBuilder &builder;
  Location loc;
  TileType type;
  Value lower, upper, step;
  Value single;
};

/// Replaces the `if` by the branch that is taken. If that branch ends the iteration, what follows
/// is removed, and the result is true.
bool inlineBranch(IfOp branch, bool taken) {
  Block *block = taken ? branch.getThenBlock() : branch.getElseBlock();
  bool falls = true;
  if (block) {
    Operation *end = block->getTerminator();
    falls = isa<YieldOp>(end);
    branch->getBlock()->getOperations().splice(branch->getIterator(), block->getOperations());
    if (falls) {
      branch.replaceAllUsesWith(end->getOperands());
      end->erase();
    } else {
      Block *outer = branch->getBlock();
      while (&outer->back() != branch.getOperation())
        outer->back().erase();
    }
  }
  branch.erase();
  return !falls;
}

/// A copy of the loop in which the comparison has a known answer.
ForOp copyWith(OpBuilder &builder, ForOp loop, CmpIOp compare, bool answer) {
  IRMapping mapping;
  auto copy = cast<ForOp>(builder.clone(*loop, mapping));
  auto asked = mapping.lookup(compare.getResult()).getDefiningOp<CmpIOp>();
  OpBuilder inner(asked);
  Value known = ConstantOp::create(inner, asked.getLoc(),
                                   DenseElementsAttr::get(cast<TileType>(asked.getType()), answer));
  asked.getResult().replaceAllUsesWith(known);
  asked.erase();
  // Branches nested in another one keep their condition, now a constant, for the canonicaliser.
  SmallVector<IfOp> decided;
  for (IfOp branch : copy.getBody()->getOps<IfOp>())
    if (branch.getCondition() == known)
      decided.push_back(branch);
  for (IfOp branch : decided) {
    bool ends = inlineBranch(branch, answer);
    if (ends)
      break;
  }
  if (known.use_empty())
    known.getDefiningOp()->erase();
  return copy;
}

void splitLoop(ForOp loop, int64_t threshold);
void splitWithin(Region &region, int64_t threshold) {
  SmallVector<ForOp> loops;
  region.walk<WalkOrder::PreOrder>([&](ForOp inner) {
    loops.push_back(inner);
    return WalkResult::skip();
  });
  for (ForOp inner : loops)
    splitLoop(inner, threshold);
}
void splitLoop(ForOp loop, int64_t threshold) {
  std::optional<Split> split = findSplit(loop, threshold);
  if (!split)
    return splitWithin(loop.getRegion(), threshold);
  OpBuilder builder(loop);
  Bounds bounds(builder, loop);
  Value at = bounds.first(*split);
  Value end = bounds.min(at, loop.getUpperBound()), start = bounds.max(at, loop.getLowerBound());
  ForOp below = copyWith(builder, loop, split->compare, split->trueBelow);
  ForOp above = copyWith(builder, loop, split->compare, !split->trueBelow);
  below.getUpperBoundMutable().assign(end);
  above.getLowerBoundMutable().assign(start);
  above.getInitValuesMutable().assign(below.getResults());
  loop.replaceAllUsesWith(above.getResults());
  loop.erase();
  splitWithin(below.getRegion(), threshold);
  splitWithin(above.getRegion(), threshold);
}

struct LoopSplit : tessera::cuda_tile::impl::LoopSplitBase<LoopSplit> {
  using LoopSplitBase::LoopSplitBase;
  void runOnOperation() override { splitWithin(getOperation().getBody(), splitThreshold); }
};

} // namespace
