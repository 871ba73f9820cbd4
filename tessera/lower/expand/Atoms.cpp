// Atom calls: the row's family picks the recipe.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/lower/expand/Expander.h"
#include "tessera/lower/expand/Rules.h"
#include "tessera/lower/families/Families.h"
#include "tessera/lower/families/tma/TensorMapCalls.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute;
using namespace tessera::cute_nvgpu;

namespace tessera::lower {

namespace {
LogicalResult notLowered(Operation *op, Type atom) {
  return op->emitOpError() << "atom " << atom << " is not lowered yet";
}
} // namespace

struct AtomRules {
  Expander &e;

  LogicalResult finish(Operation *op, const Result<Done> &done) {
    return done ? success() : LogicalResult(op->emitOpError() << done.reason().text);
  }

  /// The one element of a predicate as an i1.
  Result<Value> predicate(Value pred) {
    TESSERA_TRY(SmallVector<Value> elements, loadElements(e, e.view(pred)));
    Value flag = elements.front();
    if (flag.getType().isInteger(1))
      return flag;
    Value zero = e.emit.constant(0, flag.getType());
    return Value(arith::CmpIOp::create(e.b, e.loc(), arith::CmpIPredicate::ne, flag, zero));
  }

  /// The pointer of a view, and the run-time fields of an atom, for types that expand their own
  /// calls.
  Value start(Value view) { return operandPointer(e, e.view(view)); }
  SmallVector<Value> fields(Value atom) {
    Opaque value = e.atom(atom);
    SmallVector<Value> values;
    for (size_t i = 0; i < value.fields.size(); ++i)
      values.push_back(e.emit.field(value, i));
    return values;
  }

  LogicalResult copy(CopyAtomCallOp op) {
    Type type = untiled(op.getAtom().getType());
    std::optional<CopyInstance> atom = copyInstanceOf(type);
    if (CopyBuilder build = atom ? copyRecipe(*atom->row) : nullptr) {
      CopyCall call{e, *atom, e.atom(op.getAtom()), e.view(op.getSrc()), e.view(op.getDst()), {}};
      if (op.getPred()) {
        Result<Value> pred = predicate(op.getPred());
        if (!pred)
          return finish(op, pred.reason());
        call.pred = *pred;
      }
      return finish(op, build(std::move(call)));
    }
    auto own = dyn_cast<CopyAtomType>(type); // of another dialect
    if (!own)
      return notLowered(op, type);
    Value pred;
    if (op.getPred()) {
      Result<Value> flag = predicate(op.getPred());
      if (!flag)
        return finish(op, flag.reason());
      pred = *flag;
    }
    Value src = start(op.getSrc()), dst = start(op.getDst());
    return succeeded(own.expandCall(e.b, e.loc(), fields(op.getAtom()), src, dst, pred))
               ? success()
               : notLowered(op, type);
  }

  LogicalResult mma(MmaAtomCallOp op) {
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
    return own && succeeded(own.expandCall(e.b, e.loc(), fields(op.getAtom()), start(op.getD()),
                                           start(op.getA()), start(op.getB()), start(op.getC())))
               ? success()
               : notLowered(op, type);
  }

  LogicalResult prefetch(PrefetchAtomCallOp op) {
    Type type = untiled(op.getAtom().getType());
    std::optional<CopyInstance> atom = copyInstanceOf(type);
    if (CopyBuilder build = atom ? prefetchRecipe(*atom->row) : nullptr)
      return finish(
          op,
          build({e, *atom, e.atom(op.getAtom()), e.view(op.getSrc()), e.view(op.getSrc()), {}}));
    auto own = dyn_cast<PrefetchAtomType>(type);
    return own && succeeded(
                      own.expandPrefetch(e.b, e.loc(), fields(op.getAtom()), start(op.getSrc())))
               ? success()
               : notLowered(op, type);
  }

  //===--- run-time fields --------------------------------------------------------------------===//

  LogicalResult makeAtom(MakeAtomOp op) {
    Opaque atom{op.getType()};
    for (Value field : op.getFields())
      atom.fields.push_back(e.emit.handle(e.value(field)));
    e.bind(op, Datum(atom));
    return success();
  }
  LogicalResult tiled(Operation *op) {
    Opaque atom = e.atom(op->getOperand(0));
    atom.type = op->getResult(0).getType();
    e.bind(op->getResult(0), Datum(atom));
    return success();
  }

  /// Where a field stands among those of an atom.
  FailureOr<size_t> indexOf(Operation *op, Type atom, Attribute key) {
    for (auto [i, field] : llvm::enumerate(fieldsOf(atom)))
      if (field.key == key)
        return i;
    return op->emitOpError() << "field " << key << " of atom " << untiled(atom)
                             << " is not lowered yet";
  }
  LogicalResult setValue(AtomSetValueOp op) {
    FailureOr<size_t> index = indexOf(op, op.getType(), op.getField());
    if (failed(index))
      return failure();
    Opaque atom = e.atom(op.getAtom());
    Value value = e.value(op.getValue());
    Type type = fieldsOf(op.getType())[*index].type;
    if (isa<PtrType>(type) && value.getType() != type)
      value = RecastIterOp::create(e.b, e.loc(), type, value);
    atom.fields[*index] = e.emit.handle(value);
    e.bind(op, Datum(atom));
    return success();
  }
  LogicalResult getValue(AtomGetValueOp op) {
    FailureOr<size_t> index = indexOf(op, op.getAtom().getType(), op.getField());
    if (failed(index))
      return failure();
    Value value = e.emit.field(e.atom(op.getAtom()), *index);
    if (!isa<PtrType>(value.getType())) {
      e.bind(op, value);
      return success();
    }
    if (value.getType() != op.getType())
      value = RecastIterOp::create(e.b, e.loc(), op.getType(), value);
    e.bind(op, Datum(Iterator{op.getType(), e.emit.handle(value), {}}));
    return success();
  }

  //===--- TMA --------------------------------------------------------------------------------===//

  /// The tensor map stays; barrier, mask and policy are set later.
  LogicalResult makeExec(MakeExecTmaOp op) {
    Opaque carrier = e.atom(op.getAtom());
    Opaque atom{op.getType()};
    atom.fields.assign(fieldsOf(op.getType()).size(), 0);
    atom.fields.front() = carrier.fields.front();
    e.bind(op, Datum(atom));
    return success();
  }
  LogicalResult prefetchDesc(PrefetchTmaDescOp op) {
    ArchPrefetchTmaDescOp::create(e.b, e.loc(), e.emit.field(e.atom(op.getAtom()), 0));
    return success();
  }
  LogicalResult copyDesc(CopyTmaDescOp op) {
    ArchCopyTmaDescOp::create(e.b, e.loc(), e.emit.field(e.atom(op.getAtom()), 0),
                              e.emit.value(*e.datum(op.getDst()).as<Iterator>()));
    return success();
  }
  LogicalResult updateDesc(UpdateTmaDescOp op) { return finish(op, updateTensorMap(e, op)); }
  LogicalResult descAddress(GetTmaDescAddrOp op) {
    Value desc = e.emit.field(e.atom(op.getAtom()), 0);
    e.bind(op, Datum(Iterator{op.getType(), e.emit.handle(desc), {}}));
    return success();
  }
  template <class Op> LogicalResult makeTensorMap(Op op) {
    Result<MappedTensor> mapped = tensorMap(e, op);
    if (!mapped)
      return finish(op, mapped.reason());
    e.bind(op.getAtom(), Datum(std::move(mapped->atom)));
    e.bind(op.getCoords(), std::move(mapped->coords));
    return success();
  }
};

RuleTable atomRules() {
#define RULE(NAME, OP, METHOD)                                                                     \
  {                                                                                                \
    NAME, [](Expander &e, Operation *op) { return AtomRules{e}.METHOD(cast<OP>(op)); }             \
  }
  static constexpr NamedRule rules[] = {
      RULE("cute.copy_atom_call", CopyAtomCallOp, copy),
      RULE("cute.mma_atom_call", MmaAtomCallOp, mma),
      RULE("cute.prefetch_atom_call", PrefetchAtomCallOp, prefetch),
      RULE("cute.make_atom", MakeAtomOp, makeAtom),
      RULE("cute.make_tiled_copy", Operation *, tiled),
      RULE("cute.make_tiled_mma", Operation *, tiled),
      RULE("cute_nvgpu.atom.set_value", AtomSetValueOp, setValue),
      RULE("cute_nvgpu.atom.get_value", AtomGetValueOp, getValue),
      RULE("cute_nvgpu.atom.make_exec_tma", MakeExecTmaOp, makeExec),
      RULE("cute_nvgpu.prefetch_tma_desc", PrefetchTmaDescOp, prefetchDesc),
      RULE("cute_nvgpu.copy_tma_desc", CopyTmaDescOp, copyDesc),
      RULE("cute_nvgpu.update_tma_desc", UpdateTmaDescOp, updateDesc),
      RULE("cute_nvgpu.get_tma_desc_addr", GetTmaDescAddrOp, descAddress),
      RULE("cute_nvgpu.atom.make_non_exec_tiled_tma_load", MakeNonExecTiledTmaLoadOp,
           makeTensorMap),
      RULE("cute_nvgpu.atom.make_non_exec_tiled_tma_store", MakeNonExecTiledTmaStoreOp,
           makeTensorMap),
      RULE("cute_nvgpu.atom.make_non_exec_tiled_tma_reduce", MakeNonExecTiledTmaReduceOp,
           makeTensorMap),
  };
#undef RULE
  return rules;
}

} // namespace tessera::lower
