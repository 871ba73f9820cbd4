// The unrolling step: loops of known counts become their iterations, branches with known conditions
// the side that is taken.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The step takes any function, before the algebra step as well as after it; it clones and moves ops
// and looks at none but loops, branches and what their bounds are computed of. `unrollCount`
// decides, by what a loop becomes: about as many instructions as its body has calls of atoms,
// loads, stores and arithmetic on elements, inner loops unrolled. How the source spells layouts,
// and how often, does not count: the spellings of one kernel have to give one code.
#include "tessera/lower/expand/Invariants.h"
#include "tessera/lower/expand/Steps.h"

#include "tessera/cute/Cute.h"
#include "tessera/lower/LoopAnnotation.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute;

namespace tessera::lower {

namespace {

/// The known values of integers, by constants, arithmetic and algebra on them. Code that an
/// evaluation builds goes to a separate block.
class Numbers final : public Expander {
public:
  explicit Numbers(MLIRContext *context) : Numbers(context, std::make_unique<Block>()) {}

  Datum datum(Value v) override {
    if (auto it = data.find(v); it != data.end())
      return it->second;
    ++depth;
    std::optional<Datum> found = depth <= deepest ? evaluate(v) : std::nullopt;
    --depth;
    return data.insert({v, found ? std::move(*found) : emit.read(v)}).first->second;
  }
  Value value(Value v) override { return v; }

private:
  /// Sums of thousands of iterations are not followed to their ends.
  static constexpr int deepest = 1000;

  Numbers(MLIRContext *context, std::unique_ptr<Block> block)
      : Expander(context, block.get()), scratch(std::move(block)) {
    b.setInsertionPointToEnd(scratch.get());
  }

  std::optional<Datum> evaluate(Value v) {
    if (auto argument = dyn_cast<BlockArgument>(v)) {
      auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
      if (!loop || argument == loop.getInductionVar() ||
          !invariants.isInvariant(loop, argument.getArgNumber() - 1))
        return std::nullopt;
      return datum(loop.getInitArgs()[argument.getArgNumber() - 1]);
    }
    Operation *op = v.getDefiningOp();
    if (isa<scf::ForOp, scf::IfOp>(op)) {
      Value source = invariants.source(v);
      return source == v ? std::nullopt : std::optional(datum(source));
    }
    if (auto algebra = dyn_cast<AlgebraOpInterface>(op))
      return byAlgebra(algebra, v);
    return byFolding(op);
  }

  std::optional<Datum> byAlgebra(AlgebraOpInterface op, Value v) {
    Data in;
    for (Value operand : op->getOperands())
      in.push_back(datum(operand));
    Result<Data> out = asStated(op, std::move(in));
    if (!out) // reported where the algebra is expanded
      return std::nullopt;
    return (*out)[cast<OpResult>(v).getResultNumber()];
  }

  std::optional<Datum> byFolding(Operation *op) {
    if (op->hasTrait<OpTrait::ConstantLike>() || op->getNumResults() != 1 || !isPure(op) ||
        op->getNumRegions() != 0 || !op->getResult(0).getType().isSignlessInteger())
      return std::nullopt;
    SmallVector<Attribute> operands;
    for (Value operand : op->getOperands()) {
      Attribute known;
      if (!matchPattern(operand, m_Constant(&known)) && operand.getType().isSignlessInteger())
        if (std::optional<int64_t> x = number(operand))
          known = b.getIntegerAttr(operand.getType(), *x);
      operands.push_back(known);
    }
    if (llvm::none_of(operands, [](Attribute known) { return bool(known); }))
      return std::nullopt;
    Operation *copy = b.clone(*op); // folding may reorder operands
    SmallVector<OpFoldResult> folded;
    if (failed(copy->fold(operands, folded)) || folded.size() != 1)
      return std::nullopt;
    if (auto same = dyn_cast<Value>(folded[0]))
      return same.getDefiningOp() == copy ? std::nullopt : std::optional(datum(same));
    auto constant = dyn_cast<IntegerAttr>(cast<Attribute>(folded[0]));
    if (!constant)
      return std::nullopt;
    unsigned bits = constant.getType().getIntOrFloatBitWidth();
    APInt x = constant.getValue();
    return Datum(emit.known(bits == 1 ? int64_t(x.getZExtValue()) : x.getSExtValue(),
                            layout::widthOfBits(bits)));
  }

  std::unique_ptr<Block> scratch;
  Invariants invariants;
  llvm::DenseMap<Value, Datum> data;
  int depth = 0;
};

//===--- the decision -------------------------------------------------------------------------===//

/// Loops of a known count and no annotation unroll up to this many instructions. Register arrays
/// that a loop indexes end up in local memory unless it unrolls, so such loops may become longer.
constexpr int64_t unrollBudget = 1024, registerArrayBudget = 4096;

bool mustStay(scf::ForOp loop) {
  auto annotation = loop->getAttrOfType<LLVM::LoopAnnotationAttr>(loopAnnotationName);
  return annotation && annotation.getUnroll() && !wantsFullUnroll(loop);
}

/// How many iterations a loop has, if that is known.
std::optional<int64_t> tripsOf(Numbers &numbers, scf::ForOp loop) {
  if (loop.getInductionVar().getType().isIndex())
    return std::nullopt;
  std::optional<int64_t> lower = numbers.number(loop.getLowerBound()),
                         upper = numbers.number(loop.getUpperBound()),
                         step = numbers.number(loop.getStep());
  if (!lower || !upper || !step || *step <= 0)
    return std::nullopt;
  if (loop.getUnsignedCmp() && (*lower < 0 || *upper < 0)) // larger than they look
    return std::nullopt;
  return *upper > *lower ? (*upper - *lower + *step - 1) / *step : 0;
}

/// About how many instructions a region becomes. Algebra costs nothing: most of it is known, and
/// how often a getter is written says nothing of the code. Inner loops count with all their
/// iterations where they unroll, vectors with all their elements.
int64_t instructionsOf(Numbers &numbers, Region &region);
int64_t instructionsOf(Numbers &numbers, Operation &op) {
  if (op.hasTrait<OpTrait::ConstantLike>() || op.hasTrait<OpTrait::IsTerminator>() ||
      isa<AlgebraOpInterface>(op))
    return 0;
  int64_t inside = 0;
  for (Region &region : op.getRegions())
    inside += instructionsOf(numbers, region);
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    std::optional<int64_t> trips = mustStay(loop) ? std::nullopt : tripsOf(numbers, loop);
    return trips ? llvm::SaturatingMultiply<uint64_t>(uint64_t(*trips), uint64_t(inside)) : inside;
  }
  int64_t elements = 1;
  for (Type type : op.getResultTypes())
    if (auto vector = dyn_cast<VectorType>(type); vector && !vector.isScalable())
      elements = std::max(elements, vector.getNumElements());
  return inside + elements;
}
int64_t instructionsOf(Numbers &numbers, Region &region) {
  int64_t all = 0;
  for (Operation &op : region.getOps())
    all += instructionsOf(numbers, op);
  return all;
}

/// Whether an index of memory in registers depends on the iteration: a coordinate, an offset or a
/// layout made of the loop's counter or of numbers that it carries.
bool indexesRegisters(scf::ForOp loop) {
  auto isIndex = [](Type type) {
    return type.isIntOrIndex() ||
           isa<IntTupleType, CoordType, ShapeType, StrideType, LayoutType>(type);
  };
  auto isInRegisters = [](Type type) {
    if (auto memref = dyn_cast<CuteMemRefType>(type))
      return memref.getAddressSpace() == AddressSpace::Rmem;
    auto pointer = dyn_cast<PtrType>(type);
    return pointer && pointer.getAddressSpace() == AddressSpace::Rmem;
  };
  llvm::DenseSet<Value> varying;
  for (BlockArgument argument : loop.getBody()->getArguments())
    if (isIndex(argument.getType()))
      varying.insert(argument);
  // Results that an op computes from varying indices vary; so may those of inner loops and
  // branches.
  return loop
      .walk<WalkOrder::PreOrder>([&](Operation *op) {
        if (op == loop)
          return WalkResult::advance();
        bool varies = llvm::any_of(op->getOperands(), [&](Value v) { return varying.contains(v); });
        if (varies && llvm::any_of(op->getOperandTypes(), isInRegisters))
          return WalkResult::interrupt();
        if (!varies && op->getNumRegions() == 0)
          return WalkResult::advance();
        for (Value result : op->getResults())
          if (isIndex(result.getType()))
            varying.insert(result);
        for (Region &region : op->getRegions())
          for (BlockArgument argument : region.getArguments())
            if (isIndex(argument.getType()))
              varying.insert(argument);
        return WalkResult::advance();
      })
      .wasInterrupted();
}

/// The iterations of a loop that becomes them.
struct Iterations {
  int64_t first, step, count;
};
std::optional<Iterations> unrollCount(Numbers &numbers, scf::ForOp loop) {
  std::optional<int64_t> trips = tripsOf(numbers, loop);
  if (!trips)
    return std::nullopt;
  if (*trips > 1 && !wantsFullUnroll(loop)) {
    // Numbers of its own: what is unknown in the body is known in an iteration.
    Numbers before(loop.getContext());
    int64_t each = instructionsOf(before, loop.getRegion());
    if (mustStay(loop) || *trips > (indexesRegisters(loop) ? registerArrayBudget : unrollBudget) /
                                       std::max<int64_t>(each, 1))
      return std::nullopt;
  }
  return Iterations{*numbers.number(loop.getLowerBound()), *numbers.number(loop.getStep()), *trips};
}

//===--- the rewrite --------------------------------------------------------------------------===//

class Unroller {
public:
  Unroller(FunctionOpInterface function, OpCounts &counts)
      : numbers(std::make_unique<Numbers>(function->getContext())), counts(counts),
        entry(&function.getFunctionBody().front()) {}

  void run(Region &region) {
    for (Block &block : region)
      run(block);
  }

  /// Erases what became something else; until then values of it are keys.
  void finish() {
    numbers.reset();
    for (Operation *op : gone)
      op->dropAllReferences();
    for (Operation *op : gone)
      op->destroy();
  }

private:
  /// Outer loops first: what is unrolled is looked at again, iteration by iteration.
  void run(Block &block) {
    for (auto it = block.begin(); it != block.end();) {
      if (auto loop = dyn_cast<scf::ForOp>(*it)) {
        if (std::optional<Iterations> iterations = unrollCount(*numbers, loop)) {
          it = unroll(loop, *iterations);
          continue;
        }
      } else if (auto branch = dyn_cast<scf::IfOp>(*it)) {
        if (std::optional<int64_t> condition = numbers->number(branch.getCondition())) {
          it = take(branch, *condition ? branch.getThenRegion() : branch.getElseRegion());
          continue;
        }
      }
      for (Region &region : it->getRegions())
        run(region);
      ++it;
    }
  }

  Block::iterator unroll(scf::ForOp loop, const Iterations &iterations) {
    OpBuilder b(loop);
    Block *body = loop.getBody();
    Operation *before = loop->getPrevNode();
    SmallVector<Value> carried(loop.getInitArgs());
    Type type = loop.getInductionVar().getType();
    for (int64_t i = 0; i + 1 < iterations.count; ++i) {
      IRMapping map;
      map.map(loop.getInductionVar(), constant(iterations.first + i * iterations.step, type));
      map.map(loop.getRegionIterArgs(), carried);
      for (Operation &op : body->without_terminator())
        b.clone(op, map);
      for (auto [value, yielded] : llvm::zip(carried, loop.getYieldedValues()))
        value = map.lookupOrDefault(yielded);
    }
    if (iterations.count > 0) { // the last iteration is the body itself
      int64_t last = iterations.first + (iterations.count - 1) * iterations.step;
      loop.getInductionVar().replaceAllUsesWith(constant(last, type));
      for (auto [argument, value] : llvm::zip(loop.getRegionIterArgs(), carried))
        argument.replaceAllUsesWith(value);
      carried.assign(loop.getYieldedValues().begin(), loop.getYieldedValues().end());
      loop->getBlock()->getOperations().splice(loop->getIterator(), body->getOperations(),
                                               body->begin(), std::prev(body->end()));
    }
    return drop(loop, carried, before);
  }

  Block::iterator take(scf::IfOp branch, Region &taken) {
    Operation *before = branch->getPrevNode();
    SmallVector<Value> results;
    if (!taken.empty()) {
      Block &body = taken.front();
      llvm::append_range(results, body.getTerminator()->getOperands());
      branch->getBlock()->getOperations().splice(branch->getIterator(), body.getOperations(),
                                                 body.begin(), std::prev(body.end()));
    }
    return drop(branch, results, before);
  }

  /// Takes an op out for `results`; the first op that came in its place.
  Block::iterator drop(Operation *op, ValueRange results, Operation *before) {
    ++counts[op->getName().getStringRef()];
    Block *block = op->getBlock();
    op->replaceAllUsesWith(results);
    op->remove();
    gone.push_back(op);
    return before ? std::next(before->getIterator()) : block->begin();
  }

  /// A constant of the function.
  Value constant(int64_t number, Type type) {
    Value &value = constants[{number, type}];
    if (!value) {
      OpBuilder b(entry, entry->begin());
      value = arith::ConstantOp::create(b, b.getUnknownLoc(), b.getIntegerAttr(type, number));
    }
    return value;
  }

  std::unique_ptr<Numbers> numbers;
  OpCounts &counts;
  Block *entry;
  llvm::DenseMap<std::pair<int64_t, Type>, Value> constants;
  SmallVector<Operation *> gone;
};
} // namespace

Changed unrollLoops(FunctionOpInterface function, bool, OpCounts &counts) {
  Changed nested = nestLoops(function), vectors = lowerVectorOps(function);
  if (failed(nested) || failed(vectors))
    return failure();
  size_t before = total(counts);
  Unroller unroller(function, counts);
  unroller.run(function.getFunctionBody());
  unroller.finish();
  return *nested || *vectors || total(counts) != before;
}

} // namespace tessera::lower
