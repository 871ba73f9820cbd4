// The algebra step: a walk that evaluates algebra on leaves, applies rules, and clones the rest.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/lower/expand/Rebuilder.h"

#include "tessera/cute/Cute.h"
#include "tessera/cute_nvgpu/CuteNvgpu.h"
#include "tessera/lower/Elements.h"
#include "tessera/lower/expand/Reader.h"
#include "tessera/lower/expand/Steps.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute;
using namespace tessera::lower;

Rebuilder::Rebuilder(FunctionOpInterface function, Block *entry)
    : Expander(function->getContext(), entry) {
  for (ArrayRef<NamedRule> table : {regionRules(), memoryRules()})
    for (const NamedRule &rule : table)
      rules[OperationName(rule.op, function->getContext())] = rule.rule;
}

bool tessera::lower::hasLeaves(Type type) {
  return isa<MaybeStaticType, ViewType, ArithTupleIterType, DescIterType, ConstrainedI32Type,
             ConstrainedI64Type>(type);
}

//===--- what stands for old values -----------------------------------------------------------===//

void Rebuilder::bind(Value old, Datum datum) { data.insert_or_assign(old, std::move(datum)); }
void Rebuilder::bind(Value old, Value value) { values.map(old, value); }
void Rebuilder::alias(Value old, Value other) {
  if (auto it = data.find(other); it != data.end())
    data.insert_or_assign(old, Datum(it->second));
  if (Value known = values.lookupOrNull(other))
    values.map(old, known);
}

Datum Rebuilder::datum(Value old) {
  if (auto it = data.find(old); it != data.end())
    return it->second;
  Datum datum = emit.read(value(old));
  data.insert_or_assign(old, datum);
  return datum;
}

Value Rebuilder::value(Value old) {
  if (Value known = values.lookupOrNull(old))
    return known;
  auto found = data.find(old);
  assert(found != data.end() && "a value is used before the walk has seen its definition");
  // Not remembered: it may not dominate the next use.
  return emit.build(found->second, old.getType());
}

//===--- across regions -----------------------------------------------------------------------===//

SmallVector<Type> Rebuilder::partTypes(Type type) {
  if (!hasLeaves(type))
    return {type};
  if (SmallVector<Type> fields = fieldTypesOf(type); !fields.empty())
    return fields;
  SmallVector<Type> types;
  Datum datum = datumOf(type);
  const View *view = datum.as<View>();
  if (view && !view->iterator.isArithTuple())
    types.push_back(view->iterator.type);
  datum.forEachDynamicLeaf(
      [&](layout::Int &x) { types.push_back(b.getIntegerType(layout::bitsOf(x.width))); });
  return types;
}

SmallVector<Value> Rebuilder::parts(Value old, Type type) {
  if (!hasLeaves(type))
    return {value(old)};
  if (!fieldTypesOf(type).empty()) {
    Opaque whole = atom(old);
    SmallVector<Value> fields;
    for (auto [i, fieldType] : llvm::enumerate(fieldTypesOf(type)))
      fields.push_back(emit.field(whole, i));
    return fields;
  }
  Datum d = conformed(datum(old), type);
  SmallVector<Value> parts;
  const View *view = d.as<View>();
  if (view && !view->iterator.isArithTuple())
    parts.push_back(emit.value(view->iterator));
  d.forEachDynamicLeaf([&](layout::Int &x) {
    parts.push_back(emit.value(x, b.getIntegerType(layout::bitsOf(x.width))));
  });
  return parts;
}

ValueRange Rebuilder::take(Value old, ValueRange given) {
  size_t count = partTypes(old.getType()).size();
  ValueRange parts = given.take_front(count);
  if (!hasLeaves(old.getType())) {
    bind(old, parts.front());
  } else if (!fieldTypesOf(old.getType()).empty()) {
    Opaque whole{old.getType()};
    for (Value part : parts)
      whole.fields.push_back(emit.handle(part));
    bind(old, Datum(whole));
  } else {
    Datum d = datumOf(old.getType());
    View *view = d.as<View>();
    if (view && !view->iterator.isArithTuple()) {
      view->iterator.handle = emit.handle(parts.front());
      parts = parts.drop_front();
    }
    size_t next = 0;
    d.forEachDynamicLeaf([&](layout::Int &x) {
      layout::Int leaf = emit.leaf(parts[next++]);
      x.id = leaf.id;
    });
    bind(old, std::move(d));
  }
  return given.drop_front(count);
}

//===--- blocks -------------------------------------------------------------------------------===//

LogicalResult Rebuilder::rebuild(FunctionOpInterface function, bool checks) {
  Region &region = function.getFunctionBody();
  Block &old = region.front();
  SmallVector<Block *> all = llvm::to_vector(llvm::make_pointer_range(region.getBlocks()));
  auto *entry = new Block;
  region.push_back(entry);
  for (BlockArgument argument : old.getArguments())
    entry->addArgument(argument.getType(), argument.getLoc());
  Rebuilder rebuilder(function, entry);
  rebuilder.emit.checks = checks;
  rebuilder.b.setInsertionPointToEnd(entry);
  for (auto [from, to] : llvm::zip(old.getArguments(), entry->getArguments())) {
    rebuilder.emit.loc = from.getLoc();
    if (hasLeaves(from.getType()))
      rebuilder.bind(from, rebuilder.emit.read(to));
    else
      rebuilder.bind(from, Value(to));
  }
  if (failed(all.size() == 1 ? rebuilder.block(old) : rebuilder.blocks(all)))
    return failure();
  for (Block *block : all) {
    block->dropAllReferences();
    block->dropAllUses();
  }
  for (Block *block : all)
    block->erase();
  return success();
}

/// Blocks that no other one reaches do not come along.
LogicalResult Rebuilder::blocks(ArrayRef<Block *> old) {
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
  DenseSet<Block *> reached;
  LogicalResult done = inDominanceOrder(emit, *old.front()->getParent(), [&](Block *from) {
    reached.insert(from);
    Block *to = values.lookup(from);
    b.setInsertionPointToEnd(to);
    if (from != old.front()) {
      ValueRange arguments = to->getArguments();
      for (BlockArgument argument : from->getArguments()) {
        emit.loc = argument.getLoc();
        arguments = take(argument, arguments);
      }
    }
    return block(*from);
  });
  if (failed(done))
    return failure();
  for (Block *from : old)
    if (!reached.contains(from))
      values.lookup(from)->erase();
  return success();
}

LogicalResult Rebuilder::block(Block &old) {
  for (Operation &op : old) {
    emit.loc = op.getLoc();
    if (failed(this->op(&op)))
      return failure();
  }
  return success();
}

LogicalResult Rebuilder::body(Block &old) {
  for (Operation &op : old.without_terminator()) {
    emit.loc = op.getLoc();
    if (failed(this->op(&op)))
      return failure();
  }
  return success();
}

/// A branch whose cute operands become their leaves.
LogicalResult Rebuilder::jump(BranchOpInterface branch) {
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

//===--- ops ----------------------------------------------------------------------------------===//

LogicalResult Rebuilder::op(Operation *op) {
  if (failed(checkElements(op)) || failed(checkAccess(op)))
    return failure();
  if (auto it = rules.find(op->getName()); it != rules.end())
    return it->second(*this, op);
  if (isa<AlgebraOpInterface>(op))
    return algebra(op);
  if (auto branch = dyn_cast<BranchOpInterface>(op))
    return jump(branch);
  return clone(op);
}

LogicalResult Rebuilder::algebra(Operation *op) {
  Data in;
  for (Value operand : op->getOperands())
    in.push_back(datum(operand));
  if (isa<AddOffsetOp>(op))
    knowOffsetBits(op, in[1]);
  // Facts and static leaves are those of the declared type.
  Result<Data> out = asStated(cast<AlgebraOpInterface>(op), std::move(in));
  if (!out)
    return op->emitOpError() << out.reason().text;
  for (auto [result, computed] : llvm::zip(op->getResults(), *out))
    bind(result, std::move(computed));
  return success();
}

LogicalResult Rebuilder::clone(Operation *op) {
  if (op->getNumRegions() != 0)
    return op->emitOpError("has regions, and is not an scf op in which cute ops can be expanded");
  SmallVector<Value> builtForThis;
  for (Value operand : op->getOperands())
    if (!values.contains(operand)) {
      values.map(operand, value(operand));
      builtForThis.push_back(operand);
    }
  Operation *cloned = b.clone(*op, values);
  for (Value operand : builtForThis)
    values.erase(operand);
  SmallVector<OpFoldResult> folded;
  bool constant = op->hasTrait<OpTrait::ConstantLike>();
  if (!constant && op->getNumResults() == 1 && isPure(op) && succeeded(cloned->fold(folded)) &&
      folded.size() == 1) {
    Value result = op->getResult(0);
    auto attribute = dyn_cast<Attribute>(folded[0]);
    auto integer = dyn_cast_or_null<IntegerAttr>(attribute);
    if (!attribute || (integer && integer.getType().isSignlessInteger())) {
      Value replacement =
          attribute ? emit.constant(integer.getInt(), integer.getType()) : cast<Value>(folded[0]);
      values.map(result, replacement);
      cloned->erase();
      return success();
    }
  }
  for (auto [from, to] : llvm::zip(op->getResults(), cloned->getResults()))
    if (hasLeaves(from.getType()))
      data.insert_or_assign(from, emit.read(to));
  return success();
}

Changed tessera::lower::expandAlgebra(FunctionOpInterface function, bool checks, OpCounts &counts) {
  function->walk([&](Operation *op) {
    if (isa<AlgebraOpInterface>(op))
      ++counts[op->getName().getStringRef()];
  });
  if (failed(Rebuilder::rebuild(function, checks)))
    return failure();
  eraseDeadOps(function.getFunctionBody());
  return true; // all values are new
}
