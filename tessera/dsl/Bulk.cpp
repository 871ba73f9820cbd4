// Copies in bulk as operations of cute_nvgpu.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/dsl/Bulk.h"

#include "tessera/cute_nvgpu/CuteNvgpu.h"
#include "tessera/dsl/Call.h"

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

} // namespace tessera::dsl
