// Types of atoms, checked for the target, and the operations that make values of them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/dsl/AtomCall.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute;
using namespace tessera::cute_nvgpu;

namespace tessera::dsl {

Type onTarget(Call &call, Type type) {
  std::optional<Reason> lacks;
  const atom::Target &target = call.ofThread().target();
  if (auto mma = type ? mmaInstanceOf(type) : std::nullopt)
    lacks = atom::refusal(mma->row->name, mma->row->needs, target);
  else if (auto copy = type ? copyInstanceOf(type) : std::nullopt)
    lacks = atom::refusal(copy->row->name, copy->row->needs, target);
  if (lacks)
    call.fail(lacks->text);
  return lacks ? Type() : type;
}
Atom madeAtom(Call &call, Type type, ValueRange fields) {
  auto op = type ? call.create<MakeAtomOp>(type, fields) : MakeAtomOp();
  return Atom(op ? op->getResult(0) : Value());
}

TiledMma tiledMma(Call &call, Atom atom, const Layout &atoms, TileAttr permutation) {
  if (call.good() && !atoms.get().affine())
    call.fail("expects a layout of atoms without a swizzle");
  if (!call.good())
    return TiledMma(Value());
  Type type = call.collecting([&]() -> Type {
    return TiledMmaType::getChecked(
        [&] { return emitError(call.location()); }, call.mlirContext(), atom.ir().getType(),
        LayoutAttr::get(call.mlirContext(), *atoms.get().affine()), permutation);
  });
  auto op = type ? call.create<MakeTiledMmaOp>(type, atom.ir()) : MakeTiledMmaOp();
  return TiledMma(op ? op->getResult(0) : Value());
}

TiledCopy tiledCopy(Call &call, Atom atom, const layout::Layout &tv, const layout::Tile &tile) {
  if (!call.good())
    return TiledCopy(Value());
  Type type = call.collecting([&]() -> Type {
    return TiledCopyType::getChecked([&] { return emitError(call.location()); }, call.mlirContext(),
                                     atom.ir().getType(), LayoutAttr::get(call.mlirContext(), tv),
                                     TileAttr::get(call.mlirContext(), tile));
  });
  auto op = type ? call.create<MakeTiledCopyOp>(type, atom.ir()) : MakeTiledCopyOp();
  return TiledCopy(op ? op->getResult(0) : Value());
}

} // namespace tessera::dsl
