// Atoms of a warp: matrices from and to shared memory, and products on registers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/lower/families/warp/Warp.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute;
using namespace tessera::cute_nvgpu;

namespace tessera::lower {

//===--- matrices -----------------------------------------------------------------------------===//

/// The shape attribute of a matrix of 8-bit or 16-bit elements.
static ShapeAttr matrixShape(const CopyCall &call) {
  const atom::CopyKey &key = call.row().key;
  return ShapeAttr::get(call.e.b.getContext(), layout::Tree::of({key.rows, key.columns}));
}

/// Turns each pair {b0..b3}, {b4..b7} into {b0,b1,b4,b5}, {b2,b3,b6,b7}.
static void interleaveBytes(Expander &e, MutableArrayRef<Value> words) {
  Type i32 = e.b.getI32Type();
  constexpr int32_t lowHalves = 0x5410, highHalves = 0x7632;
  for (size_t i = 0; i + 1 < words.size(); i += 2) {
    Value first = words[i], second = words[i + 1];
    auto permute = [&](int32_t selector) -> Value {
      return NVVM::PermuteOp::create(e.b, e.loc(), i32, first, second,
                                     e.emit.constant(selector, i32), NVVM::PermuteMode::DEFAULT);
    };
    words[i] = permute(lowHalves);
    words[i + 1] = permute(highHalves);
  }
}

static Result<Done> loadMatrix(CopyCall call) {
  Expander &e = call.e;
  const CopyForm &form = call.atomType().getForm();
  int64_t registers = call.row().registersFor(call.atom.amount);
  TESSERA_TRY(Value src, operandPointer(e, call.src));
  Value loaded =
      ArchLdsmOp::create(e.b, e.loc(), registersType(e, registers), src, matrixShape(call),
                         form.pattern, uint32_t(form.key.matrices), form.key.transpose);
  SmallVector<Value> words = e.elements(loaded);
  if (call.row().fixup == atom::Fixup::InterleaveBytes)
    interleaveBytes(e, words);
  return storeWords(e, call.dst, words);
}

static Result<Done> storeMatrix(CopyCall call) {
  Expander &e = call.e;
  const CopyForm &form = call.atomType().getForm();
  TESSERA_TRY(SmallVector<Value> words,
              loadWords(e, call.src, e.b.getI32Type(), call.row().registersFor(call.atom.amount)));
  TESSERA_TRY(Value dst, operandPointer(e, call.dst));
  ArchStsmOp::create(e.b, e.loc(), dst, e.pack(words), matrixShape(call),
                     uint32_t(form.key.matrices), form.key.transpose);
  return Done{};
}

//===--- products -----------------------------------------------------------------------------===//

namespace {
/// The architecture op of a family.
struct WarpOp {
  atom::MmaFamily family;
  StringLiteral name;
};
const WarpOp warpOps[] = {
    {atom::MmaFamily::Sm80Mma, ArchMmaSm80Op::getOperationName()},
    {atom::MmaFamily::Sm80SparseMma, ArchMmaSm80SparseOp::getOperationName()},
    {atom::MmaFamily::Sm89Mma, ArchMmaSm89Op::getOperationName()},
    {atom::MmaFamily::Sm120Mma, ArchMmaSm120Op::getOperationName()},
    {atom::MmaFamily::Sm120MmaSp, ArchMmaSm120SparseOp::getOperationName()},
    {atom::MmaFamily::Sm120MmaBs, ArchMmaSm120ScaledOp::getOperationName()},
    {atom::MmaFamily::Sm120MmaBsSp, ArchMmaSm120ScaledSparseOp::getOperationName()},
};

/// The columns that an atom states, as attributes of its op.
void setAttributes(OperationState &state, MmaCall &call) {
  OpBuilder &b = call.e.b;
  MLIRContext *context = b.getContext();
  const atom::MmaRow &row = call.row();
  const MmaForm &form = call.atomType().getForm();
  const atom::MmaQuery &query = form.query;
  state.addAttribute("shape_MNK",
                     ShapeAttr::get(context, layout::Tree::of({call.atom.m, call.atom.n, row.k})));
  state.addAttribute("a_type", TypeAttr::get(form.a));
  state.addAttribute("b_type", TypeAttr::get(form.b));
  if (query.aMajor != atom::Major::K || query.bMajor != atom::Major::K) {
    state.addAttribute("a_major", MajorAttr::get(context, query.aMajor));
    state.addAttribute("b_major", MajorAttr::get(context, query.bMajor));
  }
  if (query.overflow != atom::Overflow::Wrapped)
    state.addAttribute("overflow", OverflowAttr::get(context, query.overflow));
  if (query.bitOp != atom::BitOp::None)
    state.addAttribute("binary_op", BinaryOpAttr::get(context, query.bitOp));
  if (row.sparsity.isSparse()) {
    state.addAttribute("sparse_metadata_format",
                       SparseMetadataFormatAttr::get(context, query.metadata));
    state.addAttribute("selector", b.getI32IntegerAttr(int32_t(call.selector)));
  }
  if (row.scale.isScaled()) {
    state.addAttribute("sf_type", TypeAttr::get(form.sf));
    state.addAttribute("vec_size", b.getI32IntegerAttr(query.vec));
  }
}

/// Registers of A, B and C in the order of their values, the instruction, registers of D.
Result<Done> warpMma(MmaCall call) {
  Expander &e = call.e;
  const atom::MmaRow &row = call.row();
  TableMmaAtom mma = call.atomType();
  using layout::MmaOperand;
  auto registers = [&](const View &view, const atom::Operand &operand, MmaOperand which) {
    Type type = registerType(e, operand, mma.getOperandType(which));
    return loadWords(e, view, type, operand.registers.at(call.atom.n));
  };
  // C has the registers of D, which the row states.
  TESSERA_TRY(SmallVector<Value> a, registers(call.a, row.a, MmaOperand::A));
  TESSERA_TRY(SmallVector<Value> b, registers(call.b, row.b, MmaOperand::B));
  TESSERA_TRY(SmallVector<Value> c, registers(call.c, row.d, MmaOperand::C));
  if (row.sparsity.isSparse())
    if (std::string wrong = selectorRefusal(row, call.selector); !wrong.empty())
      return Reason{"Selector", std::move(wrong)};

  const auto *known =
      llvm::find_if(warpOps, [&](const WarpOp &op) { return op.family == row.family; });
  OperationState state(e.loc(), known->name);
  SmallVector<int32_t> segments;
  for (ArrayRef<Value> group : {ArrayRef<Value>(a), ArrayRef<Value>(b), ArrayRef<Value>(c)}) {
    state.addOperands(group);
    segments.push_back(int32_t(group.size()));
  }
  // Metadata, scale factors: the op takes them in the order of the atom's fields.
  for (size_t field = 0; field < call.value.fields.size(); ++field) {
    state.addOperands(e.emit.field(call.value, field));
    segments.push_back(1);
  }
  setAttributes(state, call);
  state.addAttribute("operandSegmentSizes", e.b.getDenseI32ArrayAttr(segments));
  for (Value register_ : c)
    state.addTypes(register_.getType());
  Operation *op = e.b.create(state);
  return storeWords(e, call.d, op->getResults());
}

constexpr MmaRecipe products[] = {
    {atom::Recipe::MmaSync, warpMma},
    {atom::Recipe::MmaSparse, warpMma},
    {atom::Recipe::BlockScale, warpMma},
    {atom::Recipe::BlockScaleSparse, warpMma},
};
constexpr CopyRecipe copies[] = {
    {atom::CopyFamily::Ldsm, loadMatrix},
    {atom::CopyFamily::Stsm, storeMatrix},
};
} // namespace

const Unit warpUnit = {products, copies, {}, addWarpPatterns};

} // namespace tessera::lower
