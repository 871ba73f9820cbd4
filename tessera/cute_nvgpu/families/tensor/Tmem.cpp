// Tensor memory ops: forms and rules.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute_nvgpu/CuteNvgpu.h"
#include "tessera/cute_nvgpu/Diagnostics.h"
#include "tessera/cute_nvgpu/families/tensor/Tensor.h"

#include "tessera/atom/SmemDescriptor.h"
#include "tessera/atom/TensorMemory.h"

#include "tessera/layout/Domains.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/OpImplementation.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute_nvgpu;
using tessera::cute::AddressSpace;
using tessera::cute::PtrType;

/// `[ cta_1]` or `[cta_2]`.
static ParseResult parseCtaGroup(OpAsmParser &parser, UnitAttr &isTwoCta) {
  StringRef group;
  SMLoc loc;
  if (parser.parseLSquare() || parser.getCurrentLocation(&loc) || parser.parseKeyword(&group) ||
      parser.parseRSquare())
    return failure();
  if (group != "cta_1" && group != "cta_2")
    return parser.emitError(loc, "expects cta_1 or cta_2, but got '") << group << "'";
  if (group == "cta_2")
    isTwoCta = parser.getBuilder().getUnitAttr();
  return success();
}
static void printCtaGroup(OpAsmPrinter &printer, Operation *, UnitAttr isTwoCta) {
  printer << (isTwoCta ? "[cta_2]" : "[ cta_1]");
}

static LogicalResult verifySpace(Operation *op, StringRef what, PtrType type, AddressSpace space) {
  return type.getAddressSpace() == space
             ? success()
             : refuse(op, Diag::PointerSpace, what, atom::name(space), type);
}
static LogicalResult verifySpace(Operation *op, StringRef what, Value pointer, AddressSpace space) {
  return verifySpace(op, what, cast<PtrType>(pointer.getType()), space);
}
/// The unit of allocation. Source: PTX ISA 9.7.16.7.1, tcgen05.alloc.
static LogicalResult verifyColumns(Operation *op, Value columns) {
  APInt count;
  if (!matchPattern(columns, m_ConstantInt(&count)))
    return success();
  int64_t n = count.getSExtValue();
  return n >= 32 && n <= tmemColumns && llvm::isPowerOf2_64(uint64_t(n))
             ? success()
             : refuse(op, Diag::TmemColumns, n);
}
LogicalResult AllocTmemOp::verify() {
  if (failed(verifySpace(*this, "the place of the address", getSmem(), AddressSpace::Smem)))
    return failure();
  return verifyColumns(*this, getNumColumns());
}
LogicalResult DeallocTmemOp::verify() {
  if (failed(verifySpace(*this, "what is freed", getTmem(), AddressSpace::Tmem)))
    return failure();
  return verifyColumns(*this, getNumColumns());
}
LogicalResult RetrieveTmemPtrOp::verify() {
  if (failed(verifySpace(*this, "the place of the address", getSmem(), AddressSpace::Smem)))
    return failure();
  return verifySpace(*this, "the address", getResult(), AddressSpace::Tmem);
}

Result<Type> tessera::cute_nvgpu::tensorCopyType(Type atomType, Type tensorType) {
  auto atom = dyn_cast<TableCopyAtom>(cute::untiled(atomType));
  auto copy = atom ? copyInstanceOf(atom) : std::nullopt;
  auto tensor = dyn_cast<cute::CuteMemRefType>(tensorType);
  if (!copy)
    return reason(Diag::TensorCopyAtom, StringRef("to or from tensor memory"), atomType);
  if (!tensor || tensor.getPtrType().getAddressSpace() != AddressSpace::Tmem)
    return reason(Diag::PointerSpace, StringRef("the tensor"), atom::name(AddressSpace::Tmem),
                  tensorType);
  layout::AnyLayout l = tensor.getLayout();
  if (!l.affine() || !l.isStatic())
    return reason(Diag::TensorCopyStatic, l);
  int64_t bits = cute::bitsOf(atom.getValueType());
  if (bits != cute::bitsOf(tensor.getElementType()))
    return reason(Diag::TensorCopyBits, bits, cute::bitsOf(tensor.getElementType()));
  Result<atom::TensorCopyTiling> tiling =
      atom::tensorCopyTiling(*copy->row, copy->amount, bits, l.outer());
  if (!tiling)
    return reason(Diag::TensorCopyRefused, StringRef(tiling.reason().text));
  MLIRContext *context = atomType.getContext();
  return Type(cute::TiledCopyType::get(context, Type(atom),
                                       cute::LayoutAttr::get(context, tiling->layoutTV),
                                       cute::TileAttr::get(context, tiling->tiler)));
}
/// The result is what the atom makes of the tensor.
template <class Op>
static LogicalResult verifyTensorCopy(Op op, StringRef what, bool (*fits)(const atom::CopyRow &)) {
  auto copy = copyInstanceOf(op.getAtom().getType());
  if (!copy || !fits(*copy->row))
    return refuse(op, Diag::TensorCopyAtom, what, op.getAtom().getType());
  if (failed(
          verifySpace(op, "the tensor", op.getTmem().getType().getPtrType(), AddressSpace::Tmem)))
    return failure();
  Result<Type> expected = tensorCopyType(op.getAtom().getType(), op.getTmem().getType());
  if (!expected)
    return op.emitOpError() << expected.reason().text;
  return op.getType() == *expected ? success()
                                   : refuse(op, Diag::TensorCopyType, *expected, op.getType());
}
LogicalResult MakeTmemCopyOp::verify() {
  return verifyTensorCopy(*this, "to or from tensor memory", [](const atom::CopyRow &row) {
    return row.completion == atom::Completion::TcgenWait;
  });
}
static bool isS2T(const atom::CopyRow &row) { return row.key.family == atom::CopyFamily::S2TCopy; }
LogicalResult MakeS2TCopyOp::verify() {
  return verifyTensorCopy(*this, "from shared to tensor memory", isS2T);
}

//===--- descriptors --------------------------------------------------------------------------===//

/// Source: CUTLASS get_utccp_smem_desc_tensor.
Result<layout::Layout> GetCopyS2TSmemDescViewOp::getMatrix() {
  auto copy = copyInstanceOf(getAtom().getType());
  auto partition = getPartition().getType();
  layout::AnyLayout l = partition.getLayout();
  layout::Symbolic arith;
  bool isVector = l.affine() && l.rank() > 0 && l.shape()[0].isTuple() &&
                  l.shape()[0].rank() == 2 && l.outer()[0].isStatic() &&
                  layout::product(arith, l.shape()[0][1]).is(1);
  if (!isVector)
    return reason(Diag::S2TSource, l);
  const atom::CopyKey &key = copy->row->key;
  int64_t bits = cute::bitsOf(partition.getElementType());
  layout::Layout values = layout::flatten(l.outer()[0][0]);
  layout::Tree shape = layout::Tree::of({key.rows, key.columns / bits});
  Result<layout::Layout> matrix =
      layout::composition(arith, values, layout::compactMajor(arith, shape));
  if (!matrix || key.columns % bits)
    return reason(Diag::S2TPartial, key.rows, key.columns, layout::AnyLayout(values));
  return layout::concat({*matrix});
}
LogicalResult GetCopyS2TSmemDescViewOp::verify() {
  auto copy = copyInstanceOf(getAtom().getType());
  if (!copy || !isS2T(*copy->row))
    return refuse(*this, Diag::TensorCopyAtom, StringRef("from shared to tensor memory"),
                  getAtom().getType());
  auto partition = getPartition().getType();
  if (failed(verifySpace(*this, "the partition", partition.getPtrType(), AddressSpace::Smem)))
    return failure();
  Result<layout::Layout> matrix = getMatrix();
  if (!matrix)
    return emitOpError() << matrix.reason().text;
  Result<uint64_t> word = atom::smemDescriptor(
      atom::DescriptorKind::Tcgen05, (*matrix)[0], partition.getPtrType().getSwizzle(),
      cute::bitsOf(partition.getElementType()), atom::Major::K);
  if (!word)
    return refuse(*this, Diag::NoSuchDescriptor, StringRef(word.reason().text));
  constexpr int64_t unit = 128;
  layout::Symbolic arith;
  Result<layout::AnyLayout> l =
      layout::recast(arith, partition.getLayout(), cute::bitsOf(partition.getElementType()), unit);
  if (!l)
    return emitOpError() << l.reason().text;
  auto expected =
      SmemDescViewType::get(getContext(), SmemDescType::get(getContext()), *std::move(l));
  return getType() == expected ? success()
                               : refuse(*this, Diag::S2TView, Type(expected), getType());
}

#define GET_OP_CLASSES
#include "tessera/cute_nvgpu/families/tensor/Tmem.cpp.inc"
