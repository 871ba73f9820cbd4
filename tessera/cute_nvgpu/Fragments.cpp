// The fragment that an MMA atom computes with: registers, descriptors, or tensor memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute_nvgpu/AtomTypes.h"
#include "tessera/cute_nvgpu/Diagnostics.h"
#include "tessera/cute_nvgpu/families/group/Group.h"
#include "tessera/cute_nvgpu/families/tensor/Tensor.h"
#include "tessera/cute_nvgpu/families/warp/Warp.h"

#include "tessera/layout/Domains.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute_nvgpu;
using layout::MmaOperand;

/// Registers: A and B keep the order of the partition's strides, C is compact. Aligned to one
/// call's values, as far as a power of two can be.
static Result<Type> registers(Type element, MmaOperand operand,
                              const layout::AnyLayout &partition) {
  layout::Symbolic arith;
  layout::Layout l = operand == MmaOperand::C ? layout::compactMajor(arith, partition.shape())
                                              : layout::fragmentLike(arith, partition.outer());
  if (!l.isStatic())
    return reason(Diag::FragmentStatic, partition.shape());
  int64_t bytes = layout::size(arith, l[0]).value * cute::bitsOf(element) / 8;
  auto pointer = cute::PtrType::get(element.getContext(), element, cute::AddressSpace::Rmem,
                                    std::max<int64_t>(1, bytes & -bytes), layout::Swizzle{0, 4, 3});
  return Type(cute::CuteMemRefType::get(element.getContext(), pointer, std::move(l)));
}

layout::Layout tessera::cute_nvgpu::keptLayout(const MmaInstance &mma, MmaOperand operand,
                                               const layout::Layout &partition) {
  if (operand != MmaOperand::A || !mma.row->sparsity.isSparse())
    return partition;
  layout::Layout kept = partition;
  layout::Layout values = layout::filterZeros(partition[0]);
  kept.shape[0] = values.shape;
  kept.stride[0] = values.stride;
  return kept;
}

Result<Type> tessera::cute_nvgpu::fragmentType(const MmaInstance &mma, Type element,
                                               MmaOperand operand, Type partition) {
  layout::AnyLayout l;
  if (auto view = dyn_cast<ViewType>(partition)) {
    l = view.getViewLayout();
  } else {
    layout::Symbolic arith;
    l = layout::compactMajor(arith, cast<cute::ShapeType>(partition).getValue());
  }
  if (l.rank() < 3)
    return reason(Diag::FragmentRank, l.shape());
  const atom::Operand &row = operand == MmaOperand::A   ? mma.row->a
                             : operand == MmaOperand::B ? mma.row->b
                                                        : mma.row->d;
  switch (row.where) {
  case atom::Residency::Rmem:
    if (l.affine())
      l = keptLayout(mma, operand, l.outer());
    return registers(registerElement(row, element), operand, l);
  case atom::Residency::Smem: return descriptorFragment(partition);
  case atom::Residency::Tmem: return tensorFragment(mma, element, operand, partition, l.shape());
  }
  return reason(Diag::FragmentNoTensor, partition);
}
