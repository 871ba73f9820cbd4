// Atom calls: the row's family picks the recipe.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/lower/expand/Expander.h"
#include "tessera/lower/expand/Rules.h"
#include "tessera/lower/recipes/AtomCalls.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute;
using namespace tessera::cute_nvgpu;

namespace tessera::lower {

namespace {
struct CopyRecipe {
  atom::CopyFamily family;
  Result<Done> (*recipe)(CopyCall);
};
constexpr CopyRecipe copyRecipes[] = {
    {atom::CopyFamily::UniversalCopy, universalCopy},
    {atom::CopyFamily::SimtAsyncCopy, asyncCopy},
    {atom::CopyFamily::Ldsm, loadMatrix},
    {atom::CopyFamily::Stsm, storeMatrix},
};

struct MmaRecipe {
  atom::Recipe recipe;
  Result<Done> (*build)(MmaCall);
};
constexpr MmaRecipe mmaRecipes[] = {
    {atom::Recipe::Fma, fusedMultiplyAdd},
    {atom::Recipe::MmaSync, warpMma},
    {atom::Recipe::MmaSparse, warpMma},
};

Type untiled(Type type) {
  if (auto tiled = dyn_cast<TiledCopyType>(type))
    return tiled.getAtom();
  if (auto tiled = dyn_cast<TiledMmaType>(type))
    return tiled.getAtom();
  return type;
}

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

  LogicalResult copy(CopyAtomCallOp op) {
    Type type = untiled(op.getAtom().getType());
    std::optional<CopyInstance> atom = copyInstanceOf(type);
    for (const CopyRecipe &recipe : copyRecipes) {
      if (!atom || recipe.family != atom->row->key.family)
        continue;
      CopyCall call{e, *atom, type, e.view(op.getSrc()), e.view(op.getDst()), {}};
      if (op.getPred()) {
        Result<Value> pred = predicate(op.getPred());
        if (!pred)
          return finish(op, pred.reason());
        call.pred = *pred;
      }
      return finish(op, recipe.recipe(std::move(call)));
    }
    return notLowered(op, type);
  }

  LogicalResult mma(MmaAtomCallOp op) {
    Type type = untiled(op.getAtom().getType());
    std::optional<MmaInstance> atom = mmaInstanceOf(type);
    for (const MmaRecipe &recipe : mmaRecipes) {
      if (!atom || recipe.recipe != atom->row->recipe)
        continue;
      Datum value = e.datum(op.getAtom());
      MmaCall call{e,
                   *atom,
                   type,
                   e.view(op.getD()),
                   e.view(op.getA()),
                   e.view(op.getB()),
                   e.view(op.getC()),
                   e.emit.value(*value.as<Opaque>()),
                   int32_t(op.getSelector().value_or(0))};
      return finish(op, recipe.build(std::move(call)));
    }
    return notLowered(op, type);
  }

  LogicalResult prefetch(PrefetchAtomCallOp op) {
    return notLowered(op, untiled(op.getAtom().getType()));
  }

  //===--- atoms with a run-time field ----------------------------------------------------------------------===//

  /// Sparse atoms carry their metadata; the others are known by their type.
  LogicalResult makeAtom(MakeAtomOp op) {
    Opaque atom{op.getType()};
    if (op.getFields().size() > 1)
      return notLowered(op, op.getType());
    if (!op.getFields().empty())
      atom.handle = e.emit.handle(e.value(op.getFields().front()));
    e.bind(op, Datum(atom));
    return success();
  }
  LogicalResult tiled(Operation *op) {
    Datum atom = e.datum(op->getOperand(0));
    e.bind(op->getResult(0), Datum(Opaque{op->getResult(0).getType(), atom.as<Opaque>()->handle}));
    return success();
  }
  LogicalResult setValue(AtomSetValueOp op) {
    if (!isa<MmaFieldSm80SparseAttr>(op.getField()))
      return notLowered(op, op.getAtom().getType());
    e.bind(op, Datum(Opaque{op.getType(), e.emit.handle(e.value(op.getValue()))}));
    return success();
  }
};

RuleTable atomRules() {
#define RULE(NAME, OP, METHOD)                                                                     \
  {NAME, [](Expander &e, Operation *op) { return AtomRules{e}.METHOD(cast<OP>(op)); }}
  static constexpr NamedRule rules[] = {
      RULE("cute.copy_atom_call", CopyAtomCallOp, copy),
      RULE("cute.mma_atom_call", MmaAtomCallOp, mma),
      RULE("cute.prefetch_atom_call", PrefetchAtomCallOp, prefetch),
      RULE("cute.make_atom", MakeAtomOp, makeAtom),
      RULE("cute.make_tiled_copy", Operation *, tiled),
      RULE("cute.make_tiled_mma", Operation *, tiled),
      RULE("cute_nvgpu.atom.set_value", AtomSetValueOp, setValue),
  };
#undef RULE
  return rules;
}

} // namespace tessera::lower
