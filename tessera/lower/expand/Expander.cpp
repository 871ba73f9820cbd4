// The walk over a function: algebra is evaluated on leaves, rules are applied, the rest is cloned.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/lower/expand/Expander.h"

#include "tessera/cute/Cute.h"
#include "tessera/cute_nvgpu/CuteNvgpu.h"
#include "tessera/layout/Domains.h"
#include "tessera/lower/expand/Rules.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute;
using namespace tessera::lower;

Expander::Expander(FunctionOpInterface function, Block *entry)
    : b(function->getContext()), emit(b, entry) {
  MLIRContext *context = function->getContext();
  for (const RuleTable &table : {regionRules(), vectorRules(), memoryRules(), atomRules()})
    for (const NamedRule &rule : table)
      rules[OperationName(rule.op, context)] = rule.rule;
}

bool Expander::isCute(Type type) {
  return isa<MaybeStaticType, ViewType, ArithTupleIterType, DescIterType, ConstrainedI32Type,
             ConstrainedI64Type>(type);
}

//===--- what stands for old values -----------------------------------------------------------===//

void Expander::bind(Value old, Datum datum) {
  forget(old);
  data.insert_or_assign(old, std::move(datum));
}
void Expander::bind(Value old, Value value) {
  forget(old);
  values.map(old, value);
}
void Expander::bindVector(Value old, SmallVector<Value> elements) {
  forget(old);
  vectors.insert_or_assign(old, std::move(elements));
}

Expander::Known Expander::known(Value old) const {
  Known known;
  if (auto it = data.find(old); it != data.end())
    known.datum = it->second;
  if (auto it = vectors.find(old); it != vectors.end())
    known.vector = it->second;
  known.value = values.lookupOrNull(old);
  return known;
}
void Expander::forget(Value old) {
  data.erase(old);
  vectors.erase(old);
  values.erase(old);
}
void Expander::bind(Value old, Known known) {
  forget(old);
  if (known.datum)
    data.insert_or_assign(old, std::move(*known.datum));
  if (known.vector)
    vectors.insert_or_assign(old, std::move(*known.vector));
  if (known.value)
    values.map(old, known.value);
}

Datum Expander::datum(Value old) {
  if (auto it = data.find(old); it != data.end())
    return it->second;
  Datum datum = emit.read(value(old));
  data.insert_or_assign(old, datum);
  return datum;
}

Opaque Expander::atom(Value old) {
  Opaque atom = *datum(old).as<Opaque>();
  if (!atom.fields.empty())
    return atom;
  Value whole = value(old);
  for (const cute_nvgpu::AtomField &field : cute_nvgpu::fieldsOf(atom.type))
    atom.fields.push_back(
        emit.handle(cute_nvgpu::AtomGetValueOp::create(b, loc(), field.type, whole, field.key)));
  return atom;
}

Value Expander::field(const Opaque &atom, size_t i) {
  return atom.fields[i] ? emit.field(atom, i) : Value();
}

Value Expander::value(Value old) {
  if (Value known = values.lookupOrNull(old))
    return known;
  Value built;
  if (auto it = vectors.find(old); it != vectors.end()) {
    built = vector::FromElementsOp::create(b, loc(), old.getType(), it->second);
  } else {
    auto found = data.find(old);
    assert(found != data.end() && "a value is used before the expander has seen its definition");
    built = emit.build(found->second, old.getType());
  }
  // Not remembered: it may not dominate the next use.
  return built;
}

SmallVector<Value> Expander::elementsOf(Value old) {
  if (auto it = vectors.find(old); it != vectors.end())
    return it->second;
  return elements(value(old));
}

SmallVector<Value> Expander::elements(Value v) {
  auto type = dyn_cast<VectorType>(v.getType());
  if (!type)
    return {v};
  if (auto whole = v.getDefiningOp<vector::FromElementsOp>())
    return SmallVector<Value>(whole.getElements());
  auto parts = vector::ToElementsOp::create(b, loc(), v);
  return SmallVector<Value>(parts.getResults());
}

Value Expander::pack(ValueRange scalars) {
  if (scalars.size() == 1)
    return scalars.front();
  auto type = VectorType::get({int64_t(scalars.size())}, scalars.front().getType());
  return vector::FromElementsOp::create(b, loc(), type, scalars);
}

Iterator Expander::advanced(const Iterator &from, int64_t elements) {
  return *emit.advance(from, layout::Tree(elements));
}

/// Bytes to which a value at a pointer is aligned, as far as the pointer's type promises.
static int64_t promised(const Iterator &it) { return cast<PtrType>(it.type).getAlignment(); }

Value Expander::load(const Iterator &from, Type type, int64_t alignment) {
  Address at = emit.address(from);
  return PtrLoadOp::create(b, loc(), type, at.base, at.offset,
                           b.getI64IntegerAttr(alignment ? alignment : promised(from)));
}

void Expander::store(const Iterator &to, Value value, int64_t alignment) {
  Address at = emit.address(to);
  PtrStoreOp::create(b, loc(), at.base, value, at.offset,
                     b.getI64IntegerAttr(alignment ? alignment : promised(to)));
}

Value Expander::bitcast(Value v, Type type) {
  if (v.getType() == type)
    return v;
  bool vectors = isa<VectorType>(v.getType()) && isa<VectorType>(type);
  if (vectors)
    return vector::BitCastOp::create(b, loc(), type, v);
  if (!isa<VectorType>(v.getType()) && !isa<VectorType>(type))
    return arith::BitcastOp::create(b, loc(), type, v);
  return LLVM::BitcastOp::create(b, loc(), type, v);
}

//===--- across regions -----------------------------------------------------------------------===//

SmallVector<Type> Expander::partTypes(Type type) {
  if (auto vector = dyn_cast<VectorType>(type); vector && vector.getRank() == 1)
    return SmallVector<Type>(size_t(vector.getNumElements()), vector.getElementType());
  if (!isCute(type))
    return {type};
  if (SmallVector<Type> fields = fieldTypesOf(type); !fields.empty())
    return fields;
  SmallVector<Type> types;
  Datum datum = datumOf(type);
  const View *view = datum.as<View>();
  if (view && !view->iterator.isArithTuple())
    types.push_back(view->iterator.type);
  datum.forEachDynamicLeaf([&](layout::Int &x) {
    types.push_back(b.getIntegerType(x.width == layout::Width::I64 ? 64 : 32));
  });
  return types;
}

SmallVector<Value> Expander::parts(Value old, Type type) {
  if (auto vector = dyn_cast<VectorType>(type); vector && vector.getRank() == 1)
    return elementsOf(old);
  if (!isCute(type))
    return {value(old)};
  if (!fieldTypesOf(type).empty()) {
    Opaque whole = atom(old);
    SmallVector<Value> fields;
    for (auto [i, fieldType] : llvm::enumerate(fieldTypesOf(type)))
      fields.push_back(emit.field(whole, i));
    return fields;
  }
  Datum d = conformed(datum(old), type, [&](int64_t number, const layout::Int &leaf) {
    return emit.known(number, leaf.width);
  });
  SmallVector<Value> parts;
  const View *view = d.as<View>();
  if (view && !view->iterator.isArithTuple())
    parts.push_back(emit.value(view->iterator));
  d.forEachDynamicLeaf([&](layout::Int &x) {
    parts.push_back(emit.value(x, b.getIntegerType(x.width == layout::Width::I64 ? 64 : 32)));
  });
  return parts;
}

void Expander::bindParts(Value old, ValueRange parts) {
  if (auto vector = dyn_cast<VectorType>(old.getType()); vector && vector.getRank() == 1)
    return bindVector(old, SmallVector<Value>(parts));
  if (!isCute(old.getType()))
    return bind(old, parts.front());
  if (!fieldTypesOf(old.getType()).empty()) {
    Opaque whole{old.getType()};
    for (Value part : parts)
      whole.fields.push_back(emit.handle(part));
    return bind(old, Datum(whole));
  }
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

//===--- ops ----------------------------------------------------------------------------------===//

LogicalResult Expander::expand(FunctionOpInterface function, bool checks) {
  Region &region = function.getFunctionBody();
  Block &old = region.front();
  SmallVector<Block *> all = llvm::to_vector(llvm::make_pointer_range(region.getBlocks()));
  auto *entry = new Block;
  region.push_back(entry);
  for (BlockArgument argument : old.getArguments())
    entry->addArgument(argument.getType(), argument.getLoc());
  Expander expander(function, entry);
  expander.emit.checks = checks;
  expander.b.setInsertionPointToEnd(entry);
  for (auto [from, to] : llvm::zip(old.getArguments(), entry->getArguments())) {
    expander.emit.loc = from.getLoc();
    if (isCute(from.getType()))
      expander.bind(from, expander.emit.read(to));
    else
      expander.bind(from, Value(to));
  }
  LogicalResult done = all.size() == 1 ? expander.block(old) : expander.blocks(all);
  if (failed(done))
    return failure();
  for (Block *block : all) {
    block->dropAllReferences();
    block->dropAllUses();
  }
  for (Block *block : all)
    block->erase();
  return success();
}

LogicalResult Expander::block(Block &old) {
  for (Operation &op : old) {
    emit.loc = op.getLoc();
    if (failed(this->op(&op)))
      return failure();
  }
  return success();
}

/// The elements of a vector that becomes scalars, or of the registers that `op` makes; 0 for any
/// other type. Memory of other spaces counts nothing.
static int64_t elementsOfType(Operation *op, Type type) {
  if (auto vector = dyn_cast<VectorType>(type); vector && vector.getRank() == 1)
    return vector.getNumElements();
  auto tensor = dyn_cast<CuteMemRefType>(type);
  if (!tensor || tensor.getAddressSpace() != AddressSpace::rmem ||
      !isa<MemRefAllocaOp, MmaMakeFragmentOp>(op) || !tensor.getLayout().isStatic())
    return 0;
  layout::Const arith;
  layout::Int count = layout::product(arith, tensor.getLayout().shape());
  return arith.overflowed() ? std::numeric_limits<int64_t>::max() : count.value;
}

LogicalResult Expander::checkElements(Operation *op) {
  for (TypeRange types : {TypeRange(op->getOperandTypes()), TypeRange(op->getResultTypes())})
    for (Type type : types)
      if (int64_t count = elementsOfType(op, type); count > maxElements)
        return op->emitOpError() << "expects a vector or tensor in registers of at most "
                                 << maxElements << " elements, but got " << count;
  return success();
}

LogicalResult Expander::op(Operation *op) {
  if (failed(checkElements(op)))
    return failure();
  if (auto it = rules.find(op->getName()); it != rules.end())
    return it->second(*this, op);
  if (isa<AlgebraOpInterface>(op))
    return algebra(op);
  if (isElementwiseOnVectors(op))
    return expandElementwise(*this, op);
  if (auto branch = dyn_cast<BranchOpInterface>(op))
    return jump(branch);
  return clone(op);
}

LogicalResult Expander::algebra(Operation *op) {
  Data in;
  for (Value operand : op->getOperands())
    in.push_back(datum(operand));
  Result<Data> out = cast<AlgebraOpInterface>(op).evaluateWith(emit, in);
  if (!out)
    return op->emitOpError() << out.reason().text;
  for (auto [result, computed] : llvm::zip(op->getResults(), *out)) {
    // Facts and static leaves are those of the declared type.
    if (computed.as<Opaque>())
      bind(result, computed);
    else
      bind(result,
           conformed(computed, result.getType(), [&](int64_t number, const layout::Int &leaf) {
             return emit.known(number, leaf.width);
           }));
  }
  return success();
}

LogicalResult Expander::clone(Operation *op) {
  if (op->getNumRegions() != 0)
    return op->emitOpError("has regions, and is no scf op that cute ops can be expanded in");
  SmallVector<Value> builtForThis;
  for (Value operand : op->getOperands())
    if (!values.contains(operand)) {
      values.map(operand, value(operand));
      builtForThis.push_back(operand);
    }
  for (Value result : op->getResults())
    forget(result);
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
    if (isCute(from.getType()))
      data.insert_or_assign(from, emit.read(to));
  return success();
}
