// MmaRegisters: helpers of verifiers of products on registers: the row of an op, and its registers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/cute_nvgpu/CuteNvgpu.h"
#include "tessera/cute_nvgpu/Diagnostics.h"

namespace tessera::cute_nvgpu {

/// The element type of accumulators, from the type of their registers; null if there are none.
mlir::Type accumulatorOf(mlir::TypeRange registers);

/// The form of an op's atom, made of the op's attributes. The shape must be (M,N,K).
template <class Op> MmaForm formOf(Op op, atom::MmaFamily family, const layout::Tree &shape) {
  MmaForm form;
  form.query.family = family;
  auto extent = [&](size_t i) { return shape[i].leaf().value.value; };
  form.shape = {extent(0), extent(1), extent(2)};
  form.a = op.getAType();
  form.b = op.getBType();
  if constexpr (requires { op.getCdType(); })
    form.c = op.getCdType();
  else
    form.c = accumulatorOf(op.getC().getTypes());
  auto valueOr = [](auto value, auto otherwise) {
    if constexpr (requires { value.value_or(otherwise); })
      return value.value_or(otherwise);
    else
      return value;
  };
  if constexpr (requires { op.getAMajor(); }) {
    form.query.aMajor = valueOr(op.getAMajor(), atom::Major::K);
    form.query.bMajor = valueOr(op.getBMajor(), atom::Major::K);
  }
  if constexpr (requires { op.getOverflow(); })
    form.query.overflow = valueOr(op.getOverflow(), atom::Overflow::Wrapped);
  if constexpr (requires { op.getBinaryOp(); })
    form.query.bitOp = valueOr(op.getBinaryOp(), atom::BitOp::None);
  if constexpr (requires { op.getSparseMetadataFormat(); })
    form.query.metadata = op.getSparseMetadataFormat();
  if constexpr (requires { op.takesDescriptor(); })
    form.query.aFrom = op.takesDescriptor() ? atom::Residency::Smem : atom::Residency::Rmem;
  if constexpr (requires { op.getSfType(); }) {
    form.sf = op.getSfType();
    form.query.vec = int(op.getVecSize());
  }
  form.complete();
  return form;
}
/// The row of a form.
inline Result<const atom::MmaRow *> rowOf(const MmaForm &form) {
  TESSERA_TRY(MmaInstance instance, form.instance());
  return instance.row;
}

/// The registers of an operand of an MMA, and the operand in the row.
struct RegisterGroup {
  llvm::StringRef name;
  mlir::TypeRange types;
  const atom::Operand &operand;
};
/// Whether each operand has the number and type of registers that the row's instruction takes.
llvm::LogicalResult verifyGroups(mlir::Operation *, const atom::MmaRow &, int64_t n,
                                 llvm::ArrayRef<RegisterGroup>);

/// Whether a shape is (M,N,K), three numbers.
bool isMnk(const layout::Tree &shape);

/// The row of an op, or an error.
template <class Op> mlir::FailureOr<const atom::MmaRow *> rowFor(Op op, const layout::Tree &shape) {
  if (!isMnk(shape))
    return refuse(op, Diag::MmaShape, shape);
  Result<const atom::MmaRow *> found = op.getRow();
  if (!found)
    return refuse(op, Diag::NoSuchAtom, llvm::StringRef(found.reason().text));
  return *found;
}

/// Whether the row's instruction has the selector that the op states.
template <class Op> llvm::LogicalResult verifySelector(Op op) {
  std::string wrong = selectorRefusal(**op.getRow(), op.getSelector());
  return wrong.empty() ? mlir::success() : llvm::LogicalResult(op.emitOpError() << wrong);
}

/// Whether a pointer points to shared memory.
llvm::LogicalResult verifySmem(mlir::Operation *, mlir::Value pointer);

} // namespace tessera::cute_nvgpu
