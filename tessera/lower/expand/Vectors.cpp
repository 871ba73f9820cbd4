// The vector step: vectors of one dimension are lists of scalars, and what works on elements works
// on them one by one.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A vector that has become scalars is `vector.from_elements` of them, through which its users look;
// what no user needs whole is erased at the end.
#include "tessera/lower/Elements.h"
#include "tessera/lower/TargetOf.h"
#include "tessera/lower/expand/Reader.h"
#include "tessera/lower/expand/Runs.h"
#include "tessera/lower/expand/Steps.h"

#include "tessera/cute/Cute.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute;

namespace tessera::lower {

namespace {

bool isFlatVector(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector && vector.getRank() == 1 && !vector.isScalable();
}

//===--- loops and branches carry scalars -----------------------------------------------------===//

bool anyFlat(TypeRange types) { return llvm::any_of(types, isFlatVector); }

SmallVector<Type> scalarTypes(TypeRange types) {
  SmallVector<Type> all;
  for (Type type : types)
    if (isFlatVector(type))
      all.append(size_t(cast<VectorType>(type).getNumElements()),
                 cast<VectorType>(type).getElementType());
    else
      all.push_back(type);
  return all;
}

/// Values, with the elements of vectors in their place.
SmallVector<Value> scalars(OpBuilder &b, Location loc, ValueRange values) {
  SmallVector<Value> all;
  for (Value v : values)
    if (isFlatVector(v.getType()))
      llvm::append_range(all, vector::ToElementsOp::create(b, loc, v).getResults());
    else
      all.push_back(v);
  return all;
}

/// The arguments of a block from `first` on as scalars.
void carryArguments(Block &block, unsigned first) {
  OpBuilder b(&block, block.begin());
  for (unsigned i = first; i < block.getNumArguments(); ++i) {
    BlockArgument old = block.getArgument(i);
    auto type = dyn_cast<VectorType>(old.getType());
    if (!type || !isFlatVector(type))
      continue;
    SmallVector<Value> elements;
    unsigned count = unsigned(type.getNumElements());
    for (unsigned k = 0; k < count; ++k)
      elements.push_back(block.insertArgument(i + 1 + k, type.getElementType(), old.getLoc()));
    old.replaceAllUsesWith(vector::FromElementsOp::create(b, old.getLoc(), type, elements));
    block.eraseArgument(i);
    i += count - 1;
  }
}
void carryOperands(MutableOperandRange operands) {
  OpBuilder b(operands.getOwner());
  SmallVector<Value> values = llvm::map_to_vector(operands, [](OpOperand &o) { return o.get(); });
  if (anyFlat(ValueRange(values).getTypes()))
    operands.assign(scalars(b, operands.getOwner()->getLoc(), values));
}

/// `built` takes the place of `op`, whose results it has as scalars.
void replaceByScalars(OpBuilder &b, Operation *op, Operation *built) {
  built->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  b.setInsertionPointAfter(built);
  ValueRange results = built->getResults();
  for (OpResult old : op->getResults()) {
    Value whole = results.front();
    size_t count = 1;
    if (isFlatVector(old.getType())) {
      auto type = cast<VectorType>(old.getType());
      count = size_t(type.getNumElements());
      whole = vector::FromElementsOp::create(b, op->getLoc(), type, results.take_front(count));
    }
    old.replaceAllUsesWith(whole);
    results = results.drop_front(count);
  }
  op->erase();
}

void carryScalars(scf::ForOp loop) {
  if (!anyFlat(loop.getResultTypes()))
    return;
  OpBuilder b(loop);
  auto built = scf::ForOp::create(b, loop.getLoc(), loop.getLowerBound(), loop.getUpperBound(),
                                  loop.getStep(), scalars(b, loop.getLoc(), loop.getInitArgs()),
                                  /*bodyBuilder=*/nullptr, loop.getUnsignedCmp());
  built.getRegion().takeBody(loop.getRegion());
  carryArguments(*built.getBody(), 1);
  carryOperands(MutableOperandRange(built.getBody()->getTerminator()));
  replaceByScalars(b, loop, built);
}

void carryScalars(scf::IfOp branch) {
  if (!anyFlat(branch.getResultTypes()))
    return;
  OpBuilder b(branch);
  auto built = scf::IfOp::create(b, branch.getLoc(), scalarTypes(branch.getResultTypes()),
                                 branch.getCondition(), /*addThenBlock=*/true,
                                 /*addElseBlock=*/true);
  for (auto [to, from] : llvm::zip(built->getRegions(), branch->getRegions())) {
    to.takeBody(from);
    carryOperands(MutableOperandRange(to.front().getTerminator()));
  }
  replaceByScalars(b, branch, built);
}

void carryScalars(scf::IndexSwitchOp op) {
  if (!anyFlat(op.getResultTypes()))
    return;
  OpBuilder b(op);
  auto built =
      scf::IndexSwitchOp::create(b, op.getLoc(), scalarTypes(op.getResultTypes()), op.getArg(),
                                 op.getCases(), unsigned(op.getCases().size()));
  for (auto [to, from] : llvm::zip(built->getRegions(), op->getRegions())) {
    to.takeBody(from);
    carryOperands(MutableOperandRange(to.front().getTerminator()));
  }
  replaceByScalars(b, op, built);
}

void carryScalars(scf::WhileOp loop) {
  if (!anyFlat(loop.getOperandTypes()) && !anyFlat(loop.getResultTypes()))
    return;
  OpBuilder b(loop);
  auto built = scf::WhileOp::create(b, loop.getLoc(), scalarTypes(loop.getResultTypes()),
                                    scalars(b, loop.getLoc(), loop.getInits()), nullptr, nullptr);
  built.getBefore().takeBody(loop.getBefore());
  built.getAfter().takeBody(loop.getAfter());
  carryArguments(*built.getBeforeBody(), 0);
  carryArguments(*built.getAfterBody(), 0);
  carryOperands(built.getConditionOp().getArgsMutable());
  carryOperands(MutableOperandRange(built.getAfterBody()->getTerminator()));
  replaceByScalars(b, loop, built);
}

void carryScalars(FunctionOpInterface function) {
  SmallVector<Operation *> ops;
  function->walk([&](Operation *op) {
    if (isa<scf::ForOp, scf::IfOp, scf::IndexSwitchOp, scf::WhileOp, BranchOpInterface>(op))
      ops.push_back(op);
  });
  for (Operation *op : ops) {
    if (auto loop = dyn_cast<scf::ForOp>(op))
      carryScalars(loop);
    else if (auto branch = dyn_cast<scf::IfOp>(op))
      carryScalars(branch);
    else if (auto choice = dyn_cast<scf::IndexSwitchOp>(op))
      carryScalars(choice);
    else if (auto loop = dyn_cast<scf::WhileOp>(op))
      carryScalars(loop);
    else if (auto jump = dyn_cast<BranchOpInterface>(op))
      for (unsigned i = 0; i < jump->getNumSuccessors(); ++i)
        carryOperands(jump.getSuccessorOperands(i).getMutableForwardedOperands());
  }
  auto carry = [](Region &region) {
    for (Block &block : llvm::drop_begin(region))
      carryArguments(block, 0);
  };
  carry(function.getFunctionBody());
  function->walk([&](scf::ExecuteRegionOp op) { carry(op.getRegion()); });
}

//===--- ops ----------------------------------------------------------------------------------===//

/// Formats below 16 bits convert in packs; the ops that do so are lowered as they are.
bool isNarrowFloat(Type type) {
  Type element = getElementTypeOrSelf(type);
  return isa<FloatType>(element) && element.getIntOrFloatBitWidth() < 16;
}
bool isElementwise(Operation *op) {
  auto narrow = [](TypeRange types) { return llvm::any_of(types, isNarrowFloat); };
  return op->hasTrait<OpTrait::Elementwise>() && op->getNumResults() == 1 &&
         isFlatVector(op->getResult(0).getType()) && !narrow(op->getOperandTypes()) &&
         !narrow(op->getResultTypes());
}

/// `op` is the vector of these elements.
LogicalResult become(Reader &e, Operation *op, ValueRange elements) {
  Value old = op->getResult(0);
  old.replaceAllUsesWith(
      vector::FromElementsOp::create(e.b, e.loc(), cast<VectorType>(old.getType()), elements));
  return success();
}

Value scalarOp(Reader &e, Operation *op, ValueRange operands, Type type) {
  Operation *scalar = Operation::create(e.loc(), op->getName(), type, operands,
                                        NamedAttrList(op->getDiscardableAttrDictionary()),
                                        op->getPropertiesStorage(), BlockRange(), 0u);
  return e.b.insert(scalar)->getResult(0);
}

/// Whether the target adds and multiplies two such floats in one instruction: those of 16 bits, of
/// bf16 from sm_90 on, and f32 from sm_100 on.
bool hasPackedFloats(Operation *op, Type element) {
  std::optional<atom::Target> target = targetOf(op);
  int first = element.isF16() ? 7 : element.isBF16() ? 9 : element.isF32() ? 10 : 0;
  return target && first && target->family() >= first;
}
/// Whether an op is such an instruction: a program that computes with pairs means them.
bool isPacked(Operation *op) {
  auto type = dyn_cast<VectorType>(op->getResult(0).getType());
  return isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, math::FmaOp>(op) && type &&
         type.getNumElements() == 2 && hasPackedFloats(op, type.getElementType());
}

LogicalResult elementwise(Reader &e, Operation *op) {
  if (auto fma = dyn_cast<vector::FMAOp>(op)) { // which takes no scalars
    auto same = math::FmaOp::create(e.b, e.loc(), fma.getLhs(), fma.getRhs(), fma.getAcc());
    op->getResult(0).replaceAllUsesWith(same);
    LogicalResult done = elementwise(e, same);
    same.erase();
    return done;
  }
  if (isPacked(op)) {
    SmallVector<Value> pairs = llvm::map_to_vector(
        op->getOperands(), [&](Value operand) { return e.pack(e.elements(operand)); });
    return become(e, op, e.elements(scalarOp(e, op, pairs, op->getResult(0).getType())));
  }
  auto type = cast<VectorType>(op->getResult(0).getType());
  int64_t count = type.getNumElements();
  SmallVector<SmallVector<Value>> operands;
  for (Value operand : op->getOperands()) {
    bool scalar = !isa<VectorType>(operand.getType());
    operands.push_back(scalar ? SmallVector<Value>(size_t(count), operand) : e.elements(operand));
  }
  Type element = type.getElementType();
  // Two floats convert to 16 bits in one instruction.
  bool inPairs =
      isa<arith::TruncFOp>(op) && element.getIntOrFloatBitWidth() == 16 && count % 2 == 0;
  SmallVector<Value> results;
  for (int64_t i = 0; i < count; i += inPairs ? 2 : 1) {
    if (inPairs) {
      Value pair = e.pack({operands[0][size_t(i)], operands[0][size_t(i) + 1]});
      Value narrow = scalarOp(e, op, pair, VectorType::get({2}, element));
      llvm::append_range(results, e.elements(narrow));
      continue;
    }
    SmallVector<Value> ofThis;
    for (const SmallVector<Value> &operand : operands)
      ofThis.push_back(operand[size_t(i)]);
    results.push_back(scalarOp(e, op, ofThis, element));
  }
  return become(e, op, results);
}

LogicalResult constant(Reader &e, arith::ConstantOp op) {
  auto dense = cast<DenseElementsAttr>(op.getValue());
  Type element = dense.getElementType();
  auto make = [&](Attribute value) -> Value {
    return arith::ConstantOp::create(e.b, e.loc(), element, cast<TypedAttr>(value));
  };
  SmallVector<Value> elements;
  if (dense.isSplat())
    elements.assign(size_t(dense.getNumElements()), make(dense.getSplatValue<Attribute>()));
  else
    for (Attribute value : dense.getValues<Attribute>())
      elements.push_back(make(value));
  return become(e, op, elements);
}

LogicalResult broadcast(Reader &e, vector::BroadcastOp op) {
  size_t count = size_t(op.getResultVectorType().getNumElements());
  return become(e, op, SmallVector<Value>(count, op.getSource()));
}

LogicalResult extract(Reader &e, vector::ExtractOp op) {
  op.replaceAllUsesWith(e.elements(op.getSource())[size_t(op.getStaticPosition()[0])]);
  return success();
}

LogicalResult takeApart(Reader &e, vector::ToElementsOp op) {
  if (auto whole = op.getSource().getDefiningOp<vector::FromElementsOp>())
    op.replaceAllUsesWith(whole.getElements());
  return success();
}

LogicalResult reduction(Reader &e, vector::ReductionOp op) {
  SmallVector<Value> rest = e.elements(op.getVector());
  auto combine = [&](Value a, Value c) {
    return vector::makeArithReduction(e.b, e.loc(), op.getKind(), a, c, op.getFastmathAttr());
  };
  using Kind = vector::CombiningKind;
  bool ordered =
      isa<FloatType>(op.getType()) && (op.getKind() == Kind::ADD || op.getKind() == Kind::MUL);
  Value result = op.getAcc();
  if (ordered) { // one after the other, as the op is defined
    for (Value element : rest)
      result = result ? combine(result, element) : element;
  } else {
    while (rest.size() > 1) {
      SmallVector<Value> half;
      for (size_t i = 0; i + 1 < rest.size(); i += 2)
        half.push_back(combine(rest[i], rest[i + 1]));
      if (rest.size() % 2)
        half.push_back(rest.back());
      rest = std::move(half);
    }
    result = result ? combine(result, rest[0]) : rest[0];
  }
  op.replaceAllUsesWith(result);
  return success();
}

LogicalResult loadVector(Reader &e, MemRefLoadVecOp op) {
  Result<SmallVector<Value>> elements = loadElements(e, e.view(op.getView()));
  if (!elements)
    return op.emitOpError() << elements.reason().text;
  return isFlatVector(op.getType()) ? become(e, op, *elements)
                                    : (op.replaceAllUsesWith(elements->front()), success());
}
LogicalResult storeVector(Reader &e, MemRefStoreVecOp op) {
  Result<Done> stored = storeElements(e, e.view(op.getView()), e.elements(op.getValue()));
  return stored ? success() : op.emitOpError() << stored.reason().text;
}

/// Whether a rule of this file is for `op`.
bool isExpanded(Operation *op) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return isa<DenseElementsAttr>(constant.getValue()) && isFlatVector(constant.getType());
  if (auto broadcast = dyn_cast<vector::BroadcastOp>(op))
    return !isa<VectorType>(broadcast.getSourceType()) && isFlatVector(broadcast.getType());
  if (auto extract = dyn_cast<vector::ExtractOp>(op))
    return isFlatVector(extract.getSource().getType()) && extract.getStaticPosition().size() == 1 &&
           !extract.hasDynamicPosition();
  return isa<MemRefLoadVecOp, MemRefStoreVecOp, vector::ReductionOp, vector::ToElementsOp>(op) ||
         isElementwise(op);
}

LogicalResult expand(Reader &e, Operation *op) {
  if (auto constantOp = dyn_cast<arith::ConstantOp>(op))
    return constant(e, constantOp);
  if (auto broadcastOp = dyn_cast<vector::BroadcastOp>(op))
    return broadcast(e, broadcastOp);
  if (auto extractOp = dyn_cast<vector::ExtractOp>(op))
    return extract(e, extractOp);
  if (auto apart = dyn_cast<vector::ToElementsOp>(op))
    return takeApart(e, apart);
  if (auto reductionOp = dyn_cast<vector::ReductionOp>(op))
    return reduction(e, reductionOp);
  if (auto load = dyn_cast<MemRefLoadVecOp>(op))
    return loadVector(e, load);
  if (auto store = dyn_cast<MemRefStoreVecOp>(op))
    return storeVector(e, store);
  return elementwise(e, op);
}
} // namespace

//===--- the limit ----------------------------------------------------------------------------===//

/// The elements of a vector become values of their own, and registers become such values later: a
/// program with more than this many is a mistake, and would not compile in reasonable time.
static constexpr int64_t maxElements = 65536;

/// The elements of a vector that becomes scalars, or of the registers that `op` makes; 0 for any
/// other type. Memory of other spaces counts nothing.
static int64_t elementsOfType(Operation *op, Type type) {
  if (auto vector = dyn_cast<VectorType>(type); vector && vector.getRank() == 1)
    return vector.getNumElements();
  auto tensor = dyn_cast<CuteMemRefType>(type);
  if (!tensor || tensor.getAddressSpace() != AddressSpace::Rmem ||
      !isa<MemRefAllocaOp, MmaMakeFragmentOp>(op) || !tensor.getLayout().isStatic())
    return 0;
  layout::Const arith;
  layout::Int count = layout::product(arith, tensor.getLayout().shape());
  return arith.overflowed() ? std::numeric_limits<int64_t>::max() : count.value;
}

LogicalResult checkElements(Operation *op) {
  for (TypeRange types : {TypeRange(op->getOperandTypes()), TypeRange(op->getResultTypes())})
    for (Type type : types)
      if (int64_t count = elementsOfType(op, type); count > maxElements)
        return op->emitOpError() << "expects a vector or tensor in registers of at most "
                                 << maxElements << " elements, but got " << count;
  return success();
}

Changed expandVectors(FunctionOpInterface function, bool checks, OpCounts &counts) {
  Changed rewritten = lowerVectorOps(function);
  if (failed(rewritten))
    return failure();
  WalkResult found = function->walk([&](Operation *op) {
    return isExpanded(op) ? WalkResult::interrupt() : WalkResult::advance();
  });
  if (!found.wasInterrupted())
    return *rewritten;
  WalkResult small = function->walk([&](Operation *op) {
    return failed(checkElements(op)) || failed(checkAccess(op)) ? WalkResult::interrupt()
                                                                : WalkResult::advance();
  });
  if (small.wasInterrupted())
    return failure();
  carryScalars(function);
  Reader e(function);
  e.emit.checks = checks;
  LogicalResult done = e.walk([&](Operation *op) -> LogicalResult {
    if (!isExpanded(op))
      return success();
    if (failed(expand(e, op)))
      return failure();
    ++counts[op->getName().getStringRef()];
    if (op->use_empty())
      op->erase();
    return success();
  });
  if (failed(done))
    return failure();
  eraseDeadOps(function.getFunctionBody());
  return true;
}

} // namespace tessera::lower
