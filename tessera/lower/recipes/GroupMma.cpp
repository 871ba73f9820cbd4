// Matrix multiplications of a warp group: descriptors in, accumulators in registers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/lower/recipes/AtomCalls.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute;
using namespace tessera::cute_nvgpu;

namespace tessera::lower {

Result<Done> groupMma(MmaCall call) {
  Expander &e = call.e;
  const atom::MmaRow &row = call.row();
  auto type = cast<Sm90MmaType>(call.atomType());
  Type register_ = registerType(e, row.c, type.getC()); // D overwrites C
  int64_t count = row.c.registers.at(call.atom.n);
  TESSERA_TRY(SmallVector<Value> c, loadWords(e, call.c, register_, count));
  SmallVector<Value> a;
  if (row.a.where == atom::Residency::Smem) {
    a.push_back(e.emit.value(call.a.iterator));
  } else {
    TESSERA_TRY(a, loadWords(e, call.a, registerType(e, row.a, type.getA()), row.a.registers.at(call.atom.n)));
  }
  Value b = e.emit.value(call.b.iterator);
  Value accumulate = e.emit.field(call.value, 0);
  auto shape = ShapeAttr::get(e.b.getContext(), layout::Tree::of({call.atom.m, call.atom.n, row.k}));
  OverflowAttr overflow;
  if (type.getOverflow() != Overflow::wrapped)
    overflow = OverflowAttr::get(e.b.getContext(), type.getOverflow());
  SmallVector<Type> results(c.size(), register_);
  auto op = ArchMmaSm90Op::create(e.b, e.loc(), results, a, b, c, accumulate, shape, type.getA(), type.getB(),
                                  type.getC(), type.getAMajor(), type.getBMajor(), type.getNegA(), type.getNegB(),
                                  overflow);
  return storeWords(e, call.d, op.getD());
}

} // namespace tessera::lower
