// Values read through what the algebra step leaves of them, and walks in place.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/lower/expand/Reader.h"

#include "tessera/cute/Cute.h"
#include "tessera/cute/OffsetBits.h"
#include "tessera/cute_nvgpu/CuteNvgpu.h"

#include "mlir/IR/Dominance.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute;
using namespace tessera::cute_nvgpu;

namespace tessera::lower {

Reader::Reader(FunctionOpInterface function)
    : Expander(function->getContext(), &function.getFunctionBody().front()), function(function) {}

void knowOffsetBits(Operation *step, Datum &offset) {
  if (auto bits = step->getAttrOfType<DenseI64ArrayAttr>(offsetBitsAttrName))
    offset.forEachDynamicLeaf([&](layout::Int &x) {
      x.mask = uint64_t(bits[0]);
      x.ones = uint64_t(bits[1]);
    });
}

Datum Reader::datum(Value v) {
  if (auto it = data.find(v); it != data.end())
    return it->second;
  OpBuilder::InsertionGuard guard(b);
  std::optional<Datum> found;
  auto maybe = dyn_cast<MaybeStaticType>(v.getType());
  if (maybe && maybe.isStatic())
    found = datumOf(v.getType());
  else if (Operation *def = v.getDefiningOp())
    found = lookThrough(v, def);
  if (!found) {
    b.setInsertionPointAfterValue(v);
    found = emit.read(v);
  }
  return data.insert({v, std::move(*found)}).first->second;
}

std::optional<Datum> Reader::lookThrough(Value v, Operation *def) {
  if (auto step = dyn_cast<AddOffsetOp>(def)) {
    if (isa<DescIterType, ArithTupleIterType>(v.getType()) || !isa<IteratorType>(v.getType()))
      return std::nullopt;
    Datum from = datum(step.getIter()), offset = datum(step.getOffset());
    knowOffsetBits(step, offset);
    b.setInsertionPoint(def);
    Result<Iterator> to = emit.advance(*from.as<Iterator>(), *offset.tree());
    if (!to)
      return std::nullopt;
    to->type = v.getType();
    return Datum(*std::move(to));
  }
  if (auto recast = dyn_cast<RecastIterOp>(def)) {
    // Facts of a declared type: the same pointer, known to be aligned to less.
    auto from = cast<PtrType>(recast.getIter().getType()), to = cast<PtrType>(recast.getType());
    if (from.getElementType() != to.getElementType() ||
        from.getAddressSpace() != to.getAddressSpace() || from.getSwizzle() != to.getSwizzle())
      return std::nullopt;
    Iterator it = *datum(recast.getIter()).as<Iterator>();
    it.type = to;
    return Datum(it);
  }
  if (isa<MakeViewOp>(def)) {
    Datum start = datum(def->getOperand(0)), whole = datumOf(v.getType());
    const Iterator *it = start.as<Iterator>();
    View *view = whole.as<View>();
    if (it && !it->isArithTuple() && view->layout.isStatic()) { // the type says the rest
      view->iterator.handle = it->handle;
      return whole;
    }
  }
  if (isa<MakeViewOp, MakeTupleOp, MakeIntTupleOp>(def)) {
    Data in;
    for (Value operand : def->getOperands())
      in.push_back(datum(operand));
    b.setInsertionPoint(def);
    Result<Data> out = asStated(cast<AlgebraOpInterface>(def), std::move(in));
    return out ? std::optional((*out)[0]) : std::nullopt;
  }
  b.setInsertionPointAfter(def);
  return atomOf(def);
}

FailureOr<size_t> fieldIndex(Operation *op, Type atom, Attribute key) {
  for (auto [i, field] : llvm::enumerate(fieldsOf(atom)))
    if (field.key == key)
      return i;
  return op->emitOpError() << "field " << key << " of atom " << untiled(atom)
                           << " is not lowered yet";
}

/// The atom that an op makes, by its fields.
std::optional<Datum> Reader::atomOf(Operation *def) {
  if (auto make = dyn_cast<MakeAtomOp>(def)) {
    Opaque atom{make.getType()};
    for (auto [value, field] : llvm::zip(make.getFields(), fieldsOf(make.getType()))) {
      Value stated = value; // a pointer may be aligned to more than the field asks
      if (stated.getType() != field.type)
        stated = RecastIterOp::create(b, make.getLoc(), field.type, stated);
      atom.fields.push_back(emit.handle(stated));
    }
    return Datum(atom);
  }
  if (isa<MakeTiledCopyOp, MakeTiledMmaOp>(def)) {
    Opaque whole = atom(def->getOperand(0));
    whole.type = def->getResult(0).getType();
    return Datum(whole);
  }
  if (auto exec = dyn_cast<MakeExecTmaOp>(def)) {
    // The tensor map stays; barrier, mask and policy are set later.
    Opaque carrier = atom(exec.getAtom());
    Opaque whole{exec.getType()};
    whole.fields.assign(fieldsOf(exec.getType()).size(), 0);
    whole.fields.front() = carrier.fields.front();
    return Datum(whole);
  }
  if (auto set = dyn_cast<AtomSetValueOp>(def)) {
    FailureOr<size_t> index = fieldIndex(def, set.getType(), set.getField());
    if (failed(index))
      return std::nullopt;
    Opaque whole = atom(set.getAtom());
    Value value = set.getValue();
    Type type = fieldsOf(set.getType())[*index].type;
    if (isa<PtrType>(type) && value.getType() != type)
      value = RecastIterOp::create(b, set.getLoc(), type, value);
    whole.fields[*index] = emit.handle(value);
    return Datum(whole);
  }
  return std::nullopt;
}

//===--- walks --------------------------------------------------------------------------------===//

LogicalResult inDominanceOrder(Emit &emit, Region &region,
                               function_ref<LogicalResult(Block *)> visit) {
  if (region.empty())
    return success();
  if (region.hasOneBlock()) {
    Emit::RegionMemo scope(emit);
    return visit(&region.front());
  }
  DominanceInfo dominance;
  auto down = [&](auto &down, DominanceInfoNode *node) -> LogicalResult {
    Emit::RegionMemo scope(emit);
    if (failed(visit(node->getBlock())))
      return failure();
    return failure(llvm::any_of(
        node->children(), [&](DominanceInfoNode *child) { return failed(down(down, child)); }));
  };
  return down(down, dominance.getDomTree(&region).getNode(&region.front()));
}

LogicalResult Reader::walk(function_ref<LogicalResult(Operation *)> visit) {
  return walk(function.getFunctionBody(), visit);
}

LogicalResult Reader::walk(Region &region, function_ref<LogicalResult(Operation *)> visit) {
  return inDominanceOrder(emit, region, [&](Block *block) { return walk(*block, visit); });
}

LogicalResult Reader::walk(Block &block, function_ref<LogicalResult(Operation *)> visit) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    emit.loc = op.getLoc();
    b.setInsertionPoint(&op);
    bool nests = op.getNumRegions() != 0;
    if (failed(visit(&op)))
      return failure();
    if (nests)
      for (Region &region : op.getRegions())
        if (failed(walk(region, visit)))
          return failure();
  }
  return success();
}

} // namespace tessera::lower
