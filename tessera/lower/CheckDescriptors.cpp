// CheckDescriptors: matrix descriptors against the layout they were made of, where an instruction
// takes them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/lower/Functions.h"
#include "tessera/lower/Passes.h"

#include "tessera/atom/SmemDescriptor.h"
#include "tessera/cute_nvgpu/CuteNvgpu.h"
#include "tessera/cute_nvgpu/Diagnostics.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute_nvgpu;
using atom::DescriptorKind;
using cute::PtrType;
using layout::MmaOperand;

namespace tessera::lower {
#define GEN_PASS_DEF_CHECKDESCRIPTORS
#include "tessera/lower/Passes.h.inc"

namespace {

/// The requirements of an instruction on an operand. Those that an op does not state are left open.
struct Wanted {
  Operation *op;
  StringRef name; // A or B
  DescriptorKind kind;
  Type element;
  std::optional<atom::Major> major;
  int64_t elements = 0; // of one instruction, 0 if not known
};
/// What a descriptor was made from.
struct Source {
  std::optional<DescriptorKind> kind; // of a descriptor; a view is made for its atom
  PtrType pointer;
  layout::Layout tile; // of one instruction
  std::optional<atom::Major> major;
};

/// The op that made a descriptor or a view of descriptors, after offsets, slices and regroupings;
/// null where that is not known.
Operation *makerOf(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (isa<cute::MmaMakeFragmentOp, MakeGmmaSmemDescOp, MakeUmmaSmemDescOp>(op))
      return op;
    auto isCarrier = [](Value operand) {
      return isa<SmemDescType, SmemDescViewType>(operand.getType());
    };
    auto from = llvm::find_if(op->getOperands(), isCarrier);
    if (from == op->operand_end() || op->getNumRegions() != 0)
      return nullptr;
    value = *from;
  }
  return nullptr;
}

template <class Op> Source made(Op op, DescriptorKind kind) {
  return {kind, cast<PtrType>(op.getPtr().getType()), op.getLayout().getValue()[0], op.getMajor()};
}
/// The fragment of an operand, as the atom `mma` sees it.
std::optional<Source> made(cute::MmaMakeFragmentOp op) {
  auto tensor = dyn_cast<cute::CuteMemRefType>(op.getPartition().getType());
  std::optional<MmaInstance> mma = mmaInstanceOf(op.getTiledMma().getType());
  if (!tensor || !mma || !tensor.getLayout().affine())
    return std::nullopt;
  auto operand = MmaOperand(op.getOperandId());
  layout::Layout kept = keptLayout(*mma, operand, tensor.getLayout().outer());
  return Source{atom::descriptorOf(*mma->row), tensor.getPtrType(), kept[0],
                descriptorMajor(op.getTiledMma().getType(), operand)};
}
std::optional<Source> sourceOf(Value descriptor) {
  Operation *maker = makerOf(descriptor);
  if (!maker)
    return std::nullopt;
  return TypeSwitch<Operation *, std::optional<Source>>(maker)
      .Case([](MakeGmmaSmemDescOp op) { return made(op, DescriptorKind::Wgmma); })
      .Case([](MakeUmmaSmemDescOp op) { return made(op, DescriptorKind::Tcgen05); })
      .Case([](cute::MmaMakeFragmentOp op) { return made(op); });
}

StringRef nameOf(DescriptorKind kind) {
  return kind == DescriptorKind::Wgmma ? "wgmma" : "tcgen05.mma";
}

LogicalResult kindFits(const Wanted &want, const Source &have) {
  return want.kind == *have.kind ? success()
                                 : refuse(want.op, Diag::DescriptorKind, want.name,
                                          nameOf(want.kind), nameOf(*have.kind));
}
/// i8 stands for signed and for unsigned elements, as the instruction says; tf32 lies in memory as
/// f32.
LogicalResult elementFits(const Wanted &want, const Source &have) {
  Type got = have.pointer.getElementType();
  bool same = got == want.element ||
              (got.isInteger() && want.element.isInteger() &&
               cute::bitsOf(got) == cute::bitsOf(want.element)) ||
              (isa<FloatTF32Type>(want.element) && got.isF32());
  return same ? success() : refuse(want.op, Diag::DescriptorElement, want.name, want.element, got);
}
LogicalResult majorFits(const Wanted &want, const Source &have) {
  if (!want.major || !have.major || *want.major == *have.major)
    return success();
  return refuse(want.op, Diag::DescriptorMajor, want.name, StringRef(atom::keyword(*want.major)),
                StringRef(atom::keyword(*have.major)));
}
LogicalResult sizeFits(const Wanted &want, const Source &have) {
  layout::Symbolic arith;
  layout::Int size = layout::size(arith, have.tile);
  if (!want.elements || size.is(want.elements))
    return success();
  return refuse(want.op, Diag::DescriptorShape, want.name, want.elements,
                size.isStatic() ? size.value : 0, layout::AnyLayout(have.tile));
}
LogicalResult layoutFits(const Wanted &want, const Source &have) {
  std::optional<atom::Major> major = want.major ? want.major : have.major;
  if (!major)
    return success();
  Result<uint64_t> word = atom::smemDescriptor(want.kind, have.tile, have.pointer.getSwizzle(),
                                               have.pointer.getElementBits(), *major);
  return word ? success()
              : refuse(want.op, Diag::DescriptorLayout, want.name, nameOf(want.kind),
                       StringRef(word.reason().text));
}
/// PTX ISA, tcgen05, the table of swizzles: MN-major elements of 32 bits are moved in atoms of 32
/// bytes, all others in atoms of 16. The layouts of CuTe C++ do not ask for it.
LogicalResult atomsFit(const Wanted &want, const Source &have) {
  std::optional<atom::Major> major = want.major ? want.major : have.major;
  constexpr layout::Swizzle inAtomsOf32{2, 5, 2};
  if (want.kind != DescriptorKind::Tcgen05 || major != atom::Major::MN)
    return success();
  layout::Swizzle got = have.pointer.getSwizzle();
  int64_t bits = have.pointer.getElementBits();
  return (bits == 32) == (got == inAtomsOf32)
             ? success()
             : refuse(want.op, Diag::DescriptorAtoms, want.name, layout::str(got), bits);
}
constexpr LogicalResult (*rules[])(const Wanted &, const Source &) = {
    kindFits, elementFits, majorFits, sizeFits, layoutFits, atomsFit};

LogicalResult check(const Wanted &want, Value operand) {
  if (!isa<SmemDescType, SmemDescViewType>(operand.getType()))
    return success();
  std::optional<Source> have = sourceOf(operand);
  if (!have)
    return success();
  for (auto rule : rules)
    if (failed(rule(want, *have)))
      return failure();
  return success();
}

/// cute.gemm and cute.mma_atom_call.
template <class Op> LogicalResult checkCall(Op op) {
  std::optional<MmaInstance> mma = mmaInstanceOf(op.getAtom().getType());
  if (!mma)
    return success();
  DescriptorKind kind = atom::descriptorOf(*mma->row);
  auto type = cast<cute::MmaAtomType>(cute::untiled(op.getAtom().getType()));
  int64_t halved = mma->row->sparsity.isSparse() ? 2 : 1;
  int64_t ctas = mma->row->ctas; // each has its part of M and of N
  for (auto [name, operand, value, elements] :
       {std::tuple<StringRef, MmaOperand, Value, int64_t>("A", MmaOperand::A, op.getA(),
                                                          mma->m * mma->row->k / halved / ctas),
        {"B", MmaOperand::B, op.getB(), mma->n * mma->row->k / ctas}})
    if (failed(check({op, name, kind, type.getOperandType(operand), descriptorMajor(type, operand),
                      elements},
                     value)))
      return failure();
  return success();
}
/// The architecture ops of Hopper.
template <class Op> LogicalResult checkGroup(Op op) {
  layout::Tree shape = op.getShapeMNK().getValue();
  auto extent = [&](size_t i) { return shape[i].leaf().value.value; };
  int64_t halved = std::is_same_v<Op, ArchMmaSm90SparseOp> ? 2 : 1;
  if (op.takesDescriptor() && failed(check({op, "A", DescriptorKind::Wgmma, op.getAType(),
                                            op.getAMajor(), extent(0) * extent(2) / halved},
                                           op.getA()[0])))
    return failure();
  return check(
      {op, "B", DescriptorKind::Wgmma, op.getBType(), op.getBMajor(), extent(1) * extent(2)},
      op.getB());
}
/// Those of Blackwell, whose instruction descriptor has the shape and the major modes.
template <class Op> LogicalResult checkUmma(Op op) {
  if (failed(check({op, "A", DescriptorKind::Tcgen05, op.getAType(), {}}, op.getA())))
    return failure();
  return check({op, "B", DescriptorKind::Tcgen05, op.getBType().value_or(op.getAType()), {}},
               op.getB());
}

struct CheckDescriptorsPass : impl::CheckDescriptorsBase<CheckDescriptorsPass> {
  bool canScheduleOn(RegisteredOperationName name) const override {
    return isModuleOrFunction(name);
  }
  void runOnOperation() override {
    getOperation()->walk([&](Operation *op) {
      LogicalResult fits =
          TypeSwitch<Operation *, LogicalResult>(op)
              .Case<cute::GemmOp, cute::MmaAtomCallOp>([](auto call) { return checkCall(call); })
              .Case<ArchMmaSm90Op, ArchMmaSm90SparseOp>([](auto mma) { return checkGroup(mma); })
              .Case<ArchUmmaOp, ArchUmmaSparseOp, ArchUmmaBlockScaledOp,
                    ArchUmmaBlockScaledSparseOp>([](auto mma) { return checkUmma(mma); })
              .Default(success());
      if (failed(fits))
        signalPassFailure();
    });
    markAllAnalysesPreserved();
  }
};

} // namespace
} // namespace tessera::lower
