// Matrix descriptors of shared memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute_nvgpu/CuteNvgpu.h"
#include "tessera/cute_nvgpu/Diagnostics.h"

#include "tessera/atom/SmemDescriptor.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute_nvgpu;

/// The matrix of one instruction is mode 0 of the layout.
template <class Op> static Result<uint64_t> wordOf(Op op, atom::DescriptorKind kind) {
  auto pointer = cast<cute::PtrType>(op.getPtr().getType());
  layout::Layout l = op.getLayout().getValue();
  return atom::smemDescriptor(kind, l[0], pointer.getSwizzle(), pointer.getElementBits(),
                              op.getMajor());
}

template <class Op> static LogicalResult verifyDesc(Op op) {
  auto pointer = cast<cute::PtrType>(op.getPtr().getType());
  if (pointer.getAddressSpace() != cute::AddressSpace::Smem)
    return refuse(op, Diag::SmemPointer, pointer);
  Result<uint64_t> word = op.getWord();
  if (word)
    return success();
  // CuTe DSL's own compiler says this first.
  const layout::Layout matrix = op.getLayout().getValue()[0];
  if (matrix.rank() != 2)
    return op.emitOpError() << "Expect rank-2 vec_mode layout but got " << layout::str(matrix)
                            << ": " << word.reason().text;
  return refuse(op, Diag::NoSuchDescriptor, StringRef(word.reason().text));
}

Result<uint64_t> MakeGmmaSmemDescOp::getWord() {
  return wordOf(*this, atom::DescriptorKind::Wgmma);
}
Result<uint64_t> MakeUmmaSmemDescOp::getWord() {
  return wordOf(*this, atom::DescriptorKind::Tcgen05);
}
LogicalResult MakeGmmaSmemDescOp::verify() { return verifyDesc(*this); }
LogicalResult MakeUmmaSmemDescOp::verify() { return verifyDesc(*this); }

#define GET_OP_CLASSES
#include "tessera/cute_nvgpu/families/group/Descriptors.cpp.inc"
