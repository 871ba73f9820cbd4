// Architecture ops: which registers and pointers an instruction takes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute_nvgpu/CuteNvgpu.h"
#include "tessera/cute_nvgpu/Diagnostics.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute_nvgpu;
using cute::AddressSpace;
using cute::PtrType;

static LogicalResult verifySmem(Operation *op, Value pointer) {
  auto type = cast<PtrType>(pointer.getType());
  return type.getAddressSpace() == AddressSpace::smem ? success()
                                                      : refuse(op, Diag::SmemPointer, type);
}

LogicalResult ArchCpAsyncOp::verify() {
  int64_t bits = cast<PtrType>(getDst().getType()).getElementBits();
  if (bits != 32 && bits != 64 && bits != 128)
    return refuse(*this, Diag::CpAsyncBits, bits);
  if (getCacheMode() == LoadCacheMode::global && bits != 128) // PTX ISA 9.7.9.25.3.1: .cg copies 16 bytes
    return refuse(*this, Diag::CpAsyncGlobal, bits);
  return verifySmem(*this, getDst());
}

static LogicalResult verifyMatrices(Operation *op, Value pointer, Type registers, uint32_t matrices) {
  auto vector = dyn_cast<VectorType>(registers);
  if ((vector ? vector.getNumElements() : 1) < int64_t(matrices))
    return refuse(op, Diag::MatrixResults, matrices, registers);
  return verifySmem(op, pointer);
}
LogicalResult ArchLdsmOp::verify() {
  return verifyMatrices(*this, getSrc(), getType(), getNumMatrices());
}
LogicalResult ArchStsmOp::verify() {
  return verifyMatrices(*this, getDst(), getValue().getType(), getNumMatrices());
}

LogicalResult ArchTmaLoadOp::verify() {
  auto barrier = cast<PtrType>(getBarrier().getType());
  return barrier.getAddressSpace() == AddressSpace::smem ? success()
                                                         : refuse(*this, Diag::TmaBarrier);
}

//===--- warp MMAs ------------------------------------------------------------------------------------------===//

namespace {
/// The number format of an accumulator, from the type of its registers.
atom::Element accumulatorOf(TypeRange registers) {
  if (registers.empty())
    return atom::Element::none;
  Type type = registers.front();
  if (auto vector = dyn_cast<VectorType>(type))
    type = vector.getElementType();
  return elementOf(type);
}

template <class Op> atom::MmaQuery baseQuery(Op op, atom::MmaFamily family) {
  atom::MmaQuery query{.family = family};
  std::vector<layout::Leaf> extents = op.getShape_MNK().getValue().leaves();
  int64_t *into[] = {&query.m, &query.n, &query.k};
  for (size_t i = 0; i < std::min<size_t>(3, extents.size()); ++i)
    *into[i] = extents[i].value.value;
  query.a = elementOf(op.getAType());
  query.b = elementOf(op.getBType());
  query.c = accumulatorOf(op.getC().getTypes());
  return query;
}

bool holds(Type type, atom::RegisterType registerType) {
  int64_t bits = 0;
  if (auto vector = dyn_cast<VectorType>(type))
    bits = vector.getNumElements() * vector.getElementTypeBitWidth();
  else if (type.isIntOrFloat())
    bits = type.getIntOrFloatBitWidth();
  return bits == atom::bits(registerType);
}

template <class Op> LogicalResult verifyWarpMma(Op op) {
  Result<const atom::MmaRow *> found = op.getRow();
  if (!found)
    return refuse(op, Diag::NoSuchAtom, StringRef(found.reason().text));
  const atom::MmaRow &row = **found;
  struct {
    StringRef name;
    TypeRange types;
    const atom::Operand &operand;
  } groups[] = {{"A", op.getA().getTypes(), row.a},
                {"B", op.getB().getTypes(), row.b},
                {"C", op.getC().getTypes(), row.d},
                {"D", op.getD().getTypes(), row.d}};
  for (auto &group : groups) {
    const atom::Registers &registers = group.operand.registers;
    bool fits = int(group.types.size()) == registers.at(row.n.first);
    for (Type type : group.types)
      fits &= holds(type, registers.type);
    if (!fits)
      return refuse(op, Diag::WarpMmaRegisters, registers.at(row.n.first),
                    StringRef(atom::ptxName(registers.type)), group.name, StringRef(row.name),
                    group.types.size());
  }
  return success();
}
} // namespace

Result<const atom::MmaRow *> ArchMmaSm80Op::getRow() {
  atom::MmaQuery query = baseQuery(*this, atom::MmaFamily::Sm80Mma);
  auto major = [](std::optional<Major> m) {
    return m.value_or(Major::k) == Major::k ? atom::Major::K : atom::Major::MN;
  };
  query.aMajor = major(getAMajor());
  query.bMajor = major(getBMajor());
  query.overflow = atom::Overflow(int(getOverflow().value_or(Overflow::wrapped)));
  query.bitOp = atom::BitOp(int(getBinaryOp().value_or(BinaryOp::none)));
  return atom::find(query);
}
Result<const atom::MmaRow *> ArchMmaSm89Op::getRow() {
  return atom::find(baseQuery(*this, atom::MmaFamily::Sm89Mma));
}
Result<const atom::MmaRow *> ArchMmaSm80SparseOp::getRow() {
  atom::MmaQuery query = baseQuery(*this, atom::MmaFamily::Sm80SparseMma);
  query.overflow = atom::Overflow(int(getOverflow().value_or(Overflow::wrapped)));
  query.metadata = getSparseMetadataFormat() == SparseMetadataFormat::plain ? atom::Metadata::Plain
                                                                            : atom::Metadata::Ordered;
  return atom::find(query);
}

LogicalResult ArchMmaSm80Op::verify() { return verifyWarpMma(*this); }
LogicalResult ArchMmaSm89Op::verify() { return verifyWarpMma(*this); }
LogicalResult ArchMmaSm80SparseOp::verify() {
  if (failed(verifyWarpMma(*this)))
    return failure();
  const atom::MmaRow &row = **getRow();
  if (int(getSelector()) >= std::max<int>(1, row.sparsity.selectors))
    return refuse(*this, Diag::Selector, std::max<int>(1, row.sparsity.selectors), StringRef(row.name),
                  getSelector());
  return success();
}

#define GET_OP_CLASSES
#include "tessera/cute_nvgpu/ops/Arch.cpp.inc"
