// Atoms of tensor memory: products of matrices in shared and tensor memory, loads and stores.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/lower/families/tensor/Tensor.h"

#include "tessera/atom/InstructionDescriptor.h"
#include "tessera/cute_nvgpu/Diagnostics.h"

#include "tessera/layout/Text.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute;
using namespace tessera::cute_nvgpu;

namespace tessera::lower {

namespace {

//===--- products -----------------------------------------------------------------------------===//

/// The fields of the instruction descriptor that follow from the atom's type.
Result<uint32_t> instructionWord(const MmaCall &call) {
  const atom::MmaRow &row = call.row();
  const atom::MmaQuery &query = call.atomType().getForm().query;
  // PTX ISA, tcgen05, the table of major-ness; CUTLASS does not ask for it.
  if (int64_t step = 16 * row.ctas;
      query.bMajor == atom::Major::MN && atom::bits(row.b.element) == 8 && call.atom.n % step != 0)
    return Reason{"UmmaBytesAlongN",
                  cute_nvgpu::sentence(cute_nvgpu::Diag::UmmaBytesAlongN, step, call.atom.n)};
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

/// The word with a field of one bit that is known only at run time. For integers, which no product
/// negates, the field may be a parameter of the kernel, too; if the host sets it, that sets a
/// reserved bit.
Result<Value> withFlag(Expander &e, const MmaCall &call, Value word, StringRef name, int bit) {
  Value flag = field(call, name);
  if (matchPattern(flag, m_Zero()))
    return word;
  if (!call.row().negates() && matchPattern(flag, m_NonZero()))
    return Reason{"Negate", cute_nvgpu::negateRefusal(call.row())};
  Type i32 = e.b.getI32Type();
  Value wide = arith::ExtUIOp::create(e.b, e.loc(), i32, flag);
  Value moved = arith::ShLIOp::create(e.b, e.loc(), wide, e.emit.constant(bit, i32));
  return Value(arith::OrIOp::create(e.b, e.loc(), word, moved));
}

StringRef nameOf(const atom::MmaRow &row) {
  if (row.scale.isScaled())
    return row.sparsity.isSparse() ? ArchUmmaBlockScaledSparseOp::getOperationName()
                                   : ArchUmmaBlockScaledOp::getOperationName();
  return row.sparsity.isSparse() ? ArchUmmaSparseOp::getOperationName()
                                 : ArchUmmaOp::getOperationName();
}

/// The factors of so many rows, as one product reads them. Source: CUTLASS tmem_sf_frg.
Value scales(const MmaCall &call, StringRef name, int64_t rows) {
  Expander &e = call.e;
  constexpr int64_t group = 32; // rows that have a column
  const atom::MmaRow &row = call.row();
  layout::Layout l =
      *layout::parseLayout(cat("(((32,", (rows + group - 1) / group, "),4),(", row.scale.vec, ",",
                               row.k / row.scale.vec, ")):(((262144,4),8388608),(0,1))"));
  Value pointer = field(call, name);
  MLIRContext *context = e.b.getContext();
  Value shape = StaticOp::create(e.b, e.loc(), LayoutType::get(context, l));
  Type view = CuteMemRefType::get(context, cast<PtrType>(pointer.getType()), l);
  return MakeViewOp::create(e.b, e.loc(), view, pointer, shape);
}

Result<Done> tensorMma(MmaCall call) {
  Expander &e = call.e;
  const atom::MmaRow &row = call.row();
  const MmaForm &form = call.atomType().getForm();
  TESSERA_TRY(uint32_t word, instructionWord(call));
  Value idesc = e.emit.constant(int32_t(word), e.b.getI32Type());
  TESSERA_TRY(idesc, withFlag(e, call, idesc, "neg_a", atom::negateABit));
  TESSERA_TRY(idesc, withFlag(e, call, idesc, "neg_b", atom::negateBBit));
  TESSERA_TRY(Value a, row.a.where == atom::Residency::Tmem
                           ? operandPointer(e, call.a)
                           : Result<Value>(e.emit.value(call.a.iterator)));
  Value b = e.emit.value(call.b.iterator);
  TESSERA_TRY(Value d, operandPointer(e, call.d));
  Value accumulate = field(call, "accum_c");
  OperationState state(e.loc(), nameOf(row));
  state.addOperands({a, b, d, idesc, accumulate});
  if (form.laneMask)
    state.addOperands(field(call, "disable_output_lane"));
  if (row.sparsity.isSparse())
    state.addOperands(field(call, "e"));
  if (row.scale.isScaled())
    state.addOperands(
        {scales(call, "sf_a", call.atom.m / row.ctas), scales(call, "sf_b", call.atom.n)});
  MLIRContext *context = e.b.getContext();
  state.addAttribute("a_type", TypeAttr::get(form.a));
  state.addAttribute("b_type", TypeAttr::get(form.b));
  state.addAttribute("num_cta", e.b.getI32IntegerAttr(row.ctas));
  state.addAttribute("scale", e.b.getI32IntegerAttr(int32_t(form.cScaleExp)));
  state.addAttribute("kind", MmaKindAttr::get(context, row.kind));
  if (row.weightStationary)
    state.addAttribute("weight_stationary", e.b.getUnitAttr());
  if (form.ashift)
    state.addAttribute("ashift", e.b.getUnitAttr());
  if (form.collector != atom::Collector::Discard)
    state.addAttribute("collector_a", CollectorOpAttr::get(context, form.collector));
  if (form.collector != atom::Collector::Discard && form.collectorBuffer)
    state.addAttribute("collector_buffer", e.b.getI32IntegerAttr(int32_t(form.collectorBuffer)));
  e.b.create(state);
  return Done{};
}

constexpr MmaRecipe products[] = {{atom::Recipe::Umma, tensorMma}};

//===--- loads and stores ---------------------------------------------------------------------===//

Result<Done> tmemLoad(CopyCall call) {
  Expander &e = call.e;
  const atom::CopyKey &key = call.row().key;
  int64_t registers = call.row().registersFor(call.atom.amount);
  TESSERA_TRY(Value src, operandPointer(e, call.src));
  Value loaded =
      ArchTmemLoadOp::create(e.b, e.loc(), registersType(e, registers), src, uint32_t(key.rows),
                             uint32_t(key.columns), uint32_t(call.atom.amount), key.packed16);
  return storeWords(e, call.dst, e.elements(loaded));
}

/// A copy with one destination says nothing of where the reduced numbers go; one with two becomes
/// the instruction where it is read (import/rows/Grouped.cpp).
Result<Done> tmemLoadReduced(CopyCall) {
  return Reason{"LoadReduced", "loads of tensor memory that reduce take two destinations: expects "
                               "cute.copy(atom, src, [values, reduced])"};
}

Result<Done> tmemStore(CopyCall call) {
  Expander &e = call.e;
  const atom::CopyKey &key = call.row().key;
  TESSERA_TRY(SmallVector<Value> words,
              loadWords(e, call.src, e.b.getI32Type(), call.row().registersFor(call.atom.amount)));
  TESSERA_TRY(Value dst, operandPointer(e, call.dst));
  ArchTmemStoreOp::create(e.b, e.loc(), dst, e.pack(words), uint32_t(key.rows),
                          uint32_t(key.columns), uint32_t(call.atom.amount), key.packed16);
  return Done{};
}

Result<Done> smemToTmem(CopyCall call) {
  Expander &e = call.e;
  const atom::CopyKey &key = call.row().key;
  if (!isa<SmemDescType>(call.src.iterator.type))
    return Reason{"S2TDescriptors",
                  "expects descriptors as source: atom.get_copy_s2t_smem_desc_view makes them"};
  TESSERA_TRY(Value dst, operandPointer(e, call.dst));
  ArchCopyS2TOp::create(e.b, e.loc(), e.emit.value(call.src.iterator), dst, uint32_t(key.rows),
                        uint32_t(key.columns), uint32_t(key.ctas), key.broadcast,
                        PackedFormatAttr());
  return Done{};
}

constexpr CopyRecipe copies[] = {
    {atom::CopyFamily::S2TCopy, smemToTmem},
    {atom::CopyFamily::TmemLoad, tmemLoad},
    {atom::CopyFamily::TmemLoadRed, tmemLoadReduced},
    {atom::CopyFamily::TmemStore, tmemStore},
};
} // namespace

const Unit tensorUnit = {products,
                         copies,
                         {},
                         addTensorPatterns,
                         "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32"};

} // namespace tessera::lower
