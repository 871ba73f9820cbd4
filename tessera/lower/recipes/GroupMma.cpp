// Matrix multiplications of a warp group: descriptors in, accumulators in registers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/lower/recipes/AtomCalls.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute;
using namespace tessera::cute_nvgpu;

namespace tessera::lower {

namespace {
enum GroupField : size_t {
  Accumulate,
  Metadata
};

/// The op for a type of atom: the operands and attributes that only one of the two kinds has come
/// last.
template <class Type> Result<Done> multiply(MmaCall &call, Type type) {
  Expander &e = call.e;
  MLIRContext *context = e.b.getContext();
  const atom::MmaRow &row = call.row();
  mlir::Type register_ = registerType(e, row.c, type.getC()); // D overwrites C
  TESSERA_TRY(SmallVector<Value> c,
              loadWords(e, call.c, register_, row.c.registers.at(call.atom.n)));
  SmallVector<Value> a;
  if (row.a.where == atom::Residency::Smem) {
    a.push_back(e.emit.value(call.a.iterator));
  } else {
    TESSERA_TRY(a, loadWords(e, call.a, registerType(e, row.a, type.getA()),
                             row.a.registers.at(call.atom.n)));
  }
  Value b = e.emit.value(call.b.iterator);
  Value accumulate = e.emit.field(call.value, Accumulate);
  auto shape = ShapeAttr::get(context, layout::Tree::of({call.atom.m, call.atom.n, row.k}));
  OverflowAttr overflow;
  if (type.getOverflow() != Overflow::wrapped)
    overflow = OverflowAttr::get(context, type.getOverflow());
  SmallVector<mlir::Type> results(c.size(), register_);
  if constexpr (std::is_same_v<Type, Sm90MmaSpType>) {
    auto op = ArchMmaSm90SparseOp::create(
        e.b, e.loc(), results, a, b, c, accumulate, e.emit.field(call.value, Metadata), shape,
        type.getA(), type.getB(), type.getC(), type.getAMajor(), type.getBMajor(), type.getNegA(),
        type.getNegB(), overflow, uint32_t(call.selector));
    return storeWords(e, call.d, op.getD());
  } else {
    BinaryOpAttr binary;
    if (type.getBinaryOp() != BinaryOp::none)
      binary = BinaryOpAttr::get(context, type.getBinaryOp());
    auto op = ArchMmaSm90Op::create(e.b, e.loc(), results, a, b, c, accumulate, shape, type.getA(),
                                    type.getB(), type.getC(), type.getAMajor(), type.getBMajor(),
                                    type.getNegA(), type.getNegB(), overflow, binary);
    return storeWords(e, call.d, op.getD());
  }
}
} // namespace

Result<Done> groupMma(MmaCall call) {
  if (std::string wrong = selectorRefusal(call.row(), call.selector); !wrong.empty())
    return Reason{"Selector", std::move(wrong)};
  if (auto sparse = dyn_cast<Sm90MmaSpType>(call.atomType()))
    return multiply(call, sparse);
  return multiply(call, cast<Sm90MmaType>(call.atomType()));
}

} // namespace tessera::lower
