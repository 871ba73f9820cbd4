// CuteReinfer: what a file states after an edited type follows from it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values flow forwards, so a type follows from what stands before it: an op's results from its
// operands, arguments of a region from what enters it, a kernel's parameters from its launch. Where
// both were stated and disagree, the earlier one holds. For each changed value the pass keeps what
// its uses still state, so that a result which was stated weaker than its op infers stays so.
#include "tessera/lower/Passes.h"
#include "tessera/lower/reinfer/Follow.h"

#include "tessera/cuda/Cuda.h"
#include "tessera/cute/Cute.h"
#include "tessera/cute/Stated.h"

#include "mlir/Dialect/LLVMIR/LLVMTypes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SetVector.h"

#include <deque>

using namespace mlir;

namespace tessera::lower {
#define GEN_PASS_DEF_CUTEREINFER
#include "tessera/lower/Passes.h.inc"

namespace {

/// How often a function may be looked at again because callers or callees changed; only recursion
/// that makes types grow comes near.
constexpr unsigned mostVisits = 16;

class Reinference {
public:
  explicit Reinference(ModuleOp module) : module(module) {}

  LogicalResult run() {
    takeCasts();
    SmallVector<FunctionOpInterface> functions;
    module.walk([&](FunctionOpInterface function) {
      functions.push_back(function);
      function.walk([&](Operation *op) {
        if (FunctionOpInterface callee = calleeOf(op))
          callers[callee].insert(function);
      });
    });
    DenseSet<Operation *> seen;
    for (FunctionOpInterface function : functions)
      enqueueAfterCallers(function, seen);
    while (!queue.empty()) {
      FunctionOpInterface function = queue.front();
      queue.pop_front();
      if (++visits[function] > mostVisits)
        return function->emitError() << "the types of this function do not settle: each visit "
                                        "changes what it is called with";
      if (failed(visitFunction(function)))
        return failure();
    }
    return success();
  }

private:
  /// The type that uses of a value state, and the op where the change began.
  struct Change {
    Type before;
    Location origin;
  };

  //===--- the state --------------------------------------------------------------------------===//

  static Location placeOf(Value value) {
    return isa<BlockArgument>(value) ? cast<BlockArgument>(value).getLoc()
                                     : value.getDefiningOp()->getLoc();
  }

  /// Uses take what the casts of the reader convert.
  void takeCasts() {
    SmallVector<UnrealizedConversionCastOp> casts;
    module.walk([&](UnrealizedConversionCastOp op) {
      if (op->hasAttr(cute::statedName) && op->getNumOperands() == 1 && op->getNumResults() == 1)
        casts.push_back(op);
    });
    for (UnrealizedConversionCastOp op : casts) {
      Value defined = op.getOperand(0);
      changed.try_emplace(defined, Change{op.getResult(0).getType(), placeOf(defined)});
      op.getResult(0).replaceAllUsesWith(defined);
      op.erase();
    }
  }

  bool isChanged(Value value) const { return changed.contains(value); }
  bool anyChanged(ValueRange values) const {
    return llvm::any_of(values, [&](Value value) { return isChanged(value); });
  }
  Type before(Value value) const {
    auto found = changed.find(value);
    return found == changed.end() ? value.getType() : found->second.before;
  }
  Location originOf(Operation *op) const {
    for (Value operand : op->getOperands())
      if (auto found = changed.find(operand); found != changed.end())
        return found->second.origin;
    return op->getLoc();
  }

  /// A value gets its type from elsewhere now.
  void change(Value value, Type type, Location origin) {
    if (value.getType() == type)
      return;
    changed.try_emplace(value, Change{value.getType(), origin});
    value.setType(type);
  }

  InFlightDiagnostic cannotFollow(Operation *op, const Twine &why) {
    std::string text = why.str();
    StringRef reason = text;
    reason.consume_front("'" + op->getName().getStringRef().str() + "' op "); // of verifiers
    InFlightDiagnostic report = op->emitError()
                                << "'" << op->getName() << "' cannot follow: " << reason;
    for (auto [i, operand] : llvm::enumerate(op->getOperands()))
      if (auto found = changed.find(operand);
          found != changed.end() && found->second.before != operand.getType())
        report.attachNote(found->second.origin)
            << "operand #" << i << " was stated as " << found->second.before << ", and is "
            << operand.getType() << " since the change here";
    // What stayed is to change too, as a rule; a dump states it far away.
    if (anyChanged(op->getOperands()))
      for (auto [i, operand] : llvm::enumerate(op->getOperands()))
        if (std::optional<Location> where = statedAt(operand))
          report.attachNote(*where) << "operand #" << i << " is " << operand.getType()
                                    << " as before, which follows from here: change it here, if "
                                       "it belongs to the change";
    return report;
  }

  /// Where what an unchanged tensor, layout or the like follows from is stated: by the first op
  /// without operands on the way back to where the value is made.
  std::optional<Location> statedAt(Value value) const {
    llvm::SmallPtrSet<void *, 16> seen;
    SmallVector<Value> left = {value};
    while (!left.empty()) {
      Value at = left.pop_back_val();
      if (isChanged(at) || at.getType().getDialect().getNamespace() != "cute" ||
          !seen.insert(at.getAsOpaquePointer()).second)
        continue;
      if (auto argument = dyn_cast<BlockArgument>(at)) {
        Operation *parent = argument.getOwner()->getParentOp();
        if (auto loop = dyn_cast<scf::WhileOp>(parent);
            loop && argument.getOwner() == loop.getAfterBody())
          left.push_back(loop.getConditionOp().getArgs()[argument.getArgNumber()]);
        else if (auto loop = dyn_cast<LoopLikeOpInterface>(parent))
          if (OpOperand *init = loop.getTiedLoopInit(argument))
            left.push_back(init->get());
        continue;
      }
      Operation *op = at.getDefiningOp();
      const unsigned number = cast<OpResult>(at).getResultNumber();
      if (auto loop = dyn_cast<scf::WhileOp>(op)) // its results are not what it begins with
        left.push_back(loop.getConditionOp().getArgs()[number]);
      else if (auto loop = dyn_cast<LoopLikeOpInterface>(op);
               loop && number < loop.getInits().size())
        left.push_back(loop.getInits()[number]);
      else if (op->getNumOperands() == 0)
        return op->getLoc();
      else // the first operand is what an op is about
        llvm::append_range(left, llvm::reverse(op->getOperands()));
    }
    return std::nullopt;
  }

  //===--- functions --------------------------------------------------------------------------===//

  FunctionOpInterface calleeOf(Operation *op) {
    if (auto launch = dyn_cast<cuda::LaunchExOp>(op))
      return SymbolTable::lookupNearestSymbolFrom<FunctionOpInterface>(op, launch.getCalleeAttr());
    auto call = dyn_cast<CallOpInterface>(op);
    auto symbol = call ? dyn_cast<SymbolRefAttr>(call.getCallableForCallee()) : SymbolRefAttr();
    return symbol ? SymbolTable::lookupNearestSymbolFrom<FunctionOpInterface>(op, symbol)
                  : FunctionOpInterface();
  }
  static OperandRange argumentsOf(Operation *op) {
    if (auto launch = dyn_cast<cuda::LaunchExOp>(op))
      return launch.getArguments();
    return cast<CallOpInterface>(op).getArgOperands();
  }

  void setTypes(FunctionOpInterface function, TypeRange inputs, TypeRange results) {
    // One of the LLVM dialect says by a type that it has no result. It takes LLVM's types only: of
    // others there is no function, and the verifier says so.
    SmallVector<Type> stated(results);
    if (isa<LLVM::LLVMFunctionType>(function.getFunctionType()) && stated.empty())
      stated.push_back(LLVM::LLVMVoidType::get(module.getContext()));
    Type type = function.cloneTypeWith(inputs, stated);
    if (!type || type == function.getFunctionType())
      return;
    function.setFunctionTypeAttr(TypeAttr::get(type));
    for (FunctionOpInterface caller : callers[function])
      enqueue(caller);
  }
  void enqueue(FunctionOpInterface function) {
    if (!llvm::is_contained(queue, function))
      queue.push_back(function);
  }

  /// Both sides of a call may have been edited: a function is looked at with the parameters that
  /// its callers give it, not first with those that it states.
  void enqueueAfterCallers(FunctionOpInterface function, DenseSet<Operation *> &seen) {
    if (!seen.insert(function).second)
      return;
    for (FunctionOpInterface caller : callers.lookup(function))
      enqueueAfterCallers(caller, seen);
    queue.push_back(function);
  }

  LogicalResult visitFunction(FunctionOpInterface function) {
    if (function.isExternal())
      return success();
    fixed.clear();
    // The generic form states parameters twice: one of both was edited.
    SmallVector<Type> inputs(function.getArgumentTypes());
    Block &entry = function.getFunctionBody().front();
    if (inputs.size() == entry.getNumArguments()) {
      for (auto [type, argument] : llvm::zip_equal(inputs, entry.getArguments()))
        if (isChanged(argument))
          type = argument.getType();
        else
          change(argument, type, function.getLoc());
      setTypes(function, inputs, function.getResultTypes());
    }
    return visitRegion(function.getFunctionBody());
  }

  /// A call: parameters follow from arguments, results from the callee's.
  void visitCall(Operation *op, FunctionOpInterface callee) {
    OperandRange arguments = argumentsOf(op);
    SmallVector<Type> inputs(callee.getArgumentTypes());
    if (inputs.size() != arguments.size() || op->getNumResults() < callee.getNumResults())
      return; // the verifier says so
    for (auto [i, argument] : llvm::enumerate(arguments))
      if (isChanged(argument) && inputs[i] != argument.getType()) {
        inputs[i] = argument.getType();
        if (!callee.isExternal())
          change(callee.getArgument(unsigned(i)), inputs[i], changed.find(argument)->second.origin);
        enqueue(callee);
      }
    setTypes(callee, inputs, callee.getResultTypes());
    if (isa<CallOpInterface>(op))
      for (auto [result, type] : llvm::zip(op->getResults(), callee.getResultTypes()))
        change(result, type, callee.getLoc());
  }

  //===--- regions ----------------------------------------------------------------------------===//

  LogicalResult visitRegion(Region &region) {
    for (Block &block : region)
      for (Operation &op : llvm::make_early_inc_range(block))
        if (failed(visit(&op)))
          return failure();
    return success();
  }

  LogicalResult visit(Operation *op) {
    if (isa<FunctionOpInterface>(op))
      return success(); // in the queue
    if (FunctionOpInterface callee = calleeOf(op))
      visitCall(op, callee);
    auto branch = dyn_cast<RegionBranchOpInterface>(op);
    if (branch) {
      SmallVector<RegionSuccessor> entries;
      branch.getSuccessorRegions(RegionBranchPoint::parent(), entries);
      for (const RegionSuccessor &entry : entries)
        if (failed(flow(op, branch.getEntrySuccessorOperands(entry), entry.getSuccessorInputs())))
          return failure();
    }
    for (Region &region : op->getRegions())
      if (failed(visitRegion(region)))
        return failure();
    // A function's type follows its return, which is checked against it.
    if (op->hasTrait<OpTrait::IsTerminator>() && failed(leave(op)))
      return failure();
    return branch ? success() : follow(op); // which may put another op in its place
  }

  /// Block arguments take the types of the values passed to them. A value carried around a loop
  /// gets its type where the loop is entered.
  LogicalResult flow(Operation *from, ValueRange out, ValueRange in) {
    for (auto [source, target] : llvm::zip(out, in)) {
      if (source.getType() == target.getType() || (!isChanged(source) && !isChanged(target)))
        continue;
      if (isChanged(target) && fixed.contains(target))
        return cannotFollow(from, "a value goes on with another type than it came in with: " +
                                      Twine(textOf(target.getType())) + " and then " +
                                      textOf(source.getType()));
      change(target, source.getType(),
             isChanged(source) ? changed.find(source)->second.origin : placeOf(source));
    }
    for (Value target : in)
      fixed.insert(target);
    return success();
  }

  /// The values that a terminator passes to regions, blocks, or its function.
  LogicalResult leave(Operation *op) {
    if (auto branch = dyn_cast<BranchOpInterface>(op))
      for (auto [i, block] : llvm::enumerate(op->getSuccessors())) {
        SuccessorOperands operands = branch.getSuccessorOperands(unsigned(i));
        unsigned produced = operands.getProducedOperandCount();
        if (failed(flow(op, operands.getForwardedOperands(),
                        ValueRange(block->getArguments()).drop_front(produced))))
          return failure();
      }
    Operation *parent = op->getParentOp();
    auto outer = dyn_cast<RegionBranchOpInterface>(parent);
    if (auto terminator = dyn_cast<RegionBranchTerminatorOpInterface>(op); terminator && outer) {
      SmallVector<RegionSuccessor> successors;
      outer.getSuccessorRegions(*op->getParentRegion(), successors);
      for (const RegionSuccessor &successor : successors)
        if (failed(flow(op, terminator.getSuccessorOperands(successor),
                        successor.getSuccessorInputs())))
          return failure();
    } else if (auto function = dyn_cast<FunctionOpInterface>(parent);
               function && op->hasTrait<OpTrait::ReturnLike>() && anyChanged(op->getOperands())) {
      setTypes(function, function.getArgumentTypes(), op->getOperandTypes());
    }
    return success();
  }

  //===--- ops --------------------------------------------------------------------------------===//

  LogicalResult follow(Operation *op) {
    bool moved = anyChanged(op->getOperands());
    if (moved)
      adaptSplats(op);
    if (isa<InferTypeOpInterface>(op))
      return moved ? followInferred(op) : settle(op);
    if (!moved)
      return makesResults(op) ? settleMade(op) : success();
    SmallVector<Type> were;
    for (Value operand : op->getOperands())
      were.push_back(before(operand));
    Stated stated = statedTypes(op, were);
    if (stated.types.size() == op->getNumResults())
      setResults(op, stated.types);
    for (unsigned filled : llvm::reverse(stated.filled))
      op->eraseOperand(filled);
    return check(op);
  }

  void setResults(Operation *op, TypeRange types) {
    Location origin = originOf(op);
    for (auto [result, type] : llvm::zip_equal(op->getResults(), types))
      change(result, type, origin);
  }

  /// An op that infers, after operands changed. What was stated weaker than it was inferred stays,
  /// where it still holds.
  LogicalResult followInferred(Operation *op) {
    Result<SmallVector<Type>> now = inferredTypes(op);
    if (!now)
      return cannotFollow(op, now.reason().text);
    if (now->size() != op->getNumResults())
      return count(op, *now);
    Result<SmallVector<Type>> then = inferredBefore(op);
    SmallVector<Type> types(*now);
    if (then && then->size() == types.size())
      for (auto [i, result] : llvm::enumerate(op->getResults()))
        types[i] = asWeak(types[i], (*then)[i], result.getType());
    setResults(op, types);
    return check(op);
  }

  /// Another number of results than are stated. CuTe DSL takes many tuples apart without looking at
  /// the leaves: an op that nobody uses has as many as follow.
  LogicalResult count(Operation *op, TypeRange now) {
    if (!op->use_empty())
      return cannotFollow(op, "it has " + Twine(op->getNumResults()) +
                                  " results, which are used, and " + Twine(now.size()) + " follow");
    Operation *other = Operation::create(
        op->getLoc(), op->getName(), now, op->getOperands(), op->getDiscardableAttrDictionary(),
        op->getPropertiesStorage(), op->getSuccessors(), /*numRegions=*/0);
    op->getBlock()->getOperations().insert(op->getIterator(), other);
    for (Value result : op->getResults())
      changed.erase(result);
    op->erase();
    return check(other);
  }

  Result<SmallVector<Type>> inferredBefore(Operation *op) {
    SmallVector<std::pair<Value, Type>> now;
    for (Value operand : op->getOperands())
      if (isChanged(operand)) {
        now.emplace_back(operand, operand.getType());
        operand.setType(before(operand));
      }
    // In reverse, for an operand that is there twice.
    llvm::scope_exit restore([&] {
      for (auto [value, type] : llvm::reverse(now))
        value.setType(type);
    });
    return inferredTypes(op);
  }

  /// An op that infers, and whose operands are as they were written: where it states something
  /// else, either this was edited or what it is made of.
  LogicalResult settle(Operation *op) {
    Result<SmallVector<Type>> now = inferredTypes(op);
    if (!now) {
      InFlightDiagnostic report = cannotFollow(op, now.reason().text);
      report.attachNote() << "it states " << op->getResultTypes();
      return report;
    }
    if (now->size() != op->getNumResults())
      return count(op, *now);
    if (areCompatible(op, *now, op->getResultTypes()))
      return success();
    return take(op, *now);
  }

  /// The same of an op whose verifier, not MLIR's interface, says what follows from its operands.
  LogicalResult settleMade(Operation *op) {
    if (!refusal(op))
      return success();
    Stated now = statedTypes(op, op->getOperandTypes());
    if (TypeRange(now.types) == op->getResultTypes())
      return success(); // of other mistakes the verifier speaks
    if (failed(take(op, now.types)))
      return failure();
    return check(op);
  }

  /// The results that follow, in place of those that are stated, unless the uses, too, say that
  /// these were edited.
  LogicalResult take(Operation *op, TypeRange now) {
    for (auto [result, type] : llvm::zip_equal(op->getResults(), now))
      if (result.getType() != type && isChanged(result) && cute::refines(type, before(result)))
        return op->emitError()
               << "'" << op->getName() << "' states " << result.getType() << ", but " << type
               << " follows from its operands, and its uses say so too: change what "
                  "it is made of instead";
    for (auto [result, type] : llvm::zip_equal(op->getResults(), now))
      if (result.getType() != type && taken.insert({result.getType(), type}).second)
        op->emitWarning() << "'" << op->getName() << "' states " << result.getType() << ", but "
                          << type << " follows from its operands, which come first, and is taken";
    setResults(op, now);
    return success();
  }

  /// What the verifier has against an op.
  std::optional<std::string> refusal(Operation *op) {
    std::string why;
    ScopedDiagnosticHandler keep(op->getContext(), [&](Diagnostic &diagnostic) {
      if (why.empty())
        why = diagnostic.str();
    });
    if (succeeded(verify(op, /*verifyRecursively=*/false)))
      return std::nullopt;
    return why;
  }

  LogicalResult check(Operation *op) {
    std::optional<std::string> why = refusal(op);
    return why ? LogicalResult(cannotFollow(op, *why)) : success();
  }

  static std::string textOf(Type type) {
    std::string text;
    llvm::raw_string_ostream(text) << "'" << type << "'";
    return text;
  }

  ModuleOp module;
  DenseMap<Value, Change> changed;
  DenseSet<Value> fixed; // arguments and results that something flowed into
  std::deque<FunctionOpInterface> queue;
  DenseMap<Operation *, unsigned> visits;
  DenseMap<Operation *, SetVector<FunctionOpInterface>> callers;
  DenseSet<std::pair<Type, Type>> taken; // those that were reported
};

class Reinfer : public impl::CuteReinferBase<Reinfer> {
  void runOnOperation() override {
    if (failed(Reinference(getOperation()).run()))
      signalPassFailure();
  }
};

} // namespace
} // namespace tessera::lower
