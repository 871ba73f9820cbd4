// The atom-call step: the row's family picks the recipe, which builds instructions and accesses.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/lower/AtomLoops.h"
#include "tessera/lower/expand/Reader.h"
#include "tessera/lower/expand/Steps.h"
#include "tessera/lower/families/Families.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute;
using namespace tessera::cute_nvgpu;

namespace tessera::lower {

namespace {
LogicalResult notLowered(Operation *op, Type atom) {
  return op->emitOpError() << "atom " << atom << " is not lowered yet";
}
LogicalResult finish(Operation *op, const Result<Done> &done) {
  return done ? success() : LogicalResult(op->emitOpError() << done.reason().text);
}

//===--- calls --------------------------------------------------------------------------------===//

/// The one element of a predicate as an i1.
Result<Value> predicate(Reader &e, Value pred) {
  TESSERA_TRY(SmallVector<Value> elements, loadElements(e, e.view(pred)));
  Value flag = elements.front();
  if (flag.getType().isInteger(1))
    return flag;
  Value zero = e.emit.constant(0, flag.getType());
  return Value(arith::CmpIOp::create(e.b, e.loc(), arith::CmpIPredicate::ne, flag, zero));
}

/// The pointers of views, and the run-time fields of an atom, for types that expand their own
/// calls.
Result<SmallVector<Value>> starts(Reader &e, std::initializer_list<Value> views) {
  SmallVector<Value> pointers;
  for (Value view : views) {
    TESSERA_TRY(Value pointer, operandPointer(e, e.view(view)));
    pointers.push_back(pointer);
  }
  return pointers;
}
SmallVector<Value> fields(Reader &e, Value atom) {
  Opaque value = e.atom(atom);
  SmallVector<Value> values;
  for (size_t i = 0; i < value.fields.size(); ++i)
    values.push_back(e.emit.field(value, i));
  return values;
}

/// A call under its predicate. cp.async takes it as an operand, and fills with zeros; of any other
/// atom nothing happens where it is false, as in CuTe's copy_if: one predicate of all lanes that
/// execute the instruction together.
Result<Done> buildUnder(CopyBuilder build, CopyCall call) {
  if (!call.pred || call.row().key.family == atom::CopyFamily::SimtAsyncCopy)
    return build(std::move(call));
  Expander &e = call.e;
  auto branch = scf::IfOp::create(e.b, e.loc(), call.pred, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(e.b);
  Emit::RegionMemo scope(e.emit);
  e.b.setInsertionPoint(branch.thenBlock(), branch.thenBlock()->begin());
  return build(std::move(call));
}

LogicalResult copy(Reader &e, CopyAtomCallOp op) {
  Type type = untiled(op.getAtom().getType());
  std::optional<CopyInstance> atom = copyInstanceOf(type);
  // Loads and stores of a thread move all elements that they are given; one predicate says whether.
  bool takesAll = atom && atom->row->key.family == atom::CopyFamily::UniversalCopy && !op.getPred();
  if (!takesAll && !isOneCall(op))
    return op.emitOpError("is several calls, which --cute-desugar separates: run it before");
  if (CopyBuilder build = atom ? copyRecipe(*atom->row) : nullptr) {
    CopyCall call{e, *atom, e.atom(op.getAtom()), e.view(op.getSrc()), e.view(op.getDst()), {}};
    if (op.getPred()) {
      Result<Value> pred = predicate(e, op.getPred());
      if (!pred)
        return finish(op, pred.reason());
      call.pred = *pred;
    }
    return finish(op, buildUnder(build, std::move(call)));
  }
  auto own = dyn_cast<CopyAtomType>(type); // of another dialect
  if (!own)
    return notLowered(op, type);
  Value pred;
  if (op.getPred()) {
    Result<Value> flag = predicate(e, op.getPred());
    if (!flag)
      return finish(op, flag.reason());
    pred = *flag;
  }
  Result<SmallVector<Value>> at = starts(e, {op.getSrc(), op.getDst()});
  if (!at)
    return finish(op, at.reason());
  return succeeded(own.expandCall(e.b, e.loc(), fields(e, op.getAtom()), (*at)[0], (*at)[1], pred))
             ? success()
             : notLowered(op, type);
}

LogicalResult mma(Reader &e, MmaAtomCallOp op) {
  Type type = untiled(op.getAtom().getType());
  std::optional<MmaInstance> atom = mmaInstanceOf(type);
  if (MmaBuilder build = atom ? productRecipe(*atom->row) : nullptr) {
    MmaCall call{e,
                 *atom,
                 e.atom(op.getAtom()),
                 e.view(op.getD()),
                 e.view(op.getA()),
                 e.view(op.getB()),
                 e.view(op.getC()),
                 int32_t(op.getSelector().value_or(0))};
    return finish(op, build(std::move(call)));
  }
  auto own = dyn_cast<MmaAtomType>(type);
  if (!own)
    return notLowered(op, type);
  Result<SmallVector<Value>> at = starts(e, {op.getD(), op.getA(), op.getB(), op.getC()});
  if (!at)
    return finish(op, at.reason());
  return succeeded(own.expandCall(e.b, e.loc(), fields(e, op.getAtom()), (*at)[0], (*at)[1],
                                  (*at)[2], (*at)[3]))
             ? success()
             : notLowered(op, type);
}

LogicalResult prefetch(Reader &e, PrefetchAtomCallOp op) {
  Type type = untiled(op.getAtom().getType());
  std::optional<CopyInstance> atom = copyInstanceOf(type);
  if (CopyBuilder build = atom ? prefetchRecipe(*atom->row) : nullptr)
    return finish(
        op, build({e, *atom, e.atom(op.getAtom()), e.view(op.getSrc()), e.view(op.getSrc()), {}}));
  auto own = dyn_cast<PrefetchAtomType>(type);
  if (!own)
    return notLowered(op, type);
  Result<SmallVector<Value>> at = starts(e, {op.getSrc()});
  if (!at)
    return finish(op, at.reason());
  return succeeded(own.expandPrefetch(e.b, e.loc(), fields(e, op.getAtom()), at->front()))
             ? success()
             : notLowered(op, type);
}

//===--- atoms --------------------------------------------------------------------------------===//

LogicalResult getValue(Reader &e, AtomGetValueOp op) {
  FailureOr<size_t> index = fieldIndex(op, op.getAtom().getType(), op.getField());
  if (failed(index))
    return failure();
  Datum atom = e.datum(op.getAtom());
  if (atom.as<Opaque>()->fields.empty()) // a parameter: its fields are read where it is lowered
    return success();
  Value value = e.emit.field(*atom.as<Opaque>(), *index);
  if (value.getType() != op.getType())
    value = RecastIterOp::create(e.b, e.loc(), op.getType(), value);
  op.replaceAllUsesWith(value);
  return success();
}
LogicalResult prefetchDesc(Reader &e, PrefetchTmaDescOp op) {
  ArchPrefetchTmaDescOp::create(e.b, e.loc(), e.emit.field(e.atom(op.getAtom()), 0));
  return success();
}
LogicalResult copyDesc(Reader &e, CopyTmaDescOp op) {
  ArchCopyTmaDescOp::create(e.b, e.loc(), e.emit.field(e.atom(op.getAtom()), 0),
                            e.emit.value(*e.datum(op.getDst()).as<Iterator>()));
  return success();
}
LogicalResult descAddress(Reader &e, GetTmaDescAddrOp op) {
  Value desc = e.emit.field(e.atom(op.getAtom()), 0);
  if (desc.getType() != op.getType())
    desc = RecastIterOp::create(e.b, e.loc(), op.getType(), desc);
  op.replaceAllUsesWith(desc);
  return success();
}
/// The address that an access reaches, in the type that is swizzled: ops of arch take it as it is.
LogicalResult applySwizzle(Reader &e, ApplySwizzleOp op) {
  Iterator from = *e.datum(op.getIter()).as<Iterator>();
  auto type = cast<PtrType>(op.getType());
  if (SwizzleAttr own = op.getSwizzleAttr()) {
    from.type = PtrType::get(type.getContext(), type.getElementType(), type.getAddressSpace(),
                             type.getAlignment(), own.getValue());
    from.handle =
        e.emit.handle(RecastIterOp::create(e.b, e.loc(), from.type, e.value(op.getIter())));
  }
  Value reached = e.emit.moved(e.emit.address(from));
  op.replaceAllUsesWith(RecastIterOp::create(e.b, e.loc(), type, reached).getResult());
  return success();
}

/// Whether an atom, or the one in a tiled atom, was put together by ops that have no lowering.
bool isPutTogether(Value atom) {
  Operation *def = atom.getDefiningOp();
  if (isa_and_nonnull<MakeTiledCopyOp, MakeTiledMmaOp>(def))
    return isPutTogether(def->getOperand(0));
  return isa_and_nonnull<AtomSetValueOp, MakeExecTmaOp>(def);
}
/// Ops that are not calls take whole atoms; returns whether this op is one.
bool makeAtoms(Reader &e, Operation *op) {
  bool changed = false;
  for (OpOperand &operand : op->getOpOperands())
    if (isPutTogether(operand.get())) {
      operand.set(e.emit.value(e.atom(operand.get())));
      changed = true;
    }
  return changed;
}

struct AtomRule {
  StringLiteral op;
  LogicalResult (*rule)(Reader &, Operation *);
};
template <class Op, LogicalResult (*rule)(Reader &, Op)>
LogicalResult apply(Reader &e, Operation *op) {
  return rule(e, cast<Op>(op));
}
constexpr AtomRule rules[] = {
    {"cute.copy_atom_call", apply<CopyAtomCallOp, copy>},
    {"cute.mma_atom_call", apply<MmaAtomCallOp, mma>},
    {"cute.prefetch_atom_call", apply<PrefetchAtomCallOp, prefetch>},
    {"cute.apply_swizzle", apply<ApplySwizzleOp, applySwizzle>},
    {"cute_nvgpu.atom.get_value", apply<AtomGetValueOp, getValue>},
    {"cute_nvgpu.prefetch_tma_desc", apply<PrefetchTmaDescOp, prefetchDesc>},
    {"cute_nvgpu.copy_tma_desc", apply<CopyTmaDescOp, copyDesc>},
    {"cute_nvgpu.get_tma_desc_addr", apply<GetTmaDescAddrOp, descAddress>},
};
} // namespace

Changed expandAtomCalls(FunctionOpInterface function, bool checks, OpCounts &counts) {
  llvm::DenseMap<OperationName, LogicalResult (*)(Reader &, Operation *)> byName;
  for (const AtomRule &rule : rules)
    byName[OperationName(rule.op, function->getContext())] = rule.rule;
  size_t before = total(counts);
  bool changed = false;
  Reader e(function);
  e.emit.checks = checks;
  LogicalResult done = e.walk([&](Operation *op) {
    auto rule = byName.find(op->getName());
    if (rule == byName.end()) {
      if (!isa<AtomSetValueOp, MakeExecTmaOp, MakeTiledCopyOp, MakeTiledMmaOp>(op))
        changed |= makeAtoms(e, op);
      return success();
    }
    if (failed(rule->second(e, op)))
      return failure();
    ++counts[rule->first.getStringRef()];
    if (op->use_empty())
      op->erase();
    return success();
  });
  if (failed(done))
    return failure();
  changed |= eraseDeadOps(function.getFunctionBody());
  return changed || total(counts) != before;
}

} // namespace tessera::lower
