// Tensor memory as operations of cute_nvgpu.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/dsl/TensorMemory.h"

#include "tessera/cute_nvgpu/CuteNvgpu.h"
#include "tessera/dsl/Call.h"
#include "tessera/dsl/Control.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute_nvgpu;

namespace tessera::dsl {

void TensorMemory::take(Place at) const {
  Call call("take", at, slot);
  Num count = i32(columns, at);
  call.create<AllocTmemOp>(count.ir(), slot.ir(), blocks == 2);
  call.create<RelinquishTmemAllocPermitOp>(blocks == 2);
}
Pointer TensorMemory::pointer(Element element, Place at) const {
  Call call("pointer", at, slot);
  if (!call.good())
    return Pointer(Value());
  constexpr int64_t alignment = 16;
  Type type = cute::PtrType::get(call.mlirContext(), element.type(call.mlirContext()),
                                 cute::AddressSpace::tmem, alignment, {});
  auto op = call.create<RetrieveTmemPtrOp>(type, slot.ir());
  return Pointer(op ? op->getResult(0) : Value());
}
void TensorMemory::giveBack(Place at) const {
  Pointer first = pointer(f32, at);
  Call call("giveBack", at, first);
  Num count = i32(columns, at);
  call.create<DeallocTmemOp>(first.ir(), count.ir(), blocks == 2);
}

void mma_commit(Barrier barrier, Num mask, Place at) {
  Call call("mma_commit", at, barrier.address());
  Value address = sharedPointer(call, barrier.address());
  if (!call.good())
    return;
  auto group = mask ? NVVM::CTAGroupKind::CTA_2 : NVVM::CTAGroupKind::CTA_1;
  If(
      elect_one(at),
      [&] {
        call.create<NVVM::Tcgen05CommitOp>(address, mask.ir(),
                                           NVVM::CTAGroupKindAttr::get(call.mlirContext(), group));
      },
      {}, at);
}

} // namespace tessera::dsl
