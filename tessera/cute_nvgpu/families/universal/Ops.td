// cp.async.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_CUTE_NVGPU_FAMILIES_UNIVERSAL_OPS_TD
#define TESSERA_CUTE_NVGPU_FAMILIES_UNIVERSAL_OPS_TD

include "tessera/cute_nvgpu/ops/Base.td"

def CuteNvgpu_ArchCpAsyncOp : CuteNvgpu_Op<"arch.copy.SM80.cp_async", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "cp.async of one element of the pointers' type, 4, 8 or 16 bytes";
  let description = [{Where the predicate is false the destination is filled with zeros and nothing is read.}];
  let arguments = (ins Cute_Ptr:$dst, CuteNvgpu_GlobalPtr:$src, Optional<I1>:$pred,
                   CuteNvgpu_LoadCacheModeAttr:$cache_mode);
  let assemblyFormat = "`(` operands `)` attr-dict `:` `(` type(operands) `)`";
  let hasVerifier = 1;
}

#endif
