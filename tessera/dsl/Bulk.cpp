// Copies in bulk as operations of cute_nvgpu; cp.async as that of NVVM, whose size may be any.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/dsl/Bulk.h"

#include "tessera/cute_nvgpu/CuteNvgpu.h"
#include "tessera/dsl/Call.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute_nvgpu;

namespace tessera::dsl {

void bulk_load(Pointer from, Pointer to, int64_t bytes, Barrier barrier, Place at) {
  Call call("bulk_load", at, from, to, barrier.address());
  call.create<ArchBulkCopyG2SOp>(to.ir(), from.ir(), barrier.address().ir(), Value(), Value(),
                                 uint32_t(bytes));
}
void bulk_store(Pointer from, Pointer to, int64_t bytes, Place at) {
  Call call("bulk_store", at, from, to);
  call.create<ArchBulkCopyS2GOp>(to.ir(), from.ir(), Value(), Value(), uint32_t(bytes));
}

void copy_async(Pointer from, Pointer to, int64_t bytes, Num there, Place at) {
  Call call("copy_async", at, from, to, there);
  if (call.good() && bytes != 4 && bytes != 8 && bytes != 16)
    call.fail(cat("expects to copy 4, 8 or 16 bytes, but got ", bytes));
  Value target = sharedPointer(call, to);
  if (!call.good())
    return;
  constexpr unsigned deviceMemory = 1;
  auto source = call.create<UnrealizedConversionCastOp>(
      TypeRange(LLVM::LLVMPointerType::get(call.mlirContext(), deviceMemory)),
      ValueRange(from.ir()));
  // PTX ISA 9.7.9.25.3.1: .cg, which leaves out the L1 cache, copies 16 bytes.
  auto cache = bytes == 16 ? NVVM::LoadCacheModifierKind::CG : NVVM::LoadCacheModifierKind::CA;
  if (source)
    call.create<NVVM::CpAsyncOp>(target, source.getResult(0), uint32_t(bytes), cache, there.ir());
}

} // namespace tessera::dsl
