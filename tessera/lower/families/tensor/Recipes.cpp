// Atoms of tensor memory: products of matrices in shared and tensor memory, loads and stores.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/lower/families/tensor/Tensor.h"

#include "tessera/atom/InstructionDescriptor.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute;
using namespace tessera::cute_nvgpu;

namespace tessera::lower {

namespace {

//===--- products -----------------------------------------------------------------------------===//

// Fields that all products have.
enum TensorField : size_t {
  Accumulate,
  NegateA,
  NegateB
};

/// What the atom's type says of the instruction descriptor.
Result<uint32_t> instructionWord(const MmaCall &call) {
  const atom::MmaRow &row = call.row();
  const atom::MmaQuery &query = call.atomType().getForm().query;
  atom::InstructionDescriptor d;
  d.a = row.a.element;
  d.b = row.b.element;
  d.c = row.d.element;
  d.m = int(call.atom.m);
  d.n = int(call.atom.n);
  d.aMajor = query.aMajor;
  d.bMajor = query.bMajor;
  d.saturates = query.overflow == atom::Overflow::Satfinite;
  d.isSparse = row.sparsity.isSparse();
  d.selector = int(call.selector);
  d.scale = row.scale.element;
  constexpr int longK = 96; // of sm_103
  d.isLong = row.k == longK;
  return atom::encode(row.kind, d);
}

/// The word with a field of one bit that is known at run time.
Result<Value> withFlag(Expander &e, const MmaCall &call, Value word, size_t field, int bit) {
  Value flag = e.emit.field(call.value, field);
  if (matchPattern(flag, m_Zero()))
    return word;
  if (!call.row().negates())
    return Reason{"Negate", cute_nvgpu::negateRefusal(call.row())};
  Type i32 = e.b.getI32Type();
  Value wide = arith::ExtUIOp::create(e.b, e.loc(), i32, flag);
  Value moved = arith::ShLIOp::create(e.b, e.loc(), wide, e.emit.constant(bit, i32));
  return Value(arith::OrIOp::create(e.b, e.loc(), word, moved));
}

Result<Done> tensorMma(MmaCall call) {
  Expander &e = call.e;
  const atom::MmaRow &row = call.row();
  const MmaForm &form = call.atomType().getForm();
  TESSERA_TRY(uint32_t word, instructionWord(call));
  Value idesc = e.emit.constant(int32_t(word), e.b.getI32Type());
  TESSERA_TRY(idesc, withFlag(e, call, idesc, NegateA, atom::negateABit));
  TESSERA_TRY(idesc, withFlag(e, call, idesc, NegateB, atom::negateBBit));
  Value a = row.a.where == atom::Residency::Tmem ? operandPointer(e, call.a)
                                                 : e.emit.value(call.a.iterator);
  Value b = e.emit.value(call.b.iterator);
  Value d = operandPointer(e, call.d);
  Value accumulate = e.emit.field(call.value, Accumulate);
  ArchUmmaOp::create(e.b, e.loc(), a, b, d, idesc, accumulate, form.a, TypeAttr::get(form.b),
                     uint32_t(row.ctas), uint32_t(form.cScaleExp),
                     MmaKindAttr::get(e.b.getContext(), row.kind), ScaleVecAttr(),
                     CollectorOpAttr());
  return Done{};
}

constexpr MmaRecipe products[] = {{atom::Recipe::Umma, tensorMma}};

//===--- loads and stores ---------------------------------------------------------------------===//

Result<Done> tmemLoad(CopyCall call) {
  Expander &e = call.e;
  const atom::CopyKey &key = call.row().key;
  int64_t registers = call.row().registersFor(call.atom.amount);
  Value loaded = ArchTmemLoadOp::create(
      e.b, e.loc(), registersType(e, registers), operandPointer(e, call.src), uint32_t(key.rows),
      uint32_t(key.columns), uint32_t(call.atom.amount), key.packed16);
  return storeWords(e, call.dst, e.elements(loaded));
}

Result<Done> tmemStore(CopyCall call) {
  Expander &e = call.e;
  const atom::CopyKey &key = call.row().key;
  TESSERA_TRY(SmallVector<Value> words,
              loadWords(e, call.src, e.b.getI32Type(), call.row().registersFor(call.atom.amount)));
  ArchTmemStoreOp::create(e.b, e.loc(), operandPointer(e, call.dst), e.pack(words),
                          uint32_t(key.rows), uint32_t(key.columns), uint32_t(call.atom.amount),
                          key.packed16);
  return Done{};
}

constexpr CopyRecipe copies[] = {
    {atom::CopyFamily::TmemLoad, tmemLoad},
    {atom::CopyFamily::TmemStore, tmemStore},
};
} // namespace

const Family tensorFamily = {products, copies, {}, addTensorPatterns};

} // namespace tessera::lower
