// Atoms of a warpgroup: descriptors in, accumulators in registers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/lower/families/group/Group.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute;
using namespace tessera::cute_nvgpu;

namespace tessera::lower {

namespace {
Result<Done> groupMma(MmaCall call) {
  const atom::MmaRow &row = call.row();
  if (std::string wrong = selectorRefusal(row, call.selector); !wrong.empty())
    return Reason{"Selector", std::move(wrong)};
  Expander &e = call.e;
  MLIRContext *context = e.b.getContext();
  const MmaForm &form = call.atomType().getForm();
  const atom::MmaQuery &query = form.query;
  Type register_ = registerType(e, row.c, form.c); // D overwrites C
  TESSERA_TRY(SmallVector<Value> c,
              loadWords(e, call.c, register_, row.c.registers.at(call.atom.n)));
  SmallVector<Value> a;
  if (row.a.where == atom::Residency::Smem) {
    a.push_back(e.emit.value(call.a.iterator));
  } else {
    TESSERA_TRY(
        a, loadWords(e, call.a, registerType(e, row.a, form.a), row.a.registers.at(call.atom.n)));
  }
  Value b = e.emit.value(call.b.iterator);
  Value accumulate = field(call, "accum_c");
  auto shape = ShapeAttr::get(context, layout::Tree::of({call.atom.m, call.atom.n, row.k}));
  OverflowAttr overflow;
  if (query.overflow != atom::Overflow::Wrapped)
    overflow = OverflowAttr::get(context, query.overflow);
  SmallVector<Type> results(c.size(), register_);
  if (row.sparsity.isSparse()) {
    auto op = ArchMmaSm90SparseOp::create(
        e.b, e.loc(), results, a, b, c, accumulate, field(call, "e"), shape, form.a, form.b, form.c,
        query.aMajor, query.bMajor, form.negA, form.negB, overflow, uint32_t(call.selector));
    return storeWords(e, call.d, op.getD());
  }
  BinaryOpAttr binary;
  if (query.bitOp != atom::BitOp::None)
    binary = BinaryOpAttr::get(context, query.bitOp);
  auto op = ArchMmaSm90Op::create(e.b, e.loc(), results, a, b, c, accumulate, shape, form.a, form.b,
                                  form.c, query.aMajor, query.bMajor, form.negA, form.negB,
                                  overflow, binary);
  return storeWords(e, call.d, op.getD());
}

constexpr MmaRecipe products[] = {{atom::Recipe::Wgmma, groupMma}};
} // namespace

const Unit groupUnit = {products, {}, {}, addGroupPatterns};

} // namespace tessera::lower
