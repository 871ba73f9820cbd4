// HoldBackLoads: a ring of buffers in shared memory is not filled to its last one.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel whose warps load and multiply fills a ring first, and refills a buffer in the iteration
// that gives it back:
//
//   s = for (i < min(SLOTS, TILES)) load(s)                  `fill`
//   use the first tiles
//   for (t = taken; t < TILES; ++t) {                        `use`
//     wait until tile t is there; multiply; give tile t-1 back
//     if (count(s) < TILES) s = load(s)                      `refill`
//   }
//
// Every load then waits for products that have just been issued, and each block runs as far ahead
// of the others as its buffers let it. With two loads fewer in flight, hopper_dense_gemm of the
// corpus is 5 to 14 % faster on an H100 (docs/benchmarks.md). So the first loop makes `SLOTS - 2`
// loads, and each other one comes two iterations later.
//
// Why it may. All loads are made, in the same order: `fill` and `refill` have the same body, which
// counts from 0 by 1, and `use` has TILES - taken iterations to make the rest in. Tile t is loaded
// before the iteration that waits for it, as loads stay more than `taken` tiles ahead. Nobody else
// waits for a load: each wait of the kernel is for the buffer of tile t in iteration t, for one of
// the first `taken`, or for a buffer to be given back, which no load delays but one that waits for
// it already. Each condition is checked, and where one does not hold (or is not understood) the
// loop stays as it is.
#include "tessera/lower/Functions.h"
#include "tessera/lower/Passes.h"

#include "tessera/cute/Cute.h"
#include "tessera/cute_nvgpu/CuteNvgpu.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tessera;

namespace tessera::lower {
#define GEN_PASS_DEF_HOLDBACKLOADS
#include "tessera/lower/Passes.h.inc"

namespace {

constexpr int64_t heldBack = 2, leastAhead = 4; // loads; three in flight were slower than seven
constexpr int64_t mostSlots = 256;              // no ring has more; each is looked at

//===------------------------------------------------------------------------------------------===//
// What a value is, given what some others are
//===------------------------------------------------------------------------------------------===//

using Number = std::optional<int64_t>;
using Known = function_ref<Number(Value)>;

Number constant(Value value) {
  APInt number;
  if (!matchPattern(value, m_ConstantInt(&number)))
    return std::nullopt;
  return number.getBitWidth() == 1 ? number.getZExtValue() : number.getSExtValue();
}

/// By the arithmetic and branches that counters are made of; nothing if other ops take part, or
/// more than `fuel`: a value that is used twice is computed twice.
Number evaluate(Value value, Known known, int &fuel) {
  if (Number number = known(value))
    return number;
  if (--fuel < 0)
    return std::nullopt;
  if (Number number = constant(value))
    return number;
  Operation *op = value.getDefiningOp();
  if (auto branch = dyn_cast_or_null<scf::IfOp>(op)) {
    Number taken = evaluate(branch.getCondition(), known, fuel);
    if (!taken)
      return std::nullopt;
    Block *block = *taken ? branch.thenBlock() : branch.elseBlock();
    return evaluate(block->getTerminator()->getOperand(cast<OpResult>(value).getResultNumber()),
                    known, fuel);
  }
  if (!isa_and_nonnull<arith::ArithDialect>(op ? op->getDialect() : nullptr))
    return std::nullopt;
  SmallVector<int64_t, 3> in;
  for (Value operand : op->getOperands()) {
    Number number = evaluate(operand, known, fuel);
    if (!number)
      return std::nullopt;
    in.push_back(*number);
  }
  return llvm::TypeSwitch<Operation *, Number>(op)
      .Case([&](arith::AddIOp) { return int64_t(uint64_t(in[0]) + uint64_t(in[1])); })
      .Case([&](arith::ExtUIOp) { return in[0]; })
      .Case([&](arith::AndIOp) { return in[0] & in[1]; })
      .Case([&](arith::OrIOp) { return in[0] | in[1]; })
      .Case([&](arith::SelectOp) { return in[0] ? in[1] : in[2]; })
      .Case([&](arith::CmpIOp op) -> Number {
        switch (op.getPredicate()) {
        case arith::CmpIPredicate::eq: return in[0] == in[1];
        case arith::CmpIPredicate::ne: return in[0] != in[1];
        default: return std::nullopt;
        }
      })
      .Default([](Operation *) { return std::nullopt; });
}
Number evaluate(Value value, Known known) {
  int fuel = 256;
  return evaluate(value, known, fuel);
}
Number evaluate(Value value) {
  return evaluate(value, [](Value) -> Number { return std::nullopt; });
}

/// Whether `next` is 1 more than `now`, or 0 where that would be `slots`.
bool goesAround(Value now, Value next, int64_t slots) {
  for (int64_t at = 0; at < slots; ++at)
    if (evaluate(next, [&](Value value) { return value == now ? Number(at) : std::nullopt; }) !=
        Number((at + 1) % slots))
      return false;
  return true;
}

/// `x == constant`, the form of a guard such as "this is warp 0".
struct Equality {
  Value side;
  int64_t number;
  bool operator==(const Equality &) const = default;
};
std::optional<Equality> equality(Value value) {
  auto compare = value.getDefiningOp<arith::CmpIOp>();
  if (!compare || compare.getPredicate() != arith::CmpIPredicate::eq)
    return std::nullopt;
  Number number = constant(compare.getRhs());
  return number ? std::optional(Equality{compare.getLhs(), *number}) : std::nullopt;
}

/// Whether `value` is `count < tiles`.
bool isLeft(Value value, Value count, Value tiles) {
  auto compare = value.getDefiningOp<arith::CmpIOp>();
  if (!compare)
    return false;
  bool less = compare.getPredicate() == arith::CmpIPredicate::slt && compare.getLhs() == count &&
              compare.getRhs() == tiles;
  bool more = compare.getPredicate() == arith::CmpIPredicate::sgt && compare.getLhs() == tiles &&
              compare.getRhs() == count;
  return less || more;
}

//===------------------------------------------------------------------------------------------===//
// Barriers of a ring
//===------------------------------------------------------------------------------------------===//

/// One barrier of an array.
struct Slot {
  Value array, index; // no index: the one at `number`
  Number number;
};
std::optional<Slot> slotOf(Value pointer) {
  if (auto cast = pointer.getDefiningOp<UnrealizedConversionCastOp>();
      cast && cast.getInputs().size() == 1)
    pointer = cast.getInputs()[0];
  auto step = pointer.getDefiningOp<cute::AddOffsetOp>();
  if (!step)
    return Slot{pointer, {}, 0};
  auto offset = step.getOffset().getDefiningOp<cute::MakeIntTupleOp>();
  if (!offset || offset->getNumOperands() !=
                     1) // a static offset would be one more form, which rings do not have
    return std::nullopt;
  return Slot{step.getIter(), offset->getOperand(0), evaluate(offset->getOperand(0))};
}

/// Whether the loads of a ring may have `op` among them: what only computes, and what this pass
/// knows the effects of.
bool mayLoad(Operation *op) {
  if (auto copy = dyn_cast<cute::CopyOp>(op))
    return isa<cute_nvgpu::TmaLoadType>(copy.getAtom().getType());
  return isPure(op) || isa<NVVM::MBarrierTryWaitParityOp, NVVM::MBarrierArriveExpectTxOp,
                           NVVM::ElectSyncOp, scf::IfOp, scf::YieldOp>(op);
}
/// Whether a kernel that has `op` is understood: its threads wait for each other by ops that can be
/// told from their kind alone.
bool mayStandBy(Operation *op) {
  return !isa<scf::WhileOp, LLVM::InlineAsmOp, NVVM::InlinePtxOp, LLVM::CallIntrinsicOp,
              CallOpInterface>(op);
}

//===------------------------------------------------------------------------------------------===//
// The ring
//===------------------------------------------------------------------------------------------===//

/// Whether two blocks compute the same, `map` saying which values of theirs correspond; their
/// terminators are not compared.
bool haveSameOps(Block &x, Block &y, DenseMap<Value, Value> &map) {
  if (x.getOperations().size() != y.getOperations().size())
    return false;
  auto same = [&](Value a, Value b) { return success(map.lookup_or(a, a) == b); };
  auto mark = [&](Value a, Value b) { map[a] = b; };
  return llvm::all_of(
      llvm::zip_equal(x.without_terminator(), y.without_terminator()), [&](auto pair) {
        return OperationEquivalence::isEquivalentTo(&std::get<0>(pair), &std::get<1>(pair), same,
                                                    mark, OperationEquivalence::IgnoreLocations);
      });
}

struct Ring {
  explicit Ring(scf::ForOp fill) : fill(fill) {}

  scf::ForOp fill, use;
  Value tiles;
  ValueRange states; // after `fill`
  Value guard;       // of `fill`, if it has one: its threads are those that load
  scf::IfOp refill;
  int64_t slots = 0, taken = 0;
  Value index;       // of the slot, in `fill`
  Value full, empty; // arrays of barriers: a tile is there, a buffer is free

  /// `min(slots, tiles)`, at least 0, and but once in a kernel.
  bool matchCount() {
    Value count = fill.getUpperBound();
    if (auto atLeast = count.getDefiningOp<arith::MaxSIOp>();
        atLeast && constant(atLeast.getRhs()).value_or(1) <= 0)
      count = atLeast.getLhs();
    auto least = count.getDefiningOp<arith::MinSIOp>();
    auto function = fill->getParentOfType<FunctionOpInterface>();
    if (!least || !function || !function.getFunctionBody().hasOneBlock() ||
        fill->getParentOfType<LoopLikeOpInterface>() || !fill.getInductionVar().use_empty() ||
        constant(fill.getLowerBound()) != Number(0) || constant(fill.getStep()) != Number(1) ||
        fill.getUnsignedCmp())
      return false;
    bool first = constant(least.getLhs()).has_value();
    tiles = first ? least.getRhs() : least.getLhs();
    Number number = constant(first ? least.getLhs() : least.getRhs());
    slots = number.value_or(0);
    return slots <= mostSlots && number.has_value();
  }

  bool matchStates() {
    states = fill.getResults();
    if (auto branch = dyn_cast<scf::IfOp>(fill->getParentOp())) {
      if (!branch.elseBlock() || branch.thenBlock()->getTerminator()->getOperands() != states ||
          branch.elseBlock()->getTerminator()->getOperands() != ValueRange(fill.getInitArgs()))
        return false;
      states = branch.getResults();
      guard = branch.getCondition();
    }
    for (Value state : states)
      for (OpOperand &by : state.getUses()) {
        auto loop = dyn_cast<scf::ForOp>(by.getOwner());
        if (!loop || (use && use != loop) || by.getOperandNumber() < loop.getNumControlOperands() ||
            !state.hasOneUse())
          return false;
        use = loop;
      }
    // After `fill` in the same block, so that both run once.
    return use && use->getBlock() == states.front().getParentBlock() &&
           use.getUpperBound() == tiles && constant(use.getStep()) == Number(1) &&
           !use.getUnsignedCmp() && constant(use.getLowerBound()).value_or(-1) >= 0;
  }

  BlockArgument argumentOf(Value state) {
    return use.getTiedLoopRegionIterArg(&*state.getUses().begin());
  }
  Value yieldedFor(Value state) { return use.getTiedLoopYieldedValue(argumentOf(state))->get(); }

  bool matchRefill() {
    taken = *constant(use.getLowerBound());
    DenseMap<Value, Value> map;
    for (auto [state, argument] : llvm::zip_equal(states, fill.getRegionIterArgs())) {
      if (state.use_empty())
        return false;
      auto branch = yieldedFor(state).getDefiningOp<scf::IfOp>();
      if (!branch || !branch.elseBlock() || (refill && refill != branch) ||
          branch->getParentOp() != use)
        return false;
      refill = branch;
      map[argument] = argumentOf(state);
    }
    if (!refill || !haveSameOps(*fill.getBody(), *refill.thenBlock(), map))
      return false;
    auto then = refill.thenBlock()->getTerminator()->getOperands(),
         other = refill.elseBlock()->getTerminator()->getOperands();
    for (auto [state, next] : llvm::zip_equal(states, fill.getYieldedValues())) {
      unsigned at = cast<OpResult>(yieldedFor(state)).getResultNumber();
      if (then[at] != map.lookup_or(next, next) || other[at] != argumentOf(state))
        return false;
    }
    return true;
  }

  /// One state counts the loads, and `refill` runs for the threads of `fill` while tiles are left;
  /// one state goes around.
  bool matchCounters() {
    bool counts = false;
    for (auto [state, now, start, next] : llvm::zip_equal(
             states, fill.getRegionIterArgs(), fill.getInitArgs(), fill.getYieldedValues())) {
      if (constant(start) != Number(0))
        continue;
      if (goesAround(now, next, slots))
        index = now;
      auto more = next.getDefiningOp<arith::AddIOp>();
      if (more && more.getLhs() == now && constant(more.getRhs()) == Number(1))
        counts |= runsWhileLeft(argumentOf(state));
    }
    return counts && index;
  }
  bool runsWhileLeft(Value count) {
    std::optional<Equality> mine = guard ? equality(guard) : std::nullopt;
    if (guard && !mine)
      return false;
    for (int64_t loads : {0, 1})
      for (int64_t left : {0, 1}) {
        Number runs = evaluate(refill.getCondition(), [&](Value value) -> Number {
          if (isLeft(value, count, tiles))
            return left;
          return mine && equality(value) == mine ? Number(loads) : std::nullopt;
        });
        if (runs != Number(left && (loads || !mine)))
          return false;
      }
    return true;
  }

  bool matchLoads() {
    bool known = true;
    fill.getBody()->walk([&](Operation *op) {
      known &= mayLoad(op);
      bool waits = isa<NVVM::MBarrierTryWaitParityOp>(op);
      if (!waits && !isa<NVVM::MBarrierArriveExpectTxOp>(op))
        return;
      std::optional<Slot> slot = slotOf(op->getOperand(0));
      Value &array = waits ? empty : full;
      known &= slot && slot->index == index && !array;
      array = slot ? slot->array : Value();
    });
    return known && full && empty && full != empty;
  }

  /// Nobody waits for a tile that has not been loaded by then. After `use` all are.
  bool matchWaits() {
    bool known = true;
    fill->getParentOfType<FunctionOpInterface>()->walk([&](Operation *op) {
      if (Operation *step = use->getBlock()->findAncestorOpInBlock(*op);
          step && use->isBeforeInBlock(step))
        return;
      known &= mayStandBy(op);
      if (!isa<NVVM::MBarrierTryWaitParityOp>(op) || fill->isAncestor(op) || refill->isAncestor(op))
        return;
      std::optional<Slot> slot = slotOf(op->getOperand(0));
      known &= slot && (slot->array == empty ||
                        (slot->array == full && (isTaken(*slot) || waitsForOwn(op, *slot))));
    });
    return known;
  }
  bool isTaken(const Slot &slot) { return slot.number && *slot.number < taken; }
  /// In iteration t for tile t.
  bool waitsForOwn(Operation *op, const Slot &slot) {
    auto now = dyn_cast_if_present<BlockArgument>(slot.index);
    if (!now || now.getOwner() != use.getBody() || now == use.getInductionVar() ||
        op->getParentOfType<scf::ForOp>() != use)
      return false;
    return evaluate(use.getTiedLoopInit(now)->get()) == Number(taken % slots) &&
           goesAround(now, use.getTiedLoopYieldedValue(now)->get(), slots);
  }

  bool match() {
    return matchCount() && matchStates() && matchRefill() && matchCounters() && matchLoads() &&
           matchWaits() && slots - heldBack >= leastAhead && slots - heldBack > taken;
  }
};

struct HoldBackLoadsPass : impl::HoldBackLoadsBase<HoldBackLoadsPass> {
  bool canScheduleOn(RegisteredOperationName name) const override {
    return isModuleOrFunction(name);
  }
  void runOnOperation() override {
    getOperation()->walk([&](scf::ForOp fill) {
      Ring ring(fill);
      if (!ring.match())
        return;
      OpBuilder b(fill);
      Type type = fill.getUpperBound().getType();
      Value ahead = arith::ConstantOp::create(b, fill.getLoc(), type,
                                              b.getIntegerAttr(type, ring.slots - heldBack));
      fill.setUpperBound(arith::MinSIOp::create(b, fill.getLoc(), fill.getUpperBound(), ahead));
      ++rings;
    });
  }
};

} // namespace
} // namespace tessera::lower
