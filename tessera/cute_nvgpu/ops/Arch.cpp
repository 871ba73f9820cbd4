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
  if (getCacheMode() == LoadCacheMode::global &&
      bits != 128) // PTX ISA 9.7.9.25.3.1: .cg copies 16 bytes
    return refuse(*this, Diag::CpAsyncGlobal, bits);
  return verifySmem(*this, getDst());
}

/// The key picks a row, and the registers are as many as its instruction has.
static LogicalResult verifyMatrices(Operation *op, Value pointer, Type registers,
                                    const atom::CopyKey &key) {
  Result<const atom::CopyRow *> row = atom::find(key);
  if (!row)
    return refuse(op, Diag::NoSuchAtom, StringRef(row.reason().text));
  auto vector = dyn_cast<VectorType>(registers);
  int64_t expected = (*row)->registersFor(0);
  if ((vector ? vector.getNumElements() : 1) != expected)
    return refuse(op, Diag::MatrixResults,
                  expected == key.matrices ? "one 32-bit register" : "two 32-bit registers",
                  key.matrices, registers);
  return verifySmem(op, pointer);
}
LogicalResult ArchLdsmOp::verify() {
  return verifyMatrices(
      *this, getSrc(), getType(),
      ldsmKey(getMatrixShape(), getSzPattern(), int32_t(getNumMatrices()), getTranspose()));
}
LogicalResult ArchStsmOp::verify() {
  return verifyMatrices(*this, getDst(), getValue().getType(),
                        stsmKey(getMatrixShape(), int32_t(getNumMatrices()), getTranspose()));
}

//===--- warp MMAs ----------------------------------------------------------------------------===//

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

/// Whether a shape is (M,N,K), three numbers.
bool isMnk(const layout::Tree &shape) {
  return shape.isTuple() && shape.rank() == 3 && shape.depth() == 1 && shape.isStatic();
}

/// The shape must be (M,N,K).
atom::MmaQuery baseQuery(atom::MmaFamily family, const layout::Tree &shape, Type a, Type b,
                         TypeRange c) {
  atom::MmaQuery query{.family = family};
  query.m = shape[0].leaf().value.value;
  query.n = shape[1].leaf().value.value;
  query.k = shape[2].leaf().value.value;
  query.a = elementOf(a);
  query.b = elementOf(b);
  query.c = accumulatorOf(c);
  return query;
}
template <class Op> atom::MmaQuery warpQuery(Op op, atom::MmaFamily family) {
  return baseQuery(family, op.getShape_MNK().getValue(), op.getAType(), op.getBType(),
                   op.getC().getTypes());
}
atom::Major majorOf(Major major) { return major == Major::k ? atom::Major::K : atom::Major::MN; }

bool holds(Type type, atom::RegisterType registerType) {
  int64_t bits = 0;
  if (auto vector = dyn_cast<VectorType>(type))
    bits = vector.getNumElements() * vector.getElementTypeBitWidth();
  else if (type.isIntOrFloat())
    bits = type.getIntOrFloatBitWidth();
  return bits == atom::bits(registerType);
}

/// What there is instead of the registers: how many, or where that is right, of which types.
std::string shownRegisters(TypeRange types, int expected) {
  std::string text;
  llvm::raw_string_ostream out(text);
  if (int(types.size()) == expected)
    llvm::interleaveComma(types, out);
  else
    out << types.size();
  return text;
}

/// An operand of an MMA on registers, and the row's side of it.
struct Group {
  StringRef name;
  TypeRange types;
  const atom::Operand &operand;
};
LogicalResult verifyGroups(Operation *op, const atom::MmaRow &row, int64_t n,
                           ArrayRef<Group> groups) {
  for (const Group &group : groups) {
    const atom::Registers &registers = group.operand.registers;
    int expected = registers.at(n);
    bool fits = int(group.types.size()) == expected;
    for (Type type : group.types)
      fits &= holds(type, registers.type);
    if (!fits)
      return refuse(op, Diag::MmaRegisters, expected, StringRef(atom::ptxName(registers.type)),
                    group.name, StringRef(row.name), shownRegisters(group.types, expected));
  }
  return success();
}

/// The row of an op whose shape is (M,N,K).
template <class Op> FailureOr<const atom::MmaRow *> rowFor(Op op, const layout::Tree &shape) {
  if (!isMnk(shape))
    return refuse(op, Diag::MmaShape, shape);
  Result<const atom::MmaRow *> found = op.getRow();
  if (!found)
    return refuse(op, Diag::NoSuchAtom, StringRef(found.reason().text));
  return *found;
}

template <class Op> LogicalResult verifyWarpMma(Op op) {
  FailureOr<const atom::MmaRow *> found = rowFor(op, op.getShape_MNK().getValue());
  if (failed(found))
    return failure();
  const atom::MmaRow &row = **found;
  return verifyGroups(op, row, row.n.first,
                      {{"A", op.getA().getTypes(), row.a},
                       {"B", op.getB().getTypes(), row.b},
                       {"C", op.getC().getTypes(), row.d},
                       {"D", op.getD().getTypes(), row.d}});
}
} // namespace

Result<const atom::MmaRow *> ArchMmaSm80Op::getRow() {
  atom::MmaQuery query = warpQuery(*this, atom::MmaFamily::Sm80Mma);
  query.aMajor = majorOf(getAMajor().value_or(Major::k));
  query.bMajor = majorOf(getBMajor().value_or(Major::k));
  query.overflow = atom::Overflow(int(getOverflow().value_or(Overflow::wrapped)));
  query.bitOp = atom::BitOp(int(getBinaryOp().value_or(BinaryOp::none)));
  return atom::find(query);
}
Result<const atom::MmaRow *> ArchMmaSm89Op::getRow() {
  return atom::find(warpQuery(*this, atom::MmaFamily::Sm89Mma));
}
Result<const atom::MmaRow *> ArchMmaSm80SparseOp::getRow() {
  atom::MmaQuery query = warpQuery(*this, atom::MmaFamily::Sm80SparseMma);
  query.overflow = atom::Overflow(int(getOverflow().value_or(Overflow::wrapped)));
  query.metadata = getSparseMetadataFormat() == SparseMetadataFormat::plain
                       ? atom::Metadata::Plain
                       : atom::Metadata::Ordered;
  return atom::find(query);
}

Result<const atom::MmaRow *> ArchMmaSm120ScaledOp::getRow() {
  atom::MmaQuery query = warpQuery(*this, atom::MmaFamily::Sm120MmaBs);
  query.scale = scaleElementOf(getSfType());
  query.vec = int(getVecSize());
  atom::ScaledForm scaled{query.a,     query.b, query.c,   query.scale,
                          query.scale, query.k, query.vec, query.vec};
  if (std::optional<Reason> refusal = atom::scaledRefusal(scaled))
    return *std::move(refusal);
  return atom::find(query);
}

std::string tessera::cute_nvgpu::selectorRefusal(const atom::MmaRow &row, int32_t selector) {
  int selectors = std::max<int>(1, row.sparsity.selectors);
  return selector >= 0 && selector < selectors
             ? std::string()
             : sentence(Diag::Selector, selectors, StringRef(row.name), selector);
}

namespace {
template <class Op> atom::MmaQuery groupQuery(Op op, atom::MmaFamily family) {
  atom::MmaQuery query = baseQuery(family, op.getShapeMNK().getValue(), op.getAType(),
                                   op.getBType(), op.getC().getTypes());
  query.aMajor = majorOf(op.getAMajor());
  query.bMajor = majorOf(op.getBMajor());
  query.aFrom = op.takesDescriptor() ? atom::Residency::Smem : atom::Residency::Rmem;
  query.overflow = atom::Overflow(int(op.getOverflow().value_or(Overflow::wrapped)));
  query.c = elementOf(op.getCdType());
  return query;
}

template <class Op> bool hasDescriptorA(Op op) {
  return llvm::any_of(op.getA().getTypes(), llvm::IsaPred<SmemDescType>);
}

template <class Op> LogicalResult verifyGroupMma(Op op) {
  FailureOr<const atom::MmaRow *> found = rowFor(op, op.getShapeMNK().getValue());
  if (failed(found))
    return failure();
  const atom::MmaRow &row = **found;
  if (elementOf(op.getCdType()) != accumulatorOf(op.getC().getTypes()))
    return refuse(op, Diag::AccumulatorType, op.getCdType(), op.getC().getTypes().front());
  if ((op.getNegA() || op.getNegB()) && !row.negates())
    return refuse(op, Diag::Negate, StringRef(row.name));
  if (op.takesDescriptor() && op.getA().size() != 1)
    return refuse(op, Diag::OneDescriptor, op.getA().size());
  SmallVector<Group> groups = {{"C", op.getC().getTypes(), row.c},
                               {"D", op.getD().getTypes(), row.c}};
  if (!op.takesDescriptor())
    groups.push_back({"A", op.getA().getTypes(), row.a});
  return verifyGroups(op, row, op.getShapeMNK().getValue()[1].leaf().value.value, groups);
}

/// Whether the row's instruction has the selector that the op states.
template <class Op> LogicalResult verifySelector(Op op) {
  std::string wrong = selectorRefusal(**op.getRow(), op.getSelector());
  return wrong.empty() ? success() : LogicalResult(op.emitOpError() << wrong);
}
} // namespace

Result<const atom::MmaRow *> ArchMmaSm90Op::getRow() {
  atom::MmaQuery query = groupQuery(*this, atom::MmaFamily::Sm90Mma);
  query.bitOp = atom::BitOp(int(getBinaryOp().value_or(BinaryOp::none)));
  return atom::find(query);
}
Result<const atom::MmaRow *> ArchMmaSm90SparseOp::getRow() {
  atom::MmaQuery query = groupQuery(*this, atom::MmaFamily::Sm90MmaSp);
  query.metadata = atom::Metadata::Plain;
  return atom::find(query);
}
bool ArchMmaSm90Op::takesDescriptor() { return hasDescriptorA(*this); }
bool ArchMmaSm90SparseOp::takesDescriptor() { return hasDescriptorA(*this); }
LogicalResult ArchMmaSm90Op::verify() { return verifyGroupMma(*this); }
LogicalResult ArchMmaSm90SparseOp::verify() {
  return failed(verifyGroupMma(*this)) ? failure() : verifySelector(*this);
}

LogicalResult ArchMmaSm80Op::verify() { return verifyWarpMma(*this); }
LogicalResult ArchMmaSm89Op::verify() { return verifyWarpMma(*this); }
/// Scale ids. Source: ptxas 13.0, which takes these and no others.
LogicalResult ArchMmaSm120ScaledOp::verify() {
  if (failed(verifyWarpMma(*this)))
    return failure();
  constexpr int bytes = 4;
  int factors = (*getRow())->k / int(getVecSize());
  for (auto [name, id] :
       {std::pair<StringRef, uint32_t>("byte_id_a", getByteIdA()), {"byte_id_b", getByteIdB()}})
    if (int(id) % factors != 0 || int(id) >= bytes || int(id) < 0)
      return refuse(*this, Diag::ScaleByte, factors, name, int(id));
  for (auto [name, id, lanes] :
       {std::tuple<StringRef, uint32_t, int>("thread_id_a", getThreadIdA(), 2),
        {"thread_id_b", getThreadIdB(), 4}})
    if (int(id) < 0 || int(id) >= lanes)
      return refuse(*this, Diag::ScaleThread, name, lanes, int(id));
  return success();
}
LogicalResult ArchMmaSm80SparseOp::verify() {
  return failed(verifyWarpMma(*this)) ? failure() : verifySelector(*this);
}

#define GET_OP_CLASSES
#include "tessera/cute_nvgpu/ops/Arch.cpp.inc"
