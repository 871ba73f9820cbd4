// Shared memory in pieces, and pointers to them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/dsl/SharedMemory.h"

#include "tessera/cute_nvgpu/CuteNvgpu.h"
#include "tessera/dsl/Call.h"

using namespace mlir;
using namespace tessera;

namespace tessera::dsl {

Region SharedMemory::allocate(int64_t bytes, int64_t aligned) {
  int64_t start = (end + aligned - 1) / aligned * aligned;
  end = start + bytes;
  return {start, bytes};
}

void SharedMemory::open(Place at) {
  Call call("open", at);
  int64_t most = call.good() ? call.ofThread().target().maxDynamicShared() : end;
  if (end > most)
    call.fail(cat("expects at most ", most, " bytes of shared memory on ",
                  call.ofThread().target().str(), ", but ", end, " were allocated"));
  if (!call.good()) {
    base = Pointer(Value());
    return;
  }
  auto bytes = cute::PtrType::get(call.mlirContext(), call.builder().getI8Type(),
                                  cute::AddressSpace::Smem, alignment, {});
  auto op = call.create<cute_nvgpu::GetDynSmemOp>(bytes);
  base = Pointer(op ? op->getResult(0) : Value());
}
Pointer SharedMemory::pointer(Region region, Element element, layout::Swizzle swizzle,
                              int64_t aligned, Place at) const {
  Call call("pointer", at);
  if (call.good() && !base)
    call.fail("expects open() at the start of the kernel, before shared memory is pointed to");
  if (!call.good())
    return Pointer(Value());
  return recast_ptr(offset(base, region.start, at), element, aligned, swizzle, at);
}
Barriers SharedMemory::at(Region region, Place at) const {
  return Barriers(pointer(region, i64, {}, Barrier::bytes, at));
}

} // namespace tessera::dsl
